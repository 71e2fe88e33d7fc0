byte x;
active proctype P() {
back:
  x = 1 - x;
here:
  goto back
}
