byte x;
active proctype p() {
  atomic {
    do
    :: x = 1 - x
    od
  }
}
active proctype q() { x == 1 }
