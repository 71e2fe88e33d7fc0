// fails: the limit is compared before the increment
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int tries = 0, done = 0;
  while (!done && tries <= 5) {
    tries++;
    if (__VERIFIER_nondet_int() == 42) done = 1;
    if (tries > 5) reach_error();
  }
  return 0;
}
