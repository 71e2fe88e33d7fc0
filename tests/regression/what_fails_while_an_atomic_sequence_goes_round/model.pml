byte x;
active proctype p() {
  atomic {
    x = 0;
    do
    :: assert(x == 1)
    :: break
    od
  }
}
