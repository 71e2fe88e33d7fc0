c_decl { int a[4]; }
c_track "a" "sizeof(a)"
byte done;
active [2] proctype P() { byte i; int swapped;
  do
  :: i < 3 -> d_step { c_code { PP->swapped = a[PP->i]; a[PP->i] = a[PP->i + 1] + 1; a[PP->i + 1] = PP->swapped; }; i++; swapped = 0 }
  :: else -> break
  od;
  atomic { done++; if :: done == 2 -> assert(c_expr { a[0] + a[1] + a[2] + a[3] <= 6 }) :: else fi } }
