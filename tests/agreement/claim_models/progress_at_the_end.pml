byte x;
active proctype P() { progress: x = 1; x = 2; x == 3 }
active proctype Q() { x = 4 }
