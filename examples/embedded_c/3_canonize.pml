/* Figure 3: a function that simplifies paths, tried with every path of up to six characters.
 *
 *   assay verify 3_canonize.pml --c-source canonize.c
 *   assay verify 3_canonize.pml --c-source canonize.c --cflags -DBUG
 */
#define LONGEST 6

c_decl {
\#include "canonize.h"
  char D[LONGEST + 3];
}

byte S[LONGEST + 1];

inline pick(i) {
  if
  :: S[i] = 'a'
  :: S[i] = '/'
  :: S[i] = '.'
  fi
}

active proctype main() {
  int i;
  do
  :: i < LONGEST -> pick(i); i++
  :: S[i] = 0; break /* allow for short paths as well */
  od;
  c_code { canonize(D, (char *)now.S); };
  assert(c_expr { is_canonical(D) })
}
