byte g;
active proctype a() { byte i = 5; byte list[2]; g = 1; list[i] = 3; assert(list[0] == 0) }
active proctype b() { g == 1 -> assert(false) }
