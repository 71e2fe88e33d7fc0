// holds: an index stays within its ring
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int ring[16];
int main(void) {
  unsigned head = 0;
  while (__VERIFIER_nondet_int()) {
    if (head >= 16) reach_error();
    ring[head] = __VERIFIER_nondet_int();
    head = (head + 1) & 15;
  }
  return 0;
}
