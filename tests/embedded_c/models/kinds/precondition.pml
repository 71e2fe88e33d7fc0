c_decl { int *p; int there; }
c_track "&p" "sizeof(p)"
c_track "&there" "sizeof(int)"
byte n;
active proctype P() { do :: n < 3 -> n++; c_code [p != 0] { *p = 1; } :: c_code { p = &there; } :: n == 3 -> break od }
