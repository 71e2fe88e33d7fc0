/* braces and quotes within C, comments, blocks, declarations within a step */
c_decl {
\#define OPEN '{'
char last; /* } */ const char *words = "} {"; // }
}
c_track "&last" "1"
byte n;
active proctype P() {
  c_code { int i; for (i = 0; i < 3; i++) { switch (words[i]) { case '}': last = OPEN; break; default: { char c = '}'; last = c; } } } now.n = i; };
  if :: c_expr { last == '}' } -> skip :: c_expr { last == '{' } -> n = 7 fi;
  assert(n == 3) }
