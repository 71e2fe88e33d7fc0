// --c-source ring.c --c-source sum.c --cflags=-DROOM=3
c_decl {
\#include "ring.h"
}
c_track "&ring" "sizeof(ring)"
c_track "&sum" "sizeof(int)"
byte v;
active proctype P() { do :: c_expr { !ring_full() } -> if :: v = 1 :: v = 2 fi; c_code { ring_put(now.v); } od }
active proctype C() { do :: c_expr { !ring_empty() } -> c_code { add(ring_get()); }; assert(c_expr { sum < 7 }) od }
