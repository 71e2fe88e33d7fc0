#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){int*p; {int x=1; p=&x;} *p=2; return 0;}
