/* Fibonacci's numbers, until an int overflows. */
int a, b = 1, t, n;
active proctype fibonacci() {
  do
  :: n < 40 -> t = a + b; a = b; b = t; n++
  :: else -> break
  od;
  assert(b > 0)
}
