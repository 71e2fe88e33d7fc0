#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){struct b{int f:31;}z; z.f=1073741823; int y=z.f*2+2; return 0;}
