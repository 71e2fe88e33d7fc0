/* One client: a second request before the answer never comes. */
mtype = { request, answer };
chan up = [2] of { mtype };
chan down = [1] of { mtype };

active proctype client() {
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
  up!request; down!answer; up!request; up!request
}
