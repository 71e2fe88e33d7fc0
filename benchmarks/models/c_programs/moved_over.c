// holds: what is taken from one is in the other
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a > 1000000 || b < 0 || b > 1000000) return 0;
  int total = a, left = b;
  while (left > 0) { left--; total++; }
  if (total != a + b) reach_error();
  return 0;
}
