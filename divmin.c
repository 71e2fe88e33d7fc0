#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){int x=INT_MIN,y=-1; x=x/y; return 0;}
