// holds: the lock is taken and released in each round of the inner loop
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int locked = 0;
void lock(void) { if (locked) reach_error(); locked = 1; }
void unlock(void) { if (!locked) reach_error(); locked = 0; }
int main(void) {
  while (__VERIFIER_nondet_int()) {
    lock();
    while (__VERIFIER_nondet_int()) {
      unlock();
      lock();
    }
    unlock();
  }
  return 0;
}
