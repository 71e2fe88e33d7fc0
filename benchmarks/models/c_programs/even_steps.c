// holds: a counter that moves by two stays even, and 2^32 is even
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned x = 0;
  while (__VERIFIER_nondet_int()) {
    x += 2;
    if (x % 2 != 0) reach_error();
  }
  return 0;
}
