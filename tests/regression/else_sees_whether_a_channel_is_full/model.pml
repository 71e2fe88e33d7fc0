chan q = [1] of { byte };
active proctype a() { q!1; if :: q!2 :: else -> assert(false) fi }
active proctype b() { byte x; q?x }
