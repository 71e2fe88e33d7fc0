/* A client asks a server again and again; both live for ever. */
bool waiting, served;

active proctype Client() {
  do
  :: !waiting -> atomic { served = false; waiting = true }
  :: served -> waiting = false
  od
}

active proctype Server() {
end:
  do
  :: atomic { waiting && !served -> served = true }
  od
}

active proctype Clock() {
  bool tick;
  do
  :: tick = !tick
  od
}
