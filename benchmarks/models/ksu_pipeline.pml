/* The NASA KSU pipeline: a driver sends events through stages to listeners. Neighbours meet in
 * a connector, a Java monitor that holds one event; a stop event ends one process after another.
 */
#ifndef STAGES
#define STAGES 3
#endif
#ifndef LISTENERS
#define LISTENERS 1
#endif
#ifndef EVENTS
#define EVENTS 3
#endif
#define CONNECTORS (STAGES + LISTENERS)
#define STOP 255

byte held[CONNECTORS];       /* 0: no event */
byte owner[CONNECTORS];      /* 0: unlocked, otherwise 1 + the process inside */
short sleeping[CONNECTORS];  /* one bit for each process in wait() */

inline enter(where) {
  atomic { owner[where] == 0 -> owner[where] = _pid + 1 }
}

inline leave(where) {
  owner[where] = 0
}

inline wait(where) {
  atomic { sleeping[where] = sleeping[where] | (1 << _pid); owner[where] = 0 }
  atomic { !(sleeping[where] & (1 << _pid)) && owner[where] == 0 -> owner[where] = _pid + 1 }
}

inline notify_all(where) {
  sleeping[where] = 0
}

inline add(where, event) {
  enter(where);
  do
  :: held[where] != 0 -> wait(where)
  :: else -> break
  od;
  assert(owner[where] == _pid + 1);
  held[where] = event;
  notify_all(where);
  leave(where)
}

inline take(where, event) {
  enter(where);
  do
  :: held[where] == 0 -> wait(where)
  :: else -> break
  od;
  event = held[where];
  held[where] = 0;
  notify_all(where);
  leave(where)
}

active [STAGES] proctype Stage() {
  byte event, listener, expected = _pid + 1;
  do
  :: take(_pid, event);
     if
     :: event == STOP -> skip
     :: else ->
        assert(event == expected);
        expected++;
        event++
     fi;
     if
     :: _pid < STAGES - 1 -> add(_pid + 1, event)
     :: else ->
        do
        :: listener < LISTENERS -> add(STAGES + listener, event); listener++
        :: else -> listener = 0; break
        od
     fi;
     if
     :: event == STOP -> break
     :: else -> skip
     fi
  od
}

active [LISTENERS] proctype Listener() {
  byte event, heard;
  do
  :: take(_pid, event);
     if
     :: event == STOP -> break
     :: else ->
        heard++;
        assert(event == STAGES + heard)
     fi
  od;
  assert(heard == EVENTS)
}

active proctype Driver() {
  byte sent;
  do
  :: sent < EVENTS -> add(0, sent + 1); sent++
  :: else -> break
  od;
  add(0, STOP)
}
