c_decl { int turns; }
c_track "&turns" "sizeof(int)"
byte x; bool stop;
active proctype P() { do :: !stop -> x = (x + 1) % 3 :: stop -> break od }
active proctype Q() { do :: x == 2 -> skip :: stop -> break od }
never { more: do :: x == 2 -> c_code { if (turns < 3) turns++; } :: c_expr { turns == 3 } -> c_code { now.stop = 1; }; goto accept_rest :: x != 2 od;
 accept_rest: do :: true od }
