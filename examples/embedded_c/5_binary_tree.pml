/* Figures 4 and 5: a binary tree in C, and every way to fill and empty it.
 *
 *   assay verify 5_binary_tree.pml --c-source tree.c
 *   assay verify 5_binary_tree.pml --c-source tree.c --cflags -DBUG
 *
 * The c_track lines are what SPIN needs. Here they are only used with --tracking declared; leave one away and
 * --audit-tracking says which.
 */
c_decl {
\#include "tree.h"
}

c_track "&pos" "sizeof(int)";
#ifndef FORGOTTEN
c_track "B" "sizeof(int) * LARGEST";
#endif

#define VALUES 3

inline pick(v, low, high) {
  atomic {
    v = low;
    do
    :: v < high -> v++
    :: break /* any value in the range */
    od
  }
}

active proctype main() {
  int val;
  c_code { setup(); };
  do
  :: if
     :: c_expr { pos < LARGEST } -> /* not full */
        pick(val, 1, VALUES);
        c_code { insert_el(Pmain->val); }
     :: c_expr { pos > 0 } -> /* not empty */
        c_code { int v = extract_max(); }
     fi;
     assert(c_expr { check_tree() })
  od
}
