// The device driver fragment of Ball and Rajamani (2001), with what decides whether its lock is used well.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int state = 0;
void KeAcquireSpinLock_return(void) { if (state == 1) reach_error(); else state = 1; }
void KeReleaseSpinLock_return(void) { if (state == 0) reach_error(); else state = 0; }
int nPackets, nPacketsOld;
int main(void) {
  nPackets = __VERIFIER_nondet_int();
  nPacketsOld = __VERIFIER_nondet_int();
  do {
    KeAcquireSpinLock_return();
    nPacketsOld = nPackets;
    if (__VERIFIER_nondet_int()) {
      KeReleaseSpinLock_return();
      if (__VERIFIER_nondet_int()) {
        ;
      } else {
        ;
      }
      nPackets++;
    }
  } while (nPackets != nPacketsOld);
  KeReleaseSpinLock_return();
  return 0;
}
