// holds: the remainder of the school's division is smaller than the divisor
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), d = __VERIFIER_nondet_uint();
  if (d == 0) return 0;
  unsigned r = n;
  while (r >= d) r -= d;
  if (r >= d) reach_error();
  if (r > n) reach_error();
  return 0;
}
