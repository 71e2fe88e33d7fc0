/* Elevators and people: a person calls, enters a cabin that opens, asks for another floor,
 * leaves there and begins again. Cabins turn at both ends of the shaft and rest when nobody
 * has pressed a button.
 */
#ifndef ELEVATORS
#define ELEVATORS 2
#endif
#ifndef FLOORS
#define FLOORS 2
#endif
#ifndef PEOPLE
#define PEOPLE 2
#endif

byte called;                              /* buttons on the floors, one bit each */
byte wanted[ELEVATORS];                   /* buttons in the cabins */
bit open[ELEVATORS];
chan enter[FLOORS] = [0] of { byte };     /* which cabin stands open */
chan leave[ELEVATORS] = [0] of { byte };  /* at which floor it does */

inline press(buttons, floor) {
  d_step { !(buttons & (1 << floor)) -> buttons = buttons | (1 << floor) }
}

active [ELEVATORS] proctype Elevator() {
  byte floor;
  bit up;
end:
  do
  :: d_step { (called | wanted[_pid]) & (1 << floor) ->
              called = called & ~(1 << floor);
              wanted[_pid] = wanted[_pid] & ~(1 << floor);
              open[_pid] = 1 }
     do
     :: enter[floor]!_pid
     :: leave[_pid]!floor
     :: break
     od;
     open[_pid] = 0
  :: d_step { called | wanted[_pid] ->
              assert(!open[_pid]);
              up = (floor == 0 || (up && floor < FLOORS - 1)) }
     floor = (up -> floor + 1 : floor - 1)
  od
}

active [PEOPLE] proctype Person() {
  byte floor, cabin;
end:
  do
  :: press(called, floor)
  :: atomic { enter[floor]?cabin -> assert(open[cabin]) }
     if
     :: floor > 0 -> floor--
     :: floor < FLOORS - 1 -> floor++
     fi;
     do
     :: press(wanted[cabin], floor)
     :: atomic { leave[cabin]?eval(floor) -> assert(open[cabin]); cabin = 0 }
        break
     od
  od
}
