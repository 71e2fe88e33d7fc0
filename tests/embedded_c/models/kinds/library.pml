c_decl { \#include <string.h>
 int a[5] = {4, 2, 5, 1, 3}; char text[8]; int smaller(const void *x, const void *y) { return *(int *)x - *(int *)y; } }
c_track "a" "sizeof(a)"
c_track "text" "sizeof(text)"
byte n;
active proctype P() {
  if :: c_code { qsort(a, 5, sizeof(int), smaller); } :: c_code { memmove(a + 1, a, 16); } :: c_code { a[2] = 9; } fi;
  c_code { snprintf(text, sizeof text, "%d-%d", a[0], a[4]); now.n = strlen(text); };
  if :: c_expr { strcmp(text, "1-5") == 0 } -> n = 10 :: else -> c_code { memset(text, 0, sizeof text); } fi;
  assert(n == 3 || n == 10) }
