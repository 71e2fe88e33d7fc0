/* Somebody moves for ever; does everybody? */
bool a, b;
byte turns;
active proctype Idle() { do :: turns = 1 - turns od }
active proctype Once() { a = true }
active proctype Blocked() { (turns == 2) -> b = true }
active proctype Sometimes() { do :: (turns == 1) -> b = !b; b = false od }
ltl once { <> a }
ltl never_enabled { <> b }
ltl again { [] <> (turns == 1) }
ltl stays { [] <> !b }
