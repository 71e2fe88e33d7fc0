/* Two processes that change one byte after the other of a large memory of C. */
c_decl {
  static unsigned char data[SIZE];
  int a, b;
}
c_track "data" "SIZE"
c_track "&a" "sizeof(int)"
c_track "&b" "sizeof(int)"

active proctype P() {
  c_code { int i; for (i = 0; i < SIZE; i++) data[i] = i * 7; };
  do
  :: c_expr { a < STEPS } -> c_code { data[(a * 97) % SIZE] ^= a + 1; a++; }
  :: else -> break
  od
}

active proctype Q() {
  do
  :: c_expr { b < STEPS } -> c_code { data[(SIZE / 2 + b * 61) % SIZE] += 1; b++; }
  :: else -> break
  od
}
