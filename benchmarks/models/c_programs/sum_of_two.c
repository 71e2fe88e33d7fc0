// holds: z is kept as the sum of x and y
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 0, y = 0, z = 0;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) { x++; z++; } else { y += 2; z += 2; }
  }
  if (z != x + y) reach_error();
  return 0;
}
