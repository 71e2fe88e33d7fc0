// fails: steps of three pass an even multiple
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned char x = 1;
  while (__VERIFIER_nondet_int()) {
    x += 3;
    if (x == 0) reach_error();
  }
  return 0;
}
