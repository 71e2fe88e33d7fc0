/* Peterson's filter lock for N processes, too large to be searched. The mistake: whoever meets the process
 * before it at the last gate takes for granted that this one waits, and does not look at it.
 */
#ifndef N
#define N 6
#endif

byte level[N];
byte last[N];
byte inside;
byte rounds[N];

active [N] proctype Process() {
  byte i, k;
end:
  do
  :: rounds[_pid] < 3 ->
     i = 1;
     do
     :: i < N ->
        level[_pid] = i;
        last[i] = _pid;
        k = 0;
        do
        :: k < N ->
           if
           :: k == _pid || level[k] < i || last[i] != _pid -> k++
           :: else ->
              if
              :: i == N - 1 && k + 1 == _pid && rounds[k] == 2 -> k++  /* the mistake */
              :: else -> k = 0
              fi
           fi
        :: else -> break
        od;
        i++
     :: else -> break
     od;
     inside++;
     assert(inside == 1);
     inside--;
     level[_pid] = 0;
     rounds[_pid]++
  od
}
