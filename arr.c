#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){int a[2]={INT_MAX,0}; a[0]++; return 0;}
