/* Replicated workers: they take items from a common pool, a whole item may fall into parts that
 * go back there, and the work is done when the pool is empty and nobody works.
 */
#ifndef WORKERS
#define WORKERS 4
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef PARTS
#define PARTS 2
#endif
#ifndef EFFORT
#define EFFORT 2    /* steps that an item takes */
#endif

byte whole = ITEMS, parts;          /* the pool */
byte busy;                          /* workers that have an item */
byte expected = ITEMS, results;
bit pool_locked, results_locked, done;
short sleeping;                     /* one bit for each worker in wait() */

inline lock(what) {
  atomic { what == 0 -> what = 1 }
}

inline wait_for_work() {
  atomic { sleeping = sleeping | (1 << _pid); pool_locked = 0 }
  atomic { !(sleeping & (1 << _pid)) && pool_locked == 0 -> pool_locked = 1 }
}

active [WORKERS] proctype Worker() {
  bit splits;
  byte step;
  do
  :: lock(pool_locked);
     do
     :: whole + parts == 0 && busy > 0 -> wait_for_work()
     :: else -> break
     od;
     if
     :: whole > 0 ->
        d_step { whole--; busy++ }
        if
        :: splits = 1
        :: skip
        fi
     :: whole == 0 && parts > 0 ->
        d_step { parts--; busy++ }
     :: else ->
        assert(results == expected);
        done = 1;
        pool_locked = 0;
        break
     fi;
     assert(!done);
     pool_locked = 0;
     do
     :: step < EFFORT -> step++
     :: else -> step = 0; break
     od;
     lock(results_locked);
     results++;
     results_locked = 0;
     lock(pool_locked);
     if
     :: splits ->
        d_step { splits = 0; parts = parts + PARTS; expected = expected + PARTS }
     :: else -> skip
     fi;
     busy--;
     sleeping = 0;
     pool_locked = 0
  od
}
