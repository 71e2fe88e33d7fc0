c_decl { int alarm_on; }
c_track "&alarm_on" "sizeof(int)"
byte x;
active proctype P() {
  { do :: x < 4 -> x++ :: x == 4 -> x = 0 od } unless { c_expr { alarm_on == 2 } -> c_code { alarm_on = 0; } };
  x = 9 }
active proctype Q() provided (c_expr { now.x % 2 == 0 }) { c_code { alarm_on = 1; }; c_code { alarm_on = 2; } }
