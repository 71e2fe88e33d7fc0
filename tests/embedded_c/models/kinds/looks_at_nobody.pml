// --untracked --expect violated
active proctype A() { byte x; c_code { PA->x = ((P0 *)pptr(1))->x; } }
