// holds: all elements up to the bound were set
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a[20];
  for (int i = 0; i < 20; i++) a[i] = i * i;
  int k = __VERIFIER_nondet_int();
  if (k < 0 || k >= 20) return 0;
  if (a[k] != k * k) reach_error();
  return 0;
}
