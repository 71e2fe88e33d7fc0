#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){struct s{int v;} z={INT_MAX}; struct s*p=&z; p->v+=1; return 0;}
