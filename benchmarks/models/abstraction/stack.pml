/* Pushes and pops, with a depth that is counted twice. */
byte depth;
int pushed, popped;
active proctype user() {
  do
  :: depth < 20 && pushed < 1000 -> depth++; pushed++
  :: depth > 0 -> depth--; popped++
  od
}
