// holds: each round adds three to the sum of two, in one way or another
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, a = 0, b = 0;
  if (n < 0 || n > 1000000) return 0;
  while (i < n) {
    if (__VERIFIER_nondet_int()) { a += 1; b += 2; } else { a += 2; b += 1; }
    i++;
  }
  if (a + b != 3 * n) reach_error();
  return 0;
}
