#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){char a[2]={1,1}; size_t n=strlen(a); return 0;}
