byte x;
active proctype main() { x = 1 }
never { do :: x = 2 od }
