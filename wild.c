#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){int*p; *p=1; return 0;}
