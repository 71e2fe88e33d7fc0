c_decl { int history[3]; int at; }
c_track "history" "sizeof(history)"
c_track "&at" "sizeof(at)"
byte x;
active [2] proctype P() { do :: atomic { x < 2 -> x++ } :: atomic { x > 0 -> x-- } od }
never { do :: d_step { c_code { history[at] = now.x; at = (at + 1) % 3; }; assert(c_expr { history[0] + history[1] + history[2] < 7 }) } od }
