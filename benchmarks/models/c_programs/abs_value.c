// holds: the absolute value of what is no least number is not negative
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == -2147483647 - 1) return 0;
  int y = x < 0 ? -x : x;
  if (y < 0) reach_error();
  return 0;
}
