// fails: the last element was not set
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a[20];
  for (int i = 0; i < 19; i++) a[i] = 1;
  int k = __VERIFIER_nondet_int();
  if (k < 0 || k >= 20) return 0;
  if (a[k] != 1) reach_error();
  return 0;
}
