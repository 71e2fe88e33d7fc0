/* Peterson's filter lock for N processes: N - 1 levels, each keeps one process back. */
#ifndef N
#define N 4
#endif

byte level[N];
byte last[N];
byte inside;

active [N] proctype Process() {
  byte i, k;
end:
  do
  :: i = 1;
     do
     :: i < N ->
        level[_pid] = i;
        last[i] = _pid;
        k = 0;
        do
        :: k < N ->
           if
           :: k == _pid || level[k] < i || last[i] != _pid -> k++
           :: else -> k = 0
           fi
        :: else -> break
        od;
        i++
     :: else -> break
     od;
     inside++;
     assert(inside == 1);
     inside--;
     level[_pid] = 0
  od
}
