/* A ring of cells that flip when they hold what the next one holds: many states, few ties. */
#ifndef N
#define N 8
#endif
bool cell[N];
active [N] proctype P() { do :: cell[_pid] == cell[(_pid + 1) % N] -> cell[_pid] = !cell[_pid] od }
