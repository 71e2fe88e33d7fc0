#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){unsigned y=0; unsigned x=1/y; return 0;}
