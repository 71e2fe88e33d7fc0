// holds: the flag that decided is not changed in between
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int locked = 0;
int main(void) {
  int count = 0;
  while (__VERIFIER_nondet_int()) {
    int wanted = __VERIFIER_nondet_int();
    if (wanted) { if (locked) reach_error(); locked = 1; }
    count++;
    if (wanted) { if (!locked) reach_error(); locked = 0; }
  }
  if (locked) reach_error();
  return 0;
}
