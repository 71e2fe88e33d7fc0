// --untracked --expect verified
c_decl { struct node { struct node *next; int value; } *head; int count;
  void push(int v) { struct node *n = malloc(sizeof *n); n->value = v; n->next = head; head = n; count++; }
  int pop(void) { struct node *n = head; int v = n->value; head = n->next; free(n); count--; return v; } }
byte got;
active proctype P() {
  do
  :: c_expr { count < 3 } -> if :: c_code { push(1); } :: c_code { push(2); } fi
  :: c_expr { count > 0 } -> c_code { now.got = pop(); }; assert(got == 1 || got == 2); got = 0
  :: break
  od;
  do :: c_expr { count > 0 } -> c_code { pop(); } :: else -> break od; assert(c_expr { head == 0 }) }
