// holds: a value rotates through three variables; three rounds must be looked at
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned char x = 1, y = 2, z = 3;
  while (__VERIFIER_nondet_int()) {
    if (x == y) reach_error();
    unsigned char t = x;
    x = y;
    y = z;
    z = t;
  }
  return 0;
}
