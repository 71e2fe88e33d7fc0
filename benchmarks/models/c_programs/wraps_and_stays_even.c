// holds: it leaves the loop only by wrapping around
extern void reach_error(void);
int main(void) {
  unsigned x = 10;
  while (x >= 10) x += 2;
  if (x % 2) reach_error();
  return 0;
}
