// holds: three variables that move in a ring; two rounds must be looked at
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a = 1, b = 0, c = 0;
  while (__VERIFIER_nondet_int()) {
    int t = a;
    a = b;
    b = c;
    c = t;
    if (a + b + c != 1) reach_error();
    if (a == 1 && b == 1) reach_error();
  }
  return 0;
}
