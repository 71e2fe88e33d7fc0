/* Dining philosophers who first declare hunger, take the left fork, then the right one.
 * The last philosopher is left-handed, so nobody starves in a circle: no deadlock.
 */
#ifndef N
#define N 8
#endif

byte fork[N];      /* 0: on the table, otherwise 1 + the philosopher who holds it */
byte eating;       /* how many eat now */

inline take(which) {
  atomic { fork[which] == 0 -> fork[which] = _pid + 1 }
}

inline put_back(which) {
  fork[which] = 0
}

active [N] proctype Philosopher() {
  byte first, second;
  d_step {
    if
    :: _pid < N - 1 -> first = _pid; second = _pid + 1
    :: else -> first = 0; second = N - 1
    fi
  }
end:
  do
  :: take(first);
     take(second);
     eating++;
     assert(eating <= N / 2);
     eating--;
     put_back(second);
     put_back(first)
  od
}
