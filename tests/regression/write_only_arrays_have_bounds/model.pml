active proctype a() { byte i = 5; byte list[2]; list[i] = 1 }
