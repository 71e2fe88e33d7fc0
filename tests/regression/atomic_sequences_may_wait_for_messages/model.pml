chan q = [1] of { byte };
byte g;
active proctype a() { byte y; atomic { g = 1; q?y; g = 0 } }
active proctype c() { g == 1 -> assert(false) }
active proctype b() { q!1 }
