/* SPIN stops at the second event that matches. */
chan q = [2] of { byte };
active proctype main() { q!1; q!2; end: (false) }
trace { q!1; if :: q!2 :: q!_ fi }
