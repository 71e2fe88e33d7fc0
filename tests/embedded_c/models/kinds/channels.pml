typedef pair { byte a; short b }
c_decl { int sum; }
c_track "&sum" "sizeof(int)"
chan q = [2] of { byte, short }; chan r = [0] of { mtype, byte }; mtype = { ask, tell }; pair p;
active proctype S() { byte i; do :: i < 3 -> c_code { now.p.a = PS->i * 2; now.p.b = -PS->i; }; q!p.a,p.b; i++ :: else -> break od; r!tell,7 }
active proctype R() { byte x; short y; do :: q?x,y -> c_code { sum += PR->x + PR->y; } :: r?tell,x -> break od; assert(c_expr { sum <= 3 }) }
