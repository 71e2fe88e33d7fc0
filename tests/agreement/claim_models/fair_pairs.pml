/* Peterson's algorithm: who waits gets in if everybody moves. */
bool flag[2];
bit turn;
active [2] proctype P() {
  do
  :: flag[_pid] = true; turn = _pid;
     (flag[1 - _pid] == false || turn == 1 - _pid);
critical: skip;
     flag[_pid] = false
  od
}
ltl exclusion { [] !(P[0]@critical && P[1]@critical) }
ltl served { [] (flag[0] -> <> P[0]@critical) }
ltl visits { [] <> P[0]@critical }
