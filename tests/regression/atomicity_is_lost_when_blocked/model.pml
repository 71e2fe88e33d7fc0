byte x, y;
active proctype p() { atomic { x = 1; y == 1; x = 2 } }
active proctype q() { x == 1; y = 1; x = 3 }
