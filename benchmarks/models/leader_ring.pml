/* Election of a leader in a unidirectional ring, after Dolev, Klawe and Rodeh (1982) and
 * Peterson (1982): active nodes compare their number with those of two active neighbours.
 * Wide: every node has its own channel and eight variables.
 */
#ifndef N
#define N 6
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif

mtype = { first, second, winner };
chan ring[N] = [CAPACITY] of { mtype, byte };
byte leaders;

proctype Node(byte position; byte mine) {
  bit active_now = 1, knows;
  byte number, maximum = mine, neighbour;
  chan input = ring[position];
  chan output = ring[(position + 1) % N];

  xr input;
  xs output;
  output!first, mine;
end:
  do
  :: input?first, number ->
     if
     :: active_now ->
        if
        :: number != maximum ->
           output!second, number;
           neighbour = number
        :: else ->
           knows = 1;
           output!winner, number
        fi
     :: else -> output!first, number
     fi
  :: input?second, number ->
     if
     :: active_now ->
        if
        :: neighbour > number && neighbour > maximum ->
           maximum = neighbour;
           output!first, neighbour
        :: else -> active_now = 0
        fi
     :: else -> output!second, number
     fi
  :: input?winner, number ->
     if
     :: number == mine ->
        leaders++;
        assert(leaders == 1)
     :: else -> skip
     fi;
     if
     :: knows -> skip
     :: else -> output!winner, number
     fi;
     break
  od
}

init {
  byte position;
  atomic {
    do
    :: position < N ->
       run Node(position, (N - position) * 3 % (N + 1) + 1);
       position++
    :: else -> break
    od
  }
}
