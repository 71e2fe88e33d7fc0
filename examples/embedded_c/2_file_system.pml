/* Figure 2: the same with the code of a real file system, checked against the specification.
 *
 *   assay verify 2_file_system.pml --c-source file_system.c
 *   assay verify 2_file_system.pml --c-source file_system.c --cflags -DBUG
 *
 * The entries of the file system are static variables of file_system.c. Nothing here tells that they are there.
 */
#define N 4

c_decl {
\#include "file_system.h"
  const char *path[N] = { "/", "/a", "/a/b", "/a/c" };
}

bool is_directory[N], is_file[N]; /* what the specification knows */
byte parent[N];
bool expected, got;

active proctype main() {
  byte n;
  d_step {
    is_directory[0] = true;
    parent[1] = 0; parent[2] = 1; parent[3] = 1;
    c_code { fs_init(); }
  }
  do
  :: select (n : 1 .. 3);
     if
     :: d_step {
          expected = !is_directory[n] && !is_file[n] && is_directory[parent[n]];
          c_code { now.got = fs_mkdir(path[Pmain->n]) == 0; }
          is_directory[n] = is_directory[n] || expected
        }
     :: d_step {
          expected = is_file[n] || (!is_directory[n] && is_directory[parent[n]]);
          c_code { now.got = fs_creat(path[Pmain->n]) == 0; }
          is_file[n] = is_file[n] || expected
        }
     fi;
     assert(got == expected);
     assert(c_expr { fs_exists(path[Pmain->n]) } == (is_directory[n] || is_file[n]))
  od
}
