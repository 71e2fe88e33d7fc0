/* Every operator, some that hold and some that do not. */
byte x;
bool ready;
active proctype Counter() {
  do
  :: x < 3 -> x++
  :: x == 3 -> x = 0; ready = true
  od
}
ltl always_holds { [] (x < 4) }
ltl always_fails { [] (x < 3) }
ltl eventually_holds { <> (x == 3) }
ltl eventually_fails { <> (x == 5) }
ltl until_holds { (x < 3) U (x == 3) }
ltl until_fails { (x < 2) U (x == 3) }
ltl release_holds { (x == 5) V (x < 4) }
ltl weak_holds { (x < 4) W (x == 7) }
ltl response_holds { [] ((x == 1) -> <> (x == 2)) }
ltl response_fails { [] ((x == 1) -> <> (x == 7)) }
ltl recurrence { [] <> (x == 0) }
ltl persistence_holds { <> [] ready }
ltl persistence_fails { <> [] (x == 0) }
ltl equivalence { [] ((x == 0) <-> !(x > 0)) }
ltl words { always ((x == 3) implies eventually (x == 0)) }
