byte x, n;
active proctype P() { do :: x = (x + 1) % 7 od }
never { T: do :: x == 3 -> c_code { now.n = (now.n + 1) % 4; } :: n == 2 -> goto accept :: else od;
accept: do :: n == 2 :: x==6 -> goto T od }
