#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){struct s{int a[2]; int b;} z; int i=2; z.a[i]=1; return 0;}
