/* Only one channel of the array is watched, by whatever name it goes. */
mtype = { data, stop };
chan line[3] = [2] of { mtype, byte };
byte sum;

proctype node(chan inward, outward) {
  byte value;
  end: do
  :: inward?data,value -> outward!data,value + 1
  :: inward?stop,_ -> outward!stop(0); break
  od
}

init {
  byte value, position = 1;
  atomic { run node(line[0], line[1]); run node(line[1], line[2]) }
  line[0]!data,1; line[position - 1]!data,5; line[0]!stop,0;
  do
  :: line[2]?data,value -> sum = sum + value
  :: line[2]?stop,_ -> break
  od;
  end: (false)
}

trace {
  line[1]!data,2;
  do
  :: line[1]?data -> line[2]!data
  :: line[1]!data,6
  :: line[1]!stop -> break
  :: line[2]!_,_
  od;
  more: if
  :: line[1]?data,_ -> goto more
  :: line[2]!data -> goto more
  :: line[1]?stop
  fi;
  end: do
  :: line[2]!_
  od
}
