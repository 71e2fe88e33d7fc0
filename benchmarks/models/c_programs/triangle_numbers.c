// holds: a sum of the first numbers (nonlinear)
extern unsigned short __VERIFIER_nondet_ushort(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_ushort(), sum = 0, i = 0;
  while (i < n) { i++; sum += i; }
  if (2 * sum != n * (n + 1)) reach_error();
  return 0;
}
