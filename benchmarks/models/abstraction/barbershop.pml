/* A barber, chairs, and customers who come again. */
#ifndef CHAIRS
#define CHAIRS 3
#endif
#ifndef CUSTOMERS
#define CUSTOMERS 2
#endif
byte seated, cut, served;
bool busy;
active proctype barber() {
  do
  :: atomic { seated > 0 && !busy -> seated--; busy = true };
     cut++;
     atomic { busy -> busy = false; cut--; served = (served + 1) % 20 }
  od
}
active [CUSTOMERS] proctype customer() {
  byte visits;
  do
  :: atomic { seated < CHAIRS && visits < 7 -> seated++ };
     visits++;
     served > 0;
     skip
  :: visits > 3 -> visits = 0
  od
}
