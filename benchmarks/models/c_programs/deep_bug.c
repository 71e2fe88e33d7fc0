// fails: after sixty rounds
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int rounds = 0, credit = 0;
  while (1) {
    if (__VERIFIER_nondet_int()) credit++;
    rounds++;
    if (credit > rounds) reach_error();
    if (rounds == 60 && credit == 30) reach_error();
    if (rounds >= 60) break;
  }
  return 0;
}
