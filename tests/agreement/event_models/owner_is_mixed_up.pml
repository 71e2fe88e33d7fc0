/* As the lock that holds, but whoever comes may give back. */
mtype = { take, give };
chan lock = [0] of { mtype, byte };

active [2] proctype user() {
  do
  :: lock!take,_pid
  :: lock!give,_pid
  od
}

active proctype guard() {
  byte owner;
  end: do
  :: lock?take,owner; lock?give,owner
  od
}

trace {
  end: do
  :: lock?take,0; lock?give,0
  :: lock?take,1; lock?give,1
  od
}
