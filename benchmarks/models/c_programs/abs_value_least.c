// fails: the least number has no absolute value
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = x < 0 ? (int)(0u - (unsigned)x) : x;
  if (y < 0) reach_error();
  return 0;
}
