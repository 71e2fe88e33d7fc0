/* Hyman's algorithm, with how often each was inside. */
#ifndef MOST
#define MOST 70
#endif
bool wants[2];
bool turn;
byte visits[2];
byte inside;
active [2] proctype process() {
  do
  :: visits[_pid] < MOST ->
     wants[_pid] = true;
     do
     :: turn != _pid -> !wants[1 - _pid]; turn = _pid
     :: turn == _pid -> break
     od;
     inside++;
     visits[_pid]++;
     inside--;
     wants[_pid] = false
  od
}
