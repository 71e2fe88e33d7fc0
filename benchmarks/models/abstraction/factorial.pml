/* A product that overflows an int. */
int f = 1, n;
active proctype factorial() {
  do
  :: n < 30 -> n++; f = f * n
  :: else -> break
  od
}
