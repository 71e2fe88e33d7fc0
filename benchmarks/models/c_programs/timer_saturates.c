// holds: a saturating counter of a byte
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned char t = 0;
  int ticks = 0;
  while (__VERIFIER_nondet_int()) {
    if (t < 200) t++;
    if (ticks < 1000) ticks++;
    if (t > 200) reach_error();
    if (t < 200 && t != ticks) reach_error();
  }
  return 0;
}
