// fails: closing twice is possible after a reset
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int is_open = 0;
int main(void) {
  int opened = 0;
  while (__VERIFIER_nondet_int()) {
    int command = __VERIFIER_nondet_int();
    if (command == 1 && !opened) { is_open = 1; opened = 1; }
    else if (command == 2 && opened) {
      if (!is_open) reach_error();
      is_open = 0;
      opened = 0;
    } else if (command == 77) is_open = 0;
  }
  return 0;
}
