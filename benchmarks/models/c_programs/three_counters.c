// holds: three counters with a fixed sum
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_int();
  unsigned a = n, b = 0, c = 0;
  while (a > 0) {
    a--;
    if (__VERIFIER_nondet_int()) b++; else c++;
  }
  if (b + c != n) reach_error();
  return 0;
}
