byte x;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { progress: do :: x < 2 -> skip od }
