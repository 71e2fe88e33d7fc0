/* Figures 7 and 8: concrete values are followed, their sum decides what counts as seen.
 *
 *   assay verify 8_abstraction.pml                 # incomplete: states with one sum were taken for one
 *   assay verify 8_abstraction.pml -D BUG          # found all the same: every run is a real one
 *   assay verify 8_abstraction.pml -D EXACT        # all pairs of values
 */
#define MOST 20

c_decl {
  int x, y; /* the application's */
  int sum;  /* what counts */
  void compute(int *a, int *b, int which) {
    if (which) (*a)++; else (*b)++;
  }
  void abstract_xy(int v1, int v2, int *abs) { *abs = v1 + v2; }
}

#ifndef EXACT
c_track "&x" "sizeof(int)" "UnMatched"; /* restored, not compared */
c_track "&y" "sizeof(int)" "UnMatched";
#endif
c_track "&sum" "sizeof(int)" "Matched";

active proctype main() {
  do
  :: c_expr { sum < MOST } ->
     if
     :: c_code { compute(&x, &y, 1); abstract_xy(x, y, &sum); }
     :: c_code { compute(&x, &y, 0); abstract_xy(x, y, &sum); }
     fi;
#ifdef BUG
     assert(c_expr { sum != 13 })
#endif
  :: c_expr { sum == MOST } -> break
  od
}
