c_decl { struct slot { unsigned char used : 1, owner : 3; short amount; } slots[3]; }
c_track "slots" "sizeof(slots)"
inline take() { c_code { slots[Ptaker->k].used = 1; slots[Ptaker->k].owner = Ptaker->_pid; slots[Ptaker->k].amount += 2; } }
active [2] proctype taker() { byte k;
  do
  :: k < 3 && c_expr { !slots[Ptaker->k].used } -> take()
  :: k < 3 && c_expr { slots[Ptaker->k].used && slots[Ptaker->k].owner == Ptaker->_pid } ->
     c_code { slots[Ptaker->k].used = 0; slots[Ptaker->k].amount--; }; k++
  :: k == 3 -> break
  od }
