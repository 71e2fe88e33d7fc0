#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){int i,s=0; for(i=0;i<100000;i++) s+=i; return 0;}
