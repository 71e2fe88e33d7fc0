// holds: slow at first and faster later, but never odd at the end
extern void reach_error(void);
int main(void) {
  unsigned x = 0;
  while (x < 0x0fffffff) {
    if (x < 0xfff0) x++; else x += 2;
  }
  if (x % 2) reach_error();
  return 0;
}
