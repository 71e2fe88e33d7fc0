/* what is restored and not compared; x + y is */
c_decl { unsigned char x, y, sum; }
c_track "&x" "1" "UnMatched"
c_track "&y" "1" "UnMatched"
c_track "&sum" "1"
active proctype P() {
  do
  :: c_expr { x < 6 } -> c_code { x++; sum = x + y; }
  :: c_expr { y < 6 } -> c_code { y++; sum = x + y; }
  :: c_expr { sum == 12 } -> break
  od;
  assert(c_expr { x == 6 && y == 6 })
}
