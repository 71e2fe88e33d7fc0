/* Is it impossible that two requests come before an answer? */
mtype = { request, answer };
chan up = [2] of { mtype };
chan down = [1] of { mtype };

active [2] proctype client() {
  do
  :: up!request; down?answer
  od
}

active proctype server() {
  end: do
  :: up?request; down!answer
  od
}

notrace {
  do
  :: up!request; if :: down!answer :: up!request -> break fi
  od
}
