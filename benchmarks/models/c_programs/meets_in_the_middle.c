// holds: two counters move towards each other and stop at a known place
extern void reach_error(void);
int main(void) {
  int low = 1, high = 10;
  while (high >= low) { low += 2; high--; }
  if (high != 6) reach_error();
  return 0;
}
