// holds: twice the number of rounds
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), sum = 0;
  if (n < 1 || n > 100000) return 0;
  for (int i = 1; i <= n; i++) sum += 2;
  if (sum != n * 2) reach_error();
  return 0;
}
