/* Model Driven Code Checking (Holzmann, Joshi, Groce 2008), Figure 1: a file system as a specification.
 *
 * Names are numbers; entry 0 is the root, and each other one lies in its parent.
 *
 *   assay verify 1_specification.pml
 *   assay verify 1_specification.pml -D BUG     # mkdir forgets to look at the parent
 */
#define N 4
mtype = { none, exists_already, no_parent };

bool exist[N];
byte parent[N];
mtype errno;

inline mkdir_spec(d) {
  if
  :: exist[d] -> errno = exists_already
  :: else ->
    if
#ifndef BUG
    :: !exist[parent[d]] -> errno = no_parent
#endif
    :: else -> exist[d] = true; errno = none
    fi
  fi
}

inline creat_spec(f) {
  if
  :: exist[f] -> errno = none
  :: !exist[f] && !exist[parent[f]] -> errno = no_parent
  :: !exist[f] && exist[parent[f]] -> exist[f] = true; errno = none
  fi
}

active proctype main() {
  byte d;
  atomic {
    exist[0] = true;
    parent[1] = 0; parent[2] = 1; parent[3] = 1
  }
  do
  :: d_step { errno = none; d = 0 }
     select (d : 1 .. 3);
     if
     :: atomic { mkdir_spec(d) }
     :: atomic { creat_spec(d) }
     fi;
     assert(!exist[d] || exist[parent[d]])
  od
}
