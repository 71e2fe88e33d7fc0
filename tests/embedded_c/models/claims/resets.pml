byte x;
c_decl { int k; }
c_track "&k" "sizeof(int)"
active proctype P() { do :: x = (x + 1) % 7 od }
never { do :: x == 3 -> c_code { now.x = 0; k = 1; } :: x == 5 -> break :: else od }
