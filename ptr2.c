#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void){int a[3]; int*p=a; p+=5; p-=4; return 0;}
