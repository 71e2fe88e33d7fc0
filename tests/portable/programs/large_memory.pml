/* Embedded C with more memory than a state holds: states have numbers of its content. */
c_decl {
  volatile unsigned char table[1 << 18];
  volatile unsigned next;
}

byte turn;

proctype writer(byte me) {
  byte i;
  for (i : 0 .. 2) {
    c_code { table[(next * 7919u) % sizeof table] = (unsigned char)(1 + Pwriter->me + 2 * Pwriter->i); ++next; now.turn = Pwriter->me; };
  }
}

init {
  run writer(0);
  run writer(1);
}
