/* a variable of C for each process */
c_decl { typedef struct { short left; char name[3]; } card; }
c_state "card c" "Local worker"
c_state "int total" "Global" "10"
byte turns;
active [2] proctype worker() {
  c_code { Pworker->c.left = 2 + Pworker->_pid; Pworker->c.name[1] = 'w'; };
  do
  :: c_expr { Pworker->c.left > 0 } -> atomic { c_code { Pworker->c.left--; now.total--; }; turns++ }
  :: else -> break
  od;
  assert(turns <= 5 && c_expr { now.total + now.turns == 10 })
}
