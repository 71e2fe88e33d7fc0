chan r = [1] of { byte };
byte g;
active proctype a() { byte y; { g = 1; g = 2 } unless { r?y } }
active proctype b() { r!1 }
active proctype c() { g == 1 -> assert(false) }
