// --untracked --expect violated
c_decl { int next(int again) { static int calls; if (again) calls = 0; return ++calls; } }
byte n, m;
active proctype P() { if :: c_code { next(0); } :: c_code { next(0); next(0); } fi; n = 1; c_code { now.m = next(0); }; assert(m != 3) }
