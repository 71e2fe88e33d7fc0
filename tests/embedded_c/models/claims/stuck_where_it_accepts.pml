byte n; bool b;
active [2] proctype P() { do :: atomic { n < 3 -> n++; b = !b } :: atomic { n > 0 -> n-- } od }
never { accept_here: do :: atomic { n == 2 -> c_code { now.b = 0; } } :: atomic { n != 2 && !b -> skip } od }
