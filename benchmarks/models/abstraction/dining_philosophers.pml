/* Philosophers with their forks as flags; the last one is left-handed. */
#ifndef N
#define N 10
#endif
bool fork[N];
active [N] proctype philosopher() {
  byte first = (_pid == N - 1 -> 0 : _pid), second = (_pid == N - 1 -> N - 1 : _pid + 1);
  do
  :: atomic { !fork[first] -> fork[first] = true };
     atomic { !fork[second] -> fork[second] = true };
     skip;
     fork[second] = false;
     fork[first] = false
  od
}
