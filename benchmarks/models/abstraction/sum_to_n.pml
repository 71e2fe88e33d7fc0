/* Adds 1 to n for every n up to a bound, in any order of adding and restarting. */
#ifndef N
#define N 600
#endif
int n, i, sum;
active proctype add() {
choose:
  do
  :: n < N -> n++
  :: break
  od;
  i = 0; sum = 0;
  do
  :: i < n -> i++; sum = sum + i
  :: i > 3 -> i = i - 3; sum = sum - 3 * i - 6
  :: i >= n -> break
  od
}
