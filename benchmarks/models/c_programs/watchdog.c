// holds: a watchdog that is fed in time never barks
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int timer = 20, since = 0;
  while (1) {
    if (__VERIFIER_nondet_int() || since >= 15) { timer = 20; since = 0; }
    else { timer--; since++; }
    if (timer + since != 20) reach_error();
    if (timer <= 0) reach_error();
  }
}
