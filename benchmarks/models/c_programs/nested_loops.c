// holds: the inner counter is back at its bound
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000) return 0;
  for (int i = 0; i < n; i++) {
    int j = 0;
    while (j < n) j++;
    if (j != n) reach_error();
    if (i >= 1000) reach_error();
  }
  return 0;
}
