/* uerror, preconditions and faults of a claim */
byte x;
c_decl { int z; }
active proctype P() { do :: x < 5 -> x++ :: else -> x = 0 od }
never { do :: x == 4 -> c_code [z == 1] { now.x = 3; } :: else od }
