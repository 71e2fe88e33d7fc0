c_decl { int up(int v) { return (v + 1) % 5; } int down(int v) { return (v + 4) % 5; } int twice(int v) { return v * 2 % 5; }
  int (*step)(int) = up; int value; }
c_track "&step" "sizeof(step)"
c_track "&value" "sizeof(int)"
active proctype P() { do :: c_code { step = step == up ? down : step == down ? twice : up; } :: c_code { value = step(value); } od }
active proctype Q() { end: c_expr { value == 4 && step == twice } -> c_code { value = 0; } }
