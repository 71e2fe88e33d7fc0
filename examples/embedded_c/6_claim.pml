/* Figure 6: the integrity check in a never claim, apart from the model.
 *
 *   assay verify 6_claim.pml --c-source tree.c
 *   assay verify 6_claim.pml --c-source tree.c --cflags -DBUG
 *   assay verify 6_claim.pml --c-source tree.c --safety --invariant 'c_expr { check_tree() }'
 */
c_decl {
\#include "tree.h"
}

active proctype main() {
  byte val;
  c_code { setup(); };
  do
  :: c_expr { pos < LARGEST } ->
     if
     :: val = 1
     :: val = 2
     :: val = 3
     fi;
     c_code { insert_el(Pmain->val); }
  :: c_expr { pos > 0 } ->
     c_code { extract_max(); }
  od
}

never {
  do
  :: assert(c_expr { check_tree() })
  od
}
