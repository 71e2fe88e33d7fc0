/* Customers put orders on a counter, workers fill them. */
#ifndef LIMIT
#define LIMIT 6
#endif
byte waiting, working, done, stock = LIMIT;
active [2] proctype customer() {
  byte orders;
  do
  :: orders < LIMIT -> atomic { waiting < LIMIT -> waiting++; orders++ }
  :: atomic { done > 0 -> done-- }
  od
}
active [2] proctype worker() {
  do
  :: atomic { waiting > 0 && stock > 0 -> waiting--; working++; stock-- };
     atomic { working--; done = (done + 1) % LIMIT }
  :: stock < LIMIT -> stock++
  od
}
