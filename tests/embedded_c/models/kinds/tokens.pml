// --untracked --expect violated
c_decl { char text[16]; }
byte n, m;
active proctype P() {
  c_code { strcpy(text, "a b c d"); strtok(text, " "); };
  if :: c_code { strtok(0, " "); } :: c_code { strtok(0, " "); strtok(0, " "); } fi;
  n = 1; c_code { now.m = strtok(0, " ")[0]; }; assert(m != 'd') }
