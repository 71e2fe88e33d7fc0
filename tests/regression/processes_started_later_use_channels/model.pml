chan q = [3] of { byte };
proctype a() { q!1 }
proctype b() { q!2 }
active proctype c() { byte x; q?x; assert(x == 1) }
init { run a(); run b() }
