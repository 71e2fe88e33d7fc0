// --untracked --expect verified
/* a value that SPIN keeps beside the state */
c_state "int best" "Hidden" "100"
int cost;
active proctype P() { byte i; do :: i < 3 -> i++; if :: cost = cost + 3 :: cost = cost + 4 fi :: else -> break od;
  c_code { if (now.cost < best) best = now.cost; }; assert(c_expr { best == now.cost }) }
