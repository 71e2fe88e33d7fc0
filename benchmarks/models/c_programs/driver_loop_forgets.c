// fails: the packet counter is not advanced when the request has a negative status
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int state = 0;
void acquired(void) { if (state == 1) reach_error(); else state = 1; }
void released(void) { if (state == 0) reach_error(); else state = 0; }
int main(void) {
  int nPackets = __VERIFIER_nondet_int(), nPacketsOld, request;
  do {
    acquired();
    nPacketsOld = nPackets;
    request = __VERIFIER_nondet_int();
    if (request) {
      released();
      if (request > 0) nPackets++;
    }
  } while (nPackets != nPacketsOld);
  released();
  return 0;
}
