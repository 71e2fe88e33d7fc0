/* the claim wakes a system that is stuck */
byte x; bool go;
active proctype P() { go -> x++; x++ }
never { s0: do :: x == 0 :: x == 0 -> c_code { now.go = 1; }; goto s1 od; s1: do :: x < 2 :: x == 2 -> goto accept_all od; accept_all: do :: true od }
