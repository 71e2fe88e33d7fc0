/* The sleeping barber: customers who find no free chair go away and come back later. */
#ifndef BARBERS
#define BARBERS 2
#endif
#ifndef CUSTOMERS
#define CUSTOMERS 5
#endif
#ifndef CHAIRS
#define CHAIRS 3
#endif

chan waiting_room = [CHAIRS] of { pid };
bit shaved[BARBERS + CUSTOMERS];
byte asleep;

active [BARBERS] proctype Barber() {
  pid customer;
end:
  do
  :: if
     :: waiting_room?customer
     :: empty(waiting_room) ->
        asleep++;
end_asleep:
        waiting_room?customer;
        asleep--
     fi;
     assert(!shaved[customer]);
     shaved[customer] = 1;
     customer = 0
  od
}

active [CUSTOMERS] proctype Customer() {
end:
  do
  :: if
     :: waiting_room!_pid ->
        shaved[_pid] -> shaved[_pid] = 0
     :: full(waiting_room) -> skip
     fi
  od
}
