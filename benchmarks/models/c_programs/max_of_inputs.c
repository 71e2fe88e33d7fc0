// holds: a maximum that is kept while reading
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int largest = 0, last = 0;
  while (__VERIFIER_nondet_int()) {
    last = __VERIFIER_nondet_int();
    if (last > largest) largest = last;
    if (last > largest) reach_error();
  }
  if (largest < 0) reach_error();
  return 0;
}
