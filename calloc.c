#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){int*p=calloc(2,4); p[2]=1; return 0;}
