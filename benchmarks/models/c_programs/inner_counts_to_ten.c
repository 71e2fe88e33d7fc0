// holds: the inner loop always ends at ten
extern void reach_error(void);
int main(void) {
  unsigned x = 0, y = 0;
  while (x < 0x0fffffff) {
    y = 0;
    while (y < 10) y++;
    x++;
  }
  if (y % 2) reach_error();
  return 0;
}
