int x = 1;
active proctype p() { x = 0; x = 1 / x }
