/* _last, _nr_pr, enabled() and remote variables, as a claim sees them. */
byte x;
active proctype P() { byte mine; do :: mine < 2 -> mine++ :: mine == 2 -> mine = 0; x = 1 od }
active proctype Q() { x == 1; x = 2 }
never last { do :: _last == 0 :: _last == 1 -> break od; do :: _last == 0 od }
never processes { do :: _nr_pr == 3 :: else -> break od; accept: do :: _nr_pr == 2 od }
never remote { do :: P:mine < 2 :: P:mine == 2 -> break od; x == 0 -> x == 1 -> x == 2 }
never who { do :: enabled(0) || enabled(1) :: else -> break od }
never waits { do :: enabled(1) -> break :: else od; accept: do :: enabled(1) od }
