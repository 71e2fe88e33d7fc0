/* A lock that is taken and given back in turn. */
mtype = { take, give };
chan lock = [0] of { mtype, byte };

active [3] proctype user() {
  do
  :: lock!take,_pid; lock!give,_pid
  od
}

active proctype guard() {
  byte owner;
  end: do
  :: lock?take,owner; lock?give,eval(owner)
  od
}

trace {
  end: do
  :: lock?take,_; lock?give
  od
}
