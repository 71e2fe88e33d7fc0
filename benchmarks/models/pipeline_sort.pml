/* A sorting pipeline: each stage keeps the largest number it has seen and passes the rest on.
 * The order of the input is free. Wide: every stage has its own channel and variables.
 */
#ifndef N
#define N 6
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif

chan link[N] = [CAPACITY] of { int };
int result[N];
byte finished;

proctype Stage(byte position) {
  int kept, arrived, passed;
  byte remaining = N - position - 1;
  chan input = link[position];
  chan output = link[(position + 1) % N];

  xr input;
  input?kept;
  do
  :: remaining > 0 ->
     input?arrived;
     if
     :: arrived > kept -> passed = kept; kept = arrived
     :: else -> passed = arrived
     fi;
     output!passed;
     remaining--
  :: else -> break
  od;
  result[position] = kept;
  assert(position == 0 || result[position - 1] == 0 || result[position - 1] >= kept);
  finished++
}

init {
  byte started, sent;
  bit used[N + 1];
  int number;
  atomic {
    do
    :: started < N -> run Stage(started); started++
    :: else -> break
    od
  }
  do
  :: sent < N ->
     select (number : 1 .. N);
     if
     :: !used[number] -> used[number] = 1; link[0]!number * 100; sent++
     :: else -> skip
     fi
  :: else -> break
  od;
  finished == N
}
