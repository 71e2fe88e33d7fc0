/* The hash table of uthash (Debian: uthash-dev) against an array of bits: whatever is added and deleted, in whatever
 * order, is found or not found as it should be. */
#define KEYS 4

c_decl {
\#include <uthash.h>
  struct item {
    int key, value;
    UT_hash_handle hh;
  };
  struct item *table;
  void add(int key) {
    struct item *item;
    HASH_FIND_INT(table, &key, item);
    if (item) {
      item->value++;
      return;
    }
    item = malloc(sizeof *item);
    item->key = key;
    item->value = 1;
    HASH_ADD_INT(table, key, item);
  }
  void delete(int key) {
    struct item *item;
    HASH_FIND_INT(table, &key, item);
    if (!item) return;
    HASH_DEL(table, item);
    free(item);
#ifdef LOSES
    if (table && key == 2) HASH_DEL(table, table); /* one too many */
#endif
#ifdef AFTER_FREE
    if (table && item->key == 2) table->value++;
#endif
  }
  int has(int key) {
    struct item *item;
    HASH_FIND_INT(table, &key, item);
    return item != 0;
  }
  int count(void) { return HASH_COUNT(table); }
}

bool expected[KEYS];
byte number;

active proctype driver() {
  byte k;
  do
  :: d_step { k = 0 }
     select (k : 0 .. KEYS - 1);
     if
     :: !expected[k] -> atomic { c_code { add(Pdriver->k); }; expected[k] = true; number++ }
     :: expected[k] -> atomic { c_code { delete(Pdriver->k); }; expected[k] = false; number-- }
     fi;
     assert(c_expr { count() } == number);
     assert(c_expr { has(0) } == expected[0] && c_expr { has(1) } == expected[1]);
     assert(c_expr { has(2) } == expected[2] && c_expr { has(3) } == expected[3])
  od
}
