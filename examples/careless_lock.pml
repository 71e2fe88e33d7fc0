/* Whoever has the lock must give it back before another takes it. */
mtype = { take, give };
chan lock = [0] of { mtype, byte };

active [2] proctype user() {
  do
  :: lock!take,_pid; lock!give,_pid
  od
}

active proctype guard() {
  byte owner;
  end: do
  :: lock?take,owner; lock?_,owner
  od
}

trace {
  end: do
  :: lock?take,_; lock?give
  od
}
