byte x;
#define small (x < 2)
active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }
ltl with_parentheses { [] (x < 4) }
ltl with_macro { [] <> small }
