/* Magee and Kramer's nested monitor, corrected: a bounded buffer whose two semaphores are
 * monitors themselves. They are lowered before the buffer is entered; who lowers them inside
 * sleeps with the buffer locked, and nobody can ever wake him.
 */
#ifndef SIZE
#define SIZE 2
#endif
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#define FREE 0    /* the semaphores' monitors */
#define USED 1

byte value[2] = { SIZE, 0 };
bit locked[2], buffer_locked;
short sleeping[2];         /* one bit for each process in wait() */
byte buffer[SIZE];         /* 0: empty slot */
byte count, head, tail;

inline lock(what) {
  atomic { what == 0 -> what = 1 }
}

inline down(which) {
  lock(locked[which]);
  do
  :: value[which] == 0 ->
     atomic { sleeping[which] = sleeping[which] | (1 << _pid); locked[which] = 0 }
     atomic { !(sleeping[which] & (1 << _pid)) && locked[which] == 0 -> locked[which] = 1 }
  :: else -> break
  od;
  value[which]--;
  locked[which] = 0
}

inline up(which) {
  lock(locked[which]);
  value[which]++;
  assert(value[which] <= SIZE);
  sleeping[which] = 0;
  locked[which] = 0
}

active [PRODUCERS] proctype Producer() {
end:
  do
  :: down(FREE);
     lock(buffer_locked);
     assert(buffer[tail] == 0);
     buffer[tail] = 1;
     tail = (tail + 1) % SIZE;
     count++;
     buffer_locked = 0;
     up(USED)
  od
}

active [CONSUMERS] proctype Consumer() {
end:
  do
  :: down(USED);
     lock(buffer_locked);
     assert(buffer[head] == 1 && count > 0);
     buffer[head] = 0;
     head = (head + 1) % SIZE;
     count--;
     buffer_locked = 0;
     up(FREE)
  od
}
