bool p;
active proctype main() { p = true }
ltl eventually { <> p }
