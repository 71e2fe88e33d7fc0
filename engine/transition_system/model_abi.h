/* The one interface between a compiled model and the engine, in C.
 *
 * A language front end generates C that includes this header and is compiled
 * into a shared object; the engine opens it in a child process. The promises
 * are those of `assay.transition_system.interface`:
 *
 *  - `successors` writes the successors of a state in one order that depends
 *    on the state alone; a successor is named by its position in that order;
 *  - states are word strings, equal exactly when the program states are equal;
 *    every unused byte is zero;
 *  - all functions are reentrant: several threads call them at once, each
 *    with a buffer of its own.
 */
#ifndef ASSAY_TRANSITION_SYSTEM_MODEL_ABI_H
#define ASSAY_TRANSITION_SYSTEM_MODEL_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_MODEL_ABI 6u

/* One successor. Its state stands in `assay_buffer.words`, unless the step
 * ended in an error that leaves no state behind (`has_state` is 0). */
typedef struct assay_successor {
  uint32_t first_word;
  uint32_t word_count;
  uint32_t violation; /* 0: none; otherwise a code of the model's own table */
  uint16_t has_state;
  uint16_t process; /* whose step it is; of a step of several, who began it */
} assay_successor;

#define ASSAY_NO_PROCESS 0xFFFFu /* the step is nobody's */

/* Told, when somebody wants a step explained, of each primitive step that a
 * successor consists of (an atomic sequence has many), in execution order.
 * `words` is the whole state after that primitive step. */
typedef struct assay_recorder {
  void* context;
  void (*primitive_step)(void* context, uint32_t successor, uint32_t process, uint32_t transition,
                         const uint64_t* words, uint32_t word_count);
} assay_recorder;

/* Where a model writes successors. The caller owns it, empties it between
 * calls (`words_used`, `count`) and frees the memory; `grow` makes room for at
 * least that many more words and successors, moving the arrays if need be.
 * `scratch` belongs to the model between calls: memory from malloc, kept so
 * that it need not be allocated anew; the caller starts it at NULL and frees
 * it at the end. */
typedef struct assay_buffer {
  uint64_t* words;
  uint32_t words_used;
  uint32_t words_capacity;
  assay_successor* successors;
  uint32_t count;
  uint32_t capacity;
  void (*grow)(struct assay_buffer*, uint32_t more_words, uint32_t more_successors);
  void* scratch;
  size_t scratch_bytes;
  const assay_recorder* recorder; /* NULL during a search */
  /* Which successors the caller will look at. NULL: all. Otherwise successor
   * number i of this call, for i < wanted_count, matters only if bit
   * wanted_first + i is set (lowest bit of a byte first). A model may build
   * the others all the same; where it does not, the successor keeps its place
   * with has_state 0, violation 0 and no words. Which successors there are,
   * their order and whose they are must not depend on the mask. */
  const uint8_t* wanted;
  uint64_t wanted_first;
  uint64_t wanted_count;
} assay_buffer;

/* What a caller has to know of a model before it uses it. */
enum assay_flags {
  ASSAY_SINGLE_THREADED = 1, /* its functions are called by one thread at a time */
  ASSAY_FOREIGN_CODE = 2 /* its steps execute code that no front end generated: they may crash or never end */
};

/* What can become of a call into foreign code. */
enum assay_fault {
  ASSAY_NO_FAULT = 0,
  ASSAY_FAULT_REPORTED = 1,     /* it called uerror(), and went on */
  ASSAY_FAULT_PRECONDITION = 2, /* what must hold before it does not */
  ASSAY_FAULT_MEMORY = 3,       /* it used memory that there is not */
  ASSAY_FAULT_ARITHMETIC = 4,   /* a division by zero */
  ASSAY_FAULT_ILLEGAL = 5,      /* an instruction that there is not; __builtin_trap */
  ASSAY_FAULT_ABORT = 6,        /* it called abort(), or its own assertion failed */
  ASSAY_FAULT_EXIT = 7,         /* it called exit() */
  ASSAY_FAULT_ENDLESS = 8,      /* it took too long */
  ASSAY_FAULT_STACK = 9,        /* it recursed too deeply */
  ASSAY_FAULT_EFFECT = 10,      /* a question changed memory */
  ASSAY_FAULT_HEAP = 11,        /* free() of what was not allocated, or memory beside an allocation changed */
  ASSAY_FAULT_UNDEFINED = 12,   /* a sanitizer found undefined behaviour */
  ASSAY_FAULT_COUNT = 13
};

/* The parts of a block of a state in which no variable stands: `count` pairs of a begin and an end. */
typedef struct assay_gaps {
  const uint32_t* places;
  uint32_t count;
} assay_gaps;

/* A call into foreign code, in a state. The memory of that code is part of
 * the state: it is put back before the call and taken up again after it. */
typedef struct assay_foreign_call {
  uint32_t function;    /* of the table in the image */
  uint32_t is_question; /* it must change nothing */
  uint8_t* state;       /* changed in place, unless it is a question */
  uint8_t* process;     /* whose step it is, in the same state; NULL: nobody's */
  uint32_t process_bytes;
  const assay_gaps* process_gaps; /* what the code must leave alone */
  int32_t pid;
  int32_t answer; /* what the function returned */
  /* What the code may look at besides, and must leave alone; as many bytes as its image has room for. NULL: nothing. */
  const uint8_t* others;
} assay_foreign_call;

/* Who executes foreign code for a model: given by whoever opened it. */
typedef struct assay_host {
  void* context;
  uint32_t (*call)(void* context, assay_foreign_call* call); /* returns an assay_fault */
  void (*begin)(void* context, uint8_t* state);              /* writes the memory as it is at the start */
  void (*mask)(void* context, uint8_t* state);               /* leaves of the memory what is compared */
} assay_host;

/* The foreign code of a model: a linked image for a fixed address, and where its memory stands in a state. */
typedef struct assay_foreign {
  const uint8_t* image;
  size_t image_bytes;
  uint32_t memory_offset; /* from the start of a state; what stands before it is what C sees as `now` */
  uint32_t memory_bytes;
  uint64_t heap_bytes;    /* room for what it allocates; 0: it allocates nothing */
  uint32_t is_numbered;   /* states hold numbers of the memory's content, not the memory */
  uint32_t only_declared; /* only what c_track names is part of the state */
  assay_gaps gaps;        /* of what C sees as `now`: what it must leave alone */
  const assay_host** host;
} assay_foreign;

typedef struct assay_model {
  uint32_t abi;       /* ASSAY_MODEL_ABI */
  uint32_t max_words; /* no state is longer */

  /* Writes the initial state and returns its length in words. A nonzero
   * `*violation` means that setting up the initial state already failed. */
  uint32_t (*initial)(uint64_t* words, uint32_t* violation);

  void (*successors)(const uint64_t* words, uint32_t word_count, assay_buffer* out);

  /* Asked of states without successors: may the program stop here? */
  uint32_t (*is_valid_end)(const uint64_t* words, uint32_t word_count);

  /* Violation code of the first state property that fails, 0 if all hold.
   * NULL when there is none to check. */
  uint32_t (*check_state)(const uint64_t* words, uint32_t word_count);

  /* The same for properties over two consecutive states; NULL if none. */
  uint32_t (*check_step)(const uint64_t* before, uint32_t before_count, const uint64_t* after,
                         uint32_t after_count);

  /* All that follows may be left zero. */

  uint32_t flags; /* of assay_flags */

  /* As `successors`, but of every process, where that one follows only some
   * (a reduction): the processes of these successors are the enabled ones.
   * NULL: `successors` follows all. */
  void (*all_successors)(const uint64_t* words, uint32_t word_count, assay_buffer* out);

  /* Atomic propositions: bit i is the truth of number i, for i < label_count
   * (at most 64). */
  uint32_t label_count;
  uint64_t (*labels)(const uint64_t* words, uint32_t word_count);

  /* Acceptance sets: bit i is set if the state is in number i, for
   * i < acceptance_count (at most 64). */
  uint32_t acceptance_count;
  uint64_t (*acceptance)(const uint64_t* words, uint32_t word_count);

  /* Writes what states are compared by (at most `max_words` words) and
   * returns its length: two states with the same key count as one, whichever
   * is met first is kept. What is not in the key is restored but not compared.
   * NULL: states are compared whole. */
  uint32_t (*match_key)(const uint64_t* words, uint32_t word_count, uint64_t* key);

  /* Code that no front end generated; NULL: there is none. */
  const assay_foreign* foreign;

  /* Appends what `successors` has of one process, in the same order, without
   * asking the others. Asked only of a process that has a successor there. NULL:
   * that cannot be asked. */
  void (*successors_of)(const uint64_t* words, uint32_t word_count, uint32_t process, assay_buffer* out);
  /* Has the state a successor? What is written to `out` means nothing. There is
   * one with `successors_of`. */
  uint32_t (*can_move)(const uint64_t* words, uint32_t word_count, assay_buffer* out);
} assay_model;

/* The only symbol that a shared object must export. */
const assay_model* assay_model_entry(void);

#ifdef __cplusplus
}
#endif
#endif
