#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){int a[3]={0}; int i=3; int x=a[i]; return 0;}
