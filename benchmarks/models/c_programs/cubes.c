// holds: differences of cubes (nonlinear, as Cohen computes them)
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void) {
  unsigned limit = __VERIFIER_nondet_uchar(), n = 0, x = 0, y = 1, z = 6;
  while (n <= limit) {
    if (z != 6 * n + 6) reach_error();
    if (y != 3 * n * n + 3 * n + 1) reach_error();
    n++; x += y; y += z; z += 6;
  }
  return 0;
}
