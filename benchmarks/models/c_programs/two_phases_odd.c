// fails: the second phase begins at an odd number
extern void reach_error(void);
int main(void) {
  unsigned x = 0;
  while (x < 300) {
    if (x < 65) x++; else x += 2;
  }
  if (x % 2) reach_error();
  return 0;
}
