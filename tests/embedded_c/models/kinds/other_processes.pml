/* C that looks at other processes, and at channels, as SPIN's verifier lets it */
chan q = [2] of { byte }; chan r = [3] of { byte };
byte seen;
active proctype A() { byte mine; do :: mine < 3 -> mine++; q!mine :: q?_ :: mine == 3 -> break od }
active proctype B() { int own;
  do
  :: c_expr { ((P0 *)pptr(0))->mine > 1 } -> c_code { PB->own = ((P0 *)pptr(0))->mine; now.seen = ((P1 *)pptr(1))->own; }
  :: c_expr { q_full(now.q) && q_len(now.r) < 3 } -> r!1
  :: c_expr { q_len(now.r) == 3 } -> break
  od;
  assert(seen == 0 || seen == 2 || seen == 3) }
