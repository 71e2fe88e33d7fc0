/* Atomic sequences and d_steps pass several events in one step. */
chan q = [3] of { byte };
chan r = [0] of { byte };

active proctype stays() { end: (false) }

active proctype worker() {
  byte x;
  atomic { q!1; q!2; q?x; r!x };
  d_step { q!3; q?x; q?x };
  d_step { r?x; q!x; q!x + 1 };
}

active proctype other() {
  byte x;
  r?x;
  if :: r!7 :: r!8 fi
}

trace {
  q!1; q!2; q?1; r!1; r?1; q!3; q?2; q?3; r!_;
  if
  :: r?7; q!7; q!8
  :: r?8; q!8; q!9
  fi
}
