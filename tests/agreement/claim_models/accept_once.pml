byte x;
active proctype P() { accept: x = 1; do :: x = 2 :: x = 3 od }
