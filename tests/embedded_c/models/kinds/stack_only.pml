/* data that is neither matched nor restored by the search's comparison */
c_decl { int scratch; int kept; }
c_track "&kept" "sizeof(int)"
c_track "&scratch" "sizeof(int)" "StackOnly"
active [2] proctype P() { byte i;
  do :: i < 3 -> c_code { scratch = PP->i; kept = (kept + scratch) % 5; }; i++ :: else -> break od }
