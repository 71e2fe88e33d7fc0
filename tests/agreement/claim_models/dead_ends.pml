/* The claim goes on where the system stops. */
byte x;
active proctype P() { x = 1; x == 7 }
active proctype Q() { x == 1 -> x = 2 }
ltl stays { <> [] (x == 2) }
ltl comes { <> (x == 3) }
ltl leaves { [] <> (x == 1) }
never stuck { do :: x < 2 :: x == 2 -> break od; accept: do :: x == 2 od }
never ends { do :: x < 2 :: x == 2 -> break od; x == 2 -> x == 2 }
