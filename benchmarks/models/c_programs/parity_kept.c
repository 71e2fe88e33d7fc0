// holds: two bits that are toggled together stay equal
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned flags = 0;
  while (__VERIFIER_nondet_int()) {
    flags ^= 5;
    if (((flags >> 2) & 1) != (flags & 1)) reach_error();
  }
  return 0;
}
