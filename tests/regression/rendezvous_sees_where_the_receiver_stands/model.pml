chan meet = [0] of { byte };
byte g;
active proctype p() { byte x, y; g = 1; y = 3; y = y + 1; meet?x }
active proctype q() { g == 1 -> if :: meet!0 :: else -> assert(false) fi }
