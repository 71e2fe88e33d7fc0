/* A model written by hand against model_abi.h: one number that grows by one or
 * two up to LAST, where it stays. What goes wrong, and where, is chosen with
 * -D, so that tests see every way in which a model can end a search. */
#include <stdlib.h>
#include <unistd.h>

#include "model_abi.h"

#ifndef LAST
#define LAST 10
#endif

static uint32_t initial(uint64_t *words, uint32_t *violation) {
  words[0] = 1; /* one more than the number: no state is all zeros */
#ifdef FAIL_AT_START
  *violation = 7;
#endif
  return 1;
}

static void add(assay_buffer *out, uint64_t word, uint32_t violation, uint32_t step) {
  if (out->words_used + 1 > out->words_capacity || out->count + 1 > out->capacity)
    out->grow(out, 1, 1);
  assay_successor *successor = &out->successors[out->count];
  successor->first_word = out->words_used;
  successor->word_count = 1;
  successor->violation = violation;
  successor->has_state = 1;
#ifdef FAIL_WITHOUT_STATE
  if (violation) {
    successor->has_state = 0;
    successor->word_count = 0;
  }
#endif
  if (successor->has_state)
    out->words[out->words_used++] = word;
  if (out->recorder)
    out->recorder->primitive_step(out->recorder->context, out->count, 0, step, &word, 1);
  out->count++;
}

static void successors(const uint64_t *words, uint32_t word_count, assay_buffer *out) {
  uint64_t number = words[0] - 1;
  (void)word_count;
#ifdef CRASH_AT
  if (number == CRASH_AT)
    abort();
#endif
#ifdef SEGFAULT_AT
  if (number == SEGFAULT_AT)
    *(volatile int *)0 = 1;
#endif
#ifdef HANG_AT
  while (number == HANG_AT)
    sleep(1);
#endif
#ifdef EAT_AT
  while (number == EAT_AT) {
    volatile char *memory = malloc(1 << 22);
    for (int i = 0; memory && i < 1 << 22; i += 4096)
      memory[i] = 1;
    usleep(2000);
  }
#endif
#ifdef SLOW_MICROSECONDS
  usleep(SLOW_MICROSECONDS);
#endif
  for (uint64_t step = 1; step <= 2; step++) {
    uint64_t next = number + step;
    if (next > LAST)
      continue;
    uint32_t violation = 0;
#ifdef FAIL_AT
    if (next == FAIL_AT)
      violation = 7;
#endif
    add(out, next + 1, violation, (uint32_t)step);
  }
#ifndef STOP_AT_LAST
  if (number == LAST)
    add(out, number + 1, 0, 0);
#endif
}

static uint32_t is_valid_end(const uint64_t *words, uint32_t word_count) {
  (void)words;
  (void)word_count;
  return 0;
}

static const assay_model model = {.abi = ASSAY_MODEL_ABI,
                                  .max_words = 1,
                                  .initial = initial,
                                  .successors = successors,
                                  .is_valid_end = is_valid_end};

const assay_model *assay_model_entry(void) { return &model; }
