// holds: what is added grows until the sum is no longer negative
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int depth = -50, step = __VERIFIER_nondet_int();
  if (step <= -1000 || step >= 1000000) return 0;
  while (depth < 0) { depth += step; step++; }
  if (step <= 0) reach_error();
  return 0;
}
