#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){int x=INT_MIN; x=abs(x); return 0;}
