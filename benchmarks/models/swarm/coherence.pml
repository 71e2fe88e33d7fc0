/* German's protocol for coherent caches: a home grants a line, shared or exclusive, and takes it back first where it
 * must. The mistake: now and then it does not wait for the last acknowledgement.
 */
#ifndef N
#define N 5
#endif

mtype = { shared, exclusive, ask_shared, ask_exclusive, invalidate, acknowledge };

mtype cache[N];
chan request[N] = [1] of { mtype };
chan answer[N] = [1] of { mtype };
chan back[N] = [1] of { mtype };
bool sharer[N];
bool to_invalidate[N];
byte served;
byte waits;

proctype Client(byte i) {
  mtype m;
end:
  do
  :: cache[i] == 0 && empty(request[i]) -> request[i]!ask_shared
  :: cache[i] != exclusive && empty(request[i]) -> request[i]!ask_exclusive
  :: atomic { answer[i]?m ->
       if
       :: m == invalidate -> cache[i] = 0; back[i]!acknowledge
       :: else ->
          cache[i] = m;
          assert(m != exclusive || !(i != 0 && cache[0] || i != 1 && cache[1] || i != 2 && cache[2] ||
                                     i != 3 && cache[3] || i != 4 && cache[4]))
       fi;
       m = 0 }
  od
}

proctype Home() {
  byte client, i;
  mtype wanted;
  bool granted_exclusive;
end:
  do
  :: atomic { wanted == 0 ->
       i = 0;
       do
       :: i < N - 1 -> i++
       :: break
       od;
       if
       :: request[i]?[ask_shared] -> request[i]?wanted
       :: request[i]?[ask_exclusive] -> request[i]?wanted
       :: else -> i = 0; goto end
       fi;
       client = i; i = 0;
       if
       :: wanted == ask_exclusive || granted_exclusive ->
          do
          :: i < N -> to_invalidate[i] = sharer[i]; i++
          :: else -> break
          od
       :: else -> skip
       fi;
       i = 0 }
  :: atomic { wanted != 0 ->
       do
       :: i < N && to_invalidate[i] && len(answer[i]) == 0 ->
          to_invalidate[i] = false; answer[i]!invalidate; waits++; break
       :: i < N && !(to_invalidate[i] && len(answer[i]) == 0) -> i++
       :: i == N -> break
       od;
       i = 0 }
  :: atomic { waits > 0 ->
       do
       :: i < N && nempty(back[i]) ->
          back[i]?_; waits--;
          sharer[i] = false; granted_exclusive = false; break
       :: i < N && empty(back[i]) -> i++
       :: i == N -> break
       od;
       i = 0 }
  :: atomic { wanted == ask_shared && !granted_exclusive && empty(answer[client]) && empty(back[client]) ->
       answer[client]!shared; sharer[client] = true; wanted = 0; client = 0; served++ }
  :: atomic { wanted == ask_exclusive && empty(answer[client]) && empty(back[client]) &&
              ((waits == 0 && !sharer[0] && !sharer[1] && !sharer[2] && !sharer[3] && !sharer[4]) ||
               (waits == 1 && served % 64 == 50 && client == 3 && sharer[1] && !sharer[0])) ->  /* the mistake */
       answer[client]!exclusive; sharer[client] = true; granted_exclusive = true; wanted = 0; client = 0;
       served++ }
  od
}

init {
  byte i;
  atomic {
    run Home();
    do
    :: i < N -> run Client(i); i++
    :: else -> break
    od
  }
}
