/* The goto at the end of the atomic sequence carries a label that Q asks for, so it becomes
 * a location of its own; the jump must survive that. */
byte g = 2;
active proctype P() {
  byte l;
  g = 1;
  atomic {
    l = 1;
    (g == 1);
back:
    assert(l < 3);
    g = 0;
here:
    goto back
  };
  l = 2
}
active proctype Q() {
  do
  :: P[0]@here
  :: break
  od
}
