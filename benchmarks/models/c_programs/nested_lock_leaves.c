// fails: an early exit keeps the lock
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int locked = 0;
void lock(void) { if (locked) reach_error(); locked = 1; }
void unlock(void) { if (!locked) reach_error(); locked = 0; }
int main(void) {
  while (__VERIFIER_nondet_int()) {
    lock();
    while (__VERIFIER_nondet_int()) {
      if (__VERIFIER_nondet_int() == 12345) break;
      unlock();
      lock();
    }
    if (__VERIFIER_nondet_int()) unlock();
  }
  return 0;
}
