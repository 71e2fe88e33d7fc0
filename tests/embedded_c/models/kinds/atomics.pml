/* an atomic sequence that blocks inside, at C */
c_decl { int tokens = 1; }
c_track "&tokens" "sizeof(int)"
byte in;
active [3] proctype P() { atomic { c_expr { tokens > 0 } -> c_code { tokens--; }; in++; c_expr { tokens == 0 } }; assert(in == 1);
  atomic { in--; c_code { tokens++; } } }
