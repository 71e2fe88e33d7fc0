// holds: a protocol of four states never skips one
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int state = 0, seen = 0;
  while (1) {
    int event = __VERIFIER_nondet_int();
    if (state == 0 && event == 1) { state = 1; seen = 1; }
    else if (state == 1 && event == 2) { if (!seen) reach_error(); state = 2; }
    else if (state == 2 && event == 3) { if (!seen) reach_error(); state = 3; }
    else if (state == 3) { state = 0; seen = 0; }
    if (state > 3 || state < 0) reach_error();
    if (state != 0 && !seen) reach_error();
  }
}
