// holds: a handle is closed exactly when it was opened
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int is_open = 0;
int main(void) {
  int opened = 0;
  while (__VERIFIER_nondet_int()) {
    int command = __VERIFIER_nondet_int();
    switch (command) {
    case 1:
      if (!opened) {
        if (is_open) reach_error();
        is_open = 1;
        opened = 1;
      }
      break;
    case 2:
      if (opened) {
        if (!is_open) reach_error();
        is_open = 0;
        opened = 0;
      }
      break;
    default:
      break;
    }
  }
  if (opened && !is_open) reach_error();
  return 0;
}
