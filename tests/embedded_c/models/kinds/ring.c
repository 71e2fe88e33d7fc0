#include "ring.h"
struct ring ring;
int ring_full(void) { return ring.count == ROOM; }
int ring_empty(void) { return ring.count == 0; }
void ring_put(int value) { ring.at[(ring.first + ring.count++) % ROOM] = value; }
int ring_get(void) {
  int value = ring.at[ring.first];
  ring.first = (ring.first + 1) % ROOM;
  ring.count--;
  return value;
}
