/* A bounded buffer in an array, guarded by a mutex and two counting semaphores. */
#ifndef SIZE
#define SIZE 4
#endif
#ifndef PRODUCERS
#define PRODUCERS 3
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif

byte buffer[SIZE];
byte head, tail, free_slots = SIZE, used_slots;
bit mutex;

inline down(semaphore) { atomic { semaphore > 0 -> semaphore-- } }
inline up(semaphore) { semaphore++ }

active [PRODUCERS] proctype Producer() {
  byte item;
end:
  do
  :: item = _pid + 1;
     down(free_slots);
     atomic { mutex == 0 -> mutex = 1 }
     assert(buffer[tail] == 0);
     buffer[tail] = item;
     tail = (tail + 1) % SIZE;
     mutex = 0;
     up(used_slots)
  od
}

active [CONSUMERS] proctype Consumer() {
  byte item;
end:
  do
  :: down(used_slots);
     atomic { mutex == 0 -> mutex = 1 }
     item = buffer[head];
     assert(item > 0);
     buffer[head] = 0;
     head = (head + 1) % SIZE;
     mutex = 0;
     up(free_slots)
  od
}
