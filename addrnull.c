#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){struct s{int a,b;}*p=0; p->b=1; return 0;}
