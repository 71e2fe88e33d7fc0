/* The red-black tree of the BSD systems (Debian: libbsd-dev) against its own rules: sorted, no red child of a red
 * node, as many black nodes on every path. */
#define KEYS 5

c_decl {
\#include <bsd/sys/tree.h>
  struct node {
    RB_ENTRY(node) entry;
    int key;
  };
  struct node nodes[KEYS];
  RB_HEAD(tree, node) root;
  int compare(struct node *a, struct node *b) { return a->key - b->key; }
  RB_GENERATE(tree, node, entry, compare)
  void insert(int key) {
    nodes[key].key = key;
    RB_INSERT(tree, &root, &nodes[key]);
  }
  void delete(int key) {
    RB_REMOVE(tree, &root, &nodes[key]);
    memset(&nodes[key], 0, sizeof nodes[key]);
#ifdef BUG
    if (RB_ROOT(&root) && RB_LEFT(RB_ROOT(&root), entry)) /* as if somebody had forgotten to colour again */
      RB_COLOR(RB_LEFT(RB_ROOT(&root), entry), entry) = RB_COLOR(RB_ROOT(&root), entry) = RB_RED;
#endif
  }
  int blacks(struct node *at) { /* on every path from here; -1: something is wrong */
    if (!at) return 1;
    struct node *left = RB_LEFT(at, entry), *right = RB_RIGHT(at, entry);
    if (RB_COLOR(at, entry) == RB_RED)
      if ((left && RB_COLOR(left, entry) == RB_RED) || (right && RB_COLOR(right, entry) == RB_RED)) return -1;
    if ((left && left->key >= at->key) || (right && right->key <= at->key)) return -1;
    int count = blacks(left);
    if (count < 0 || count != blacks(right)) return -1;
    return count + (RB_COLOR(at, entry) == RB_BLACK);
  }
  int is_well(void) { return blacks(RB_ROOT(&root)) > 0; }
}

bool inside[KEYS];

active proctype driver() {
  byte k;
  do
  :: select (k : 0 .. KEYS - 1);
     if
     :: !inside[k] -> atomic { c_code { insert(Pdriver->k); }; inside[k] = true }
     :: inside[k] -> atomic { c_code { delete(Pdriver->k); }; inside[k] = false }
     fi;
     assert(c_expr { is_well() })
  od
}
