// fails: int wraps (bit-precisely); over ideal integers it would hold
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 0) {
    unsigned y = x;
    y = y + y;
    if ((int)y < 0) reach_error();
  }
  return 0;
}
