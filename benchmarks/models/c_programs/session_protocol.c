// holds: a session is only used between its beginning and its end
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int phase = 1, token = 0, retries = 0, blocked = 0;
int main(void) {
  while (1) {
    int message = __VERIFIER_nondet_int();
    switch (phase) {
    case 1:
      if (message == 11) { phase = 2; token = 7; blocked = 0; }
      else if (message == 12) { retries++; if (retries > 3) { phase = 4; blocked = 1; } }
      break;
    case 2:
      if (token != 7) reach_error();
      if (message == 21) phase = 3;
      else if (message == 22) { phase = 1; token = 0; retries = 0; }
      break;
    case 3:
      if (token != 7 || blocked) reach_error();
      if (message == 31) { phase = 1; token = 0; retries = 0; }
      break;
    case 4:
      if (!blocked) reach_error();
      if (message == 41) { phase = 1; retries = 0; blocked = 0; }
      break;
    default:
      reach_error();
    }
  }
}
