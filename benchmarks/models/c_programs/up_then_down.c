// holds: two loops one after the other
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_int(), x = 0, y = 0;
  while (x < n) { x++; y++; }
  while (y > 0) { y--; x--; }
  if (x != 0) reach_error();
  return 0;
}
