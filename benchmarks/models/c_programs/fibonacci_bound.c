// holds: the sequence does not fall while it does not wrap
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned a = 0, b = 1;
  for (int i = 0; i < 40; i++) {
    unsigned c = a + b;
    if (c < b) reach_error();
    a = b;
    b = c;
  }
  return 0;
}
