/* Each asks whether the other can move, which depends on the answer. SPIN's verifier crashes. */
bit done;

active proctype P() {
  enabled(1);
  done = 1
}

active proctype Q() {
  do
  :: enabled(0)
  od
}
