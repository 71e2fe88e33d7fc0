byte b; bit t; short s; unsigned u : 3;
active proctype p() { b = 255; b++; assert(b == 0); t = 3; assert(t == 1); s = 40000; assert(s == -25536); u = 9; assert(u == 1) }
