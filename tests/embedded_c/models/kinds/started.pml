/* processes that come and go, each with C of its own */
c_decl { int alive, most; }
c_track "&alive" "sizeof(int)"
c_track "&most" "sizeof(int)"
proctype child(byte id) { int mine; c_code { alive++; if (alive > most) most = alive; Pchild->mine = Pchild->id * 2; };
  assert(mine == 2 * id); c_code { alive--; } }
init { byte i; do :: i < 4 -> _nr_pr < 4; run child(i); i++ :: else -> break od; _nr_pr == 1;
  assert(c_expr { alive == 0 && most <= 3 && now._nr_pr == 1 }) }
