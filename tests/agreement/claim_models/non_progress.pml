byte x;
active proctype P() { do :: x = 1; x = 0 :: x = 1 -> progress: x = 0 od }
never by_hand { do :: skip :: np_ -> break od; accept: do :: np_ od }
never at_dead_ends { do :: np_ :: else -> break od; x == 0 }
