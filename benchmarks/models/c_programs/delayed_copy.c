// holds: an old value is a new one of two rounds ago
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 0, y = 0, z = 0;
  while (__VERIFIER_nondet_int()) {
    z = y;
    y = x;
    x = __VERIFIER_nondet_int() ? 5 : 7;
    if (z != 0 && z != 5 && z != 7) reach_error();
  }
  return 0;
}
