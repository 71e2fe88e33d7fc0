/* Readers and writers, the textbook solution: the first reader locks writers out, the last
 * one lets them in again. A reader looks at the data twice and must see the same value.
 */
#ifndef READERS
#define READERS 4
#endif
#ifndef WRITERS
#define WRITERS 4
#endif

bit mutex, room;      /* 0: free */
byte readers;         /* readers inside */
byte data;

inline lock(which) { atomic { which == 0 -> which = 1 } }
inline unlock(which) { which = 0 }

active [READERS] proctype Reader() {
  byte seen;
end:
  do
  :: lock(mutex);
     readers++;
     if
     :: readers == 1 -> lock(room)
     :: else -> skip
     fi;
     unlock(mutex);
     seen = data;
     assert(seen == data);
     lock(mutex);
     readers--;
     if
     :: readers == 0 -> unlock(room)
     :: else -> skip
     fi;
     unlock(mutex)
  od
}

active [WRITERS] proctype Writer() {
end:
  do
  :: lock(room);
     assert(readers <= 1);
     data = (data + 1) % 3;
     unlock(room)
  od
}
