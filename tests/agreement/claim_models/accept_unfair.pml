byte x;
active proctype P() { accept: do :: x != 2 od }
active proctype Q() { x = 2 }
