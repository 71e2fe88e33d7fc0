chan q = [0] of { byte }; byte got; bool open;
active proctype S() { byte i; do :: i < 3 -> q!i; i++ :: else -> break od }
active proctype R() { byte v; do :: open -> q?v; got = v od }
c_code { int wish(void) { return now.got < 2; } }
never { do :: c_expr { wish() } -> c_code { now.open = !now.open; } :: !c_expr { wish() } -> goto accept_end od; accept_end: do :: got == 2 od }
