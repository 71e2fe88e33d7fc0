/* A sliding window with selective repeat over channels that lose and deliver late. With SPACE numbers the window
 * may have SPACE / 2 of them; here it has one more, and an old frame is taken for a new one. The assertion sees it
 * only after certain losses.
 */
#ifndef SPACE
#define SPACE 7
#endif
#ifndef WINDOW
#define WINDOW 4
#endif
#ifndef FRAMES
#define FRAMES 20
#endif
#define CAPACITY 4

chan data = [CAPACITY] of { byte, byte };  /* number on the wire, and which frame it really is */
chan acks = [CAPACITY] of { byte };
byte base, expected;
bool got[SPACE];
bool acked[SPACE];
byte lost, late;  /* on the way, and on the way back */

active proctype Sender() {
  byte n;
  do
  :: atomic { base < FRAMES && len(data) < CAPACITY ->
       n = 0;
       do
       :: n + 1 < WINDOW && base + n + 1 < FRAMES -> n++
       :: break
       od;
       if
       :: !acked[(base + n) % SPACE] -> data!((base + n) % SPACE), (base + n)
       :: else -> skip
       fi;
       n = 0 }
  :: atomic { acks?n ->
       if
       :: ((n + SPACE - base % SPACE) % SPACE) < WINDOW -> acked[n] = true
       :: else -> skip
       fi;
       n = 0 }
  :: atomic { acked[base % SPACE] -> acked[base % SPACE] = false; base++ }
  :: base == FRAMES -> break
  od
}

active proctype Receiver() {
  byte n, frame;
end:
  do
  :: atomic { len(acks) < CAPACITY && data?[n, frame] -> data?n, frame;
       if
       :: ((n + SPACE - expected % SPACE) % SPACE) < WINDOW ->
          assert(frame >= expected || lost != 9 || late != 6 || expected % 7 != 5);  /* seen only then */
          got[n] = true
       :: else -> skip
       fi;
       acks!n; n = 0; frame = 0 }
  :: atomic { got[expected % SPACE] -> got[expected % SPACE] = false; expected++ }
  od
}

active proctype Noise() {
end:
  do
  :: atomic { lost < 12 && data?[_, _] -> data?_, _; lost++ }
  :: atomic { late < 12 && acks?[_] -> acks?_; late++ }
  od
}
