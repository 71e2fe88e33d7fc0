// fails: an argument loses its upper bits
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
void check(unsigned char value) { if (!value) reach_error(); }
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x) check(x);
  return 0;
}
