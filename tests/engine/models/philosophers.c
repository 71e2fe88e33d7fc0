/* Dining philosophers who think, take two forks, eat and put them back.
 *
 * N philosophers; STRIDE bytes between variables (a larger one makes the same
 * graph with wider states); GREEDY: all take the left fork first, which
 * deadlocks, otherwise the last one is left-handed. */
#include "model_abi.h"

#include <string.h>

#ifndef N
#define N 5
#endif
#ifndef STRIDE
#define STRIDE 1
#endif
#ifndef GREEDY
#define GREEDY 1
#endif

#define WORDS ((2 * N * STRIDE + 7) / 8)
#define PLACE(i) ((i) * 2 * STRIDE)
#define FORK(i) ((i) * 2 * STRIDE + 1)

static uint32_t initial(uint64_t *words, uint32_t *violation) {
  memset(words, 0, WORDS * 8);
  *violation = 0;
  return WORDS;
}

static void emit(assay_buffer *out, const unsigned char *state, int place, int value, int fork, int taken) {
  if (out->words_used + WORDS > out->words_capacity || out->count == out->capacity) out->grow(out, WORDS, 1);
  unsigned char *next = (unsigned char *)(out->words + out->words_used);
  memcpy(next, state, WORDS * 8);
  next[place] = (unsigned char)value;
  if (fork >= 0) next[fork] = (unsigned char)taken;
  out->successors[out->count++] = (assay_successor){out->words_used, WORDS, 0, 1, ASSAY_NO_PROCESS};
  out->words_used += WORDS;
}

static void successors(const uint64_t *words, uint32_t count, assay_buffer *out) {
  const unsigned char *state = (const unsigned char *)words;
  (void)count;
  for (int i = 0; i < N; i++) {
    int first = i, second = (i + 1) % N;
    if (!GREEDY && i == N - 1) first = 0, second = i;
    switch (state[PLACE(i)]) {
      case 0: emit(out, state, PLACE(i), 1, -1, 0); break;
      case 1: if (!state[FORK(first)]) emit(out, state, PLACE(i), 2, FORK(first), 1); break;
      case 2: if (!state[FORK(second)]) emit(out, state, PLACE(i), 3, FORK(second), 1); break;
      case 3: emit(out, state, PLACE(i), 4, FORK(second), 0); break;
      default: emit(out, state, PLACE(i), 0, FORK(first), 0); break;
    }
  }
}

static uint32_t is_valid_end(const uint64_t *words, uint32_t count) {
  (void)words, (void)count;
  return 0;
}

static const assay_model model = {.abi = ASSAY_MODEL_ABI,
                                  .max_words = WORDS,
                                  .initial = initial,
                                  .successors = successors,
                                  .is_valid_end = is_valid_end};
const assay_model *assay_model_entry(void) { return &model; }
