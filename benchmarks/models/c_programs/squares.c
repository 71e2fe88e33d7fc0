// holds: odd numbers add up to a square (nonlinear)
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uchar(), i = 0, odd = 1, sum = 0;
  while (i < n) { sum += odd; odd += 2; i++; }
  if (sum != n * n) reach_error();
  return 0;
}
