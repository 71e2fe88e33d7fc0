#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){char c; int*p=(int*)&c; *p=1; return 0;}
