/* doubles, unions, wide and narrow integers */
c_decl { double d = 0.5; float f; union { unsigned u; float f; unsigned char b[4]; } w; long long big = 1; }
c_track "&d" "sizeof(d)"
c_track "&f" "sizeof(f)"
c_track "&w" "sizeof(w)"
c_track "&big" "sizeof(big)"
byte b; short s; unsigned u : 3; bit t;
active proctype P() {
  do
  :: c_expr { d < 3 } -> c_code { d = d * 1.5; f = d; }
  :: c_expr { big < (1LL << 40) } -> c_code { big *= 1024; w.f = big; now.b += 100; now.s -= 20000; now.u++; now.t++; }
  :: else -> break
  od;
  assert(c_expr { w.b[3] != 0 && now.b < 256 && now.u < 8 && now.s < 32768 }) }
