byte n;
active proctype P() { do :: n < 3 -> c_code { if (now.n == 1) uerror("one"); now.n++; } :: else -> break od }
