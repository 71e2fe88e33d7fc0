/* goto, else, atomic, d_step, assert and the end of a claim. */
byte x;
active proctype P() { do :: x = (x + 1) % 4 od }
never with_goto {
  do
  :: x == 1 -> goto accept_here
  :: else
  od;
accept_here:
  if
  :: x == 2 -> goto second
  :: x == 1 -> goto accept_here
  fi;
second:
  do :: x != 2 :: x == 2 -> goto accept_here od
}
never with_end { do :: x == 3 -> break :: else od }
never without_end { do :: x == 5 -> break :: else od }
never in_one_state { do :: atomic { x == 2 -> x == 3 -> break } :: skip od }
never of_one_state { do :: atomic { x > 1 -> x < 3 }; goto found :: skip od; found: x == 3 -> x == 0 }
never asserts { do :: skip :: x == 3 -> assert(x == 0) od }
never asserts_wrongly { do :: skip :: x == 3 -> assert(x == 1) od }
never asserts_at_once { do :: atomic { x == 3 -> assert(x == 3) } :: else od }
never two_labels {
first:
accept_also:
  do :: x < 3 :: x == 3 od
}
never end_label { do :: x == 2 -> break :: else od; end_here: do :: skip od }
never else_only { if :: x == 1 :: else -> skip fi; do :: skip od }
never step_by_step { x == 0; x == 1; x == 2; x == 3 }
never too_slow { x == 0; x == 0; x == 1 }
never d_steps { do :: d_step { x == 2; x > 1 } -> break :: else od; x == 3; x == 1 }
