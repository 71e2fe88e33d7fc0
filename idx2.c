#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){int a[2][3]; int i=0,j=3; a[i][j]=0; return 0;}
