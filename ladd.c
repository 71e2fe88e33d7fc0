#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){long x=LONG_MAX; x+=1; return 0;}
