// holds: elements are set to what is not negative, in a loop without a known bound
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int cells[64];
int main(void) {
  int i = 0;
  while (__VERIFIER_nondet_int()) {
    int value = __VERIFIER_nondet_int();
    if (value < 0) value = 0;
    cells[i] = value;
    if (cells[i] < 0) reach_error();
    i = (i + 1) % 64;
  }
  return 0;
}
