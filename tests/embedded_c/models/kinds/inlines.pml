c_decl { int log_of[2]; int note(int who, int what) { log_of[who] = log_of[who] * 3 + what; return log_of[who] % 7; } }
c_track "log_of" "sizeof(log_of)"
byte r;
inline noted(what) { c_code { now.r = note(PP->_pid, Pwhat(PP->i)); } }
c_decl {
\#define Pwhat(x) (1 + (x) % 2)
}
active [2] proctype P() { byte i; for (i : 0 .. 2) { noted(1) } }
