// fails: after being blocked the token of the last session is still there
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int phase = 1, token = 0, retries = 0;
int main(void) {
  while (1) {
    int message = __VERIFIER_nondet_int();
    switch (phase) {
    case 1:
      if (message == 11) { if (token == 7) reach_error(); phase = 2; token = 7; }
      else if (message == 12) { retries++; if (retries > 3) phase = 4; }
      break;
    case 2:
      if (message == 22) { phase = 1; token = 0; retries = 0; }
      else if (message == 12) { retries++; if (retries > 2) phase = 4; }
      break;
    default:
      if (message == 41) { phase = 1; retries = 0; }
    }
  }
}
