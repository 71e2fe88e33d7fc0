#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){char*p=calloc(1ul<<33,1ul<<33); if(p) p[0]=1; return 0;}
