c_decl { int level; }
c_track "&level" "sizeof(int)"
active proctype P() { do :: c_expr { level < 3 } -> c_code { level++; } :: c_expr { level > 0 } -> c_code { level = 0; } od }
ltl reached { [] (c_expr { level == 3 } -> <> c_expr { level == 0 }) }
