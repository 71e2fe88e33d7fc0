/* Three counters, moved by branches that compare them: much data, few locations. */
byte x, y, z;
active proctype walk() {
  do
  :: x < 69 && x <= y + 20 -> x++
  :: y < 69 && y <= z + 30 -> y++
  :: z < 69 && z <= x + 40 -> z++
  :: x > 40 && y > 40 -> x = x - 40
  od
}
