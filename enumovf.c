#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){enum e{A=INT_MAX} x=A; int y=x+1; return 0;}
