active proctype q() { assert(false) }
active proctype p() { byte x, y; again: x = 1; y = 2; x = x + y; goto again }
