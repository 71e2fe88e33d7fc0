// holds: the third is the sum of the first two
extern void reach_error(void);
int main(void) {
  unsigned i = 0, j = 0, k = 0;
  while (k < 0x0fffffff) {
    i += 1; j += 2; k += 3;
    if (k != i + j) reach_error();
  }
  return 0;
}
