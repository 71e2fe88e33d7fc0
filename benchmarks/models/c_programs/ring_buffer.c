// holds: fill level and positions agree
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int buffer[8];
int main(void) {
  unsigned head = 0, tail = 0, used = 0;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) {
      if (used < 8) { buffer[head & 7] = 1; head++; used++; }
    } else if (used > 0) { tail++; used--; }
    if (used > 8) reach_error();
    if (head - tail != used) reach_error();
  }
  return 0;
}
