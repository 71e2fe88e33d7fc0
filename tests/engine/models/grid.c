/* A point that walks through a grid: DIMENSIONS counters from 0 to SIDE - 1.
 *
 * The number of states is SIDE to the power of DIMENSIONS and every counter
 * stands in a word of its own, scrambled to a large value by a bijection, with
 * PADDING constant words behind it. GROW: the state has only as many words as
 * there are counters that ever left 0, so lengths vary. CHECK: properties that
 * fail at known places. SLOW: iterations wasted per state. */
#include "model_abi.h"

#include <string.h>

#ifndef DIMENSIONS
#define DIMENSIONS 2
#endif
#ifndef SIDE
#define SIDE 10
#endif
#ifndef PADDING
#define PADDING 0
#endif
#ifndef GROW
#define GROW 0
#endif
#ifndef CHECK
#define CHECK 0
#endif
#ifndef SLOW
#define SLOW 0
#endif
#define PER_COUNTER (1 + PADDING)
#define WORDS (DIMENSIONS * PER_COUNTER)
#define FACTOR 0x9E3779B97F4A7C15ull /* odd, so multiplication is a bijection; 0 stays 0 */

static uint64_t inverse(void) {
  uint64_t x = FACTOR;
  for (int i = 0; i < 6; i++) x *= 2 - FACTOR * x;
  return x;
}

static uint32_t decode(const uint64_t *words, uint32_t count, uint64_t *counters) {
  for (uint32_t i = 0; i < DIMENSIONS; i++) {
    counters[i] = i * PER_COUNTER < count ? words[i * PER_COUNTER] * inverse() : 0;
  }
  return count / PER_COUNTER;
}

static uint32_t initial(uint64_t *words, uint32_t *violation) {
  *violation = 0;
  if (GROW) return 0;
  memset(words, 0, WORDS * 8);
  for (int i = 0; i < WORDS; i++) words[i] = i % PER_COUNTER ? (uint64_t)i : 0;
  return WORDS;
}

static void successors(const uint64_t *words, uint32_t count, assay_buffer *out) {
  uint64_t counters[DIMENSIONS];
  uint32_t present = decode(words, count, counters);
  for (volatile long i = 0; i < SLOW; i++) continue;
  for (uint32_t i = 0; i < DIMENSIONS && i <= present; i++) {
    for (int step = -1; step <= 1; step += 2) {
      if (counters[i] + (uint64_t)step >= SIDE) continue; /* below 0 wraps to a large value */
      if (GROW && i == present && step < 0) continue;
      uint32_t length = i == present ? count + PER_COUNTER : count;
      if (out->words_used + length > out->words_capacity || out->count == out->capacity) out->grow(out, length, 1);
      uint64_t *next = out->words + out->words_used;
      memcpy(next, words, count * 8);
      for (uint32_t k = count; k < length; k++) next[k] = k;
      next[i * PER_COUNTER] = (counters[i] + (uint64_t)step) * FACTOR;
      out->successors[out->count++] = (assay_successor){out->words_used, length, 0, 1, ASSAY_NO_PROCESS};
      out->words_used += length;
    }
  }
}

static uint32_t is_valid_end(const uint64_t *words, uint32_t count) {
  (void)words, (void)count;
  return 1;
}

#if CHECK
/* 1: the first counter is 3 and the second 4; 2: the first goes from 5 to 6. */
static uint32_t check_state(const uint64_t *words, uint32_t count) {
  uint64_t counters[DIMENSIONS];
  decode(words, count, counters);
  return counters[0] == 3 && counters[1] == 4 ? 1 : 0;
}

static uint32_t check_step(const uint64_t *before, uint32_t before_count, const uint64_t *after,
                           uint32_t after_count) {
  uint64_t from[DIMENSIONS], to[DIMENSIONS];
  decode(before, before_count, from);
  decode(after, after_count, to);
  return from[0] == 5 && to[0] == 6 ? 2 : 0;
}
#define CHECK_STATE check_state
#define CHECK_STEP check_step
#else
#define CHECK_STATE NULL
#define CHECK_STEP NULL
#endif

static const assay_model model = {.abi = ASSAY_MODEL_ABI,
                                  .max_words = WORDS,
                                  .initial = initial,
                                  .successors = successors,
                                  .is_valid_end = is_valid_end,
                                  .check_state = CHECK_STATE,
                                  .check_step = CHECK_STEP};
const assay_model *assay_model_entry(void) { return &model; }
