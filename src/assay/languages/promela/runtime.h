/* What every generated Promela model shares: stepping through states.
 *
 * A successor of a stored state is one primitive step, or a chain of them: an
 * atomic sequence runs until it ends or blocks, a rendezvous is a send and a
 * receive. States inside a chain live on the scratch stack and are addressed by
 * offset, because the stack may move when it grows; the state at the end of a
 * chain is written straight into the caller's buffer.
 *
 * The generated part defines the constants and the tables declared below.
 */
#include <stdlib.h>
#include <string.h>

typedef uint8_t __attribute__((may_alias)) u8;
typedef uint16_t __attribute__((may_alias)) u16;
typedef int16_t __attribute__((may_alias)) i16;
typedef uint32_t __attribute__((may_alias)) u32;
typedef int32_t __attribute__((may_alias)) i32;

#define U8(address) (*(u8 *)(address))
#define U16(address) (*(u16 *)(address))
#define I16(address) (*(i16 *)(address))
#define U32(address) (*(u32 *)(address))
#define I32(address) (*(i32 *)(address))
#define PROCESSES(state) U8(state)
#define LAST(state) U8((state) + 1)
#define TYPE(process) U8(process)
#define PRIORITY(process) U8((process) + 1)
#define LOCATION(process) U16((process) + 2)

#define SHORT_TRAIL 32u

/* A primitive step on the way to the current state of a chain. */
struct trail {
  uint32_t process, transition, offset, size;
  uint64_t hash;
};

struct run {
  assay_buffer *out;
  u8 *base;            /* the scratch stack */
  size_t capacity;     /* its size */
  size_t top;          /* its first free byte */
  uint32_t violation;  /* met on the way to here: 0 or a code */
  uint32_t fatal;      /* an evaluation just failed with this code */
  uint32_t asking;     /* enabled() within enabled(): how deep */
  uint32_t timeout;    /* second try: nobody could move without it */
  uint32_t depth;      /* primitive steps in this chain */
  uint32_t process;    /* who began the chain */
  uint32_t deciding;   /* whether the others move depends on what this process does */
  uint32_t skipped;    /* a successor with a state was left out because nobody wants it */
  uint32_t endless;    /* this process never leaves its sequence: tell how it comes back */
  uint64_t work;       /* d_step iterations since the chain began */
  struct trail *trail; /* `depth` entries; grows with the stack */
  size_t trail_capacity;
  uint32_t *index; /* positions in the trail by hash, for `repeats` */
  size_t index_capacity, index_used;
  int message[MAX_MESSAGE_FIELDS + 1]; /* a rendezvous in progress */
  struct trail short_trail[SHORT_TRAIL];
};

static const uint32_t block_size[];   /* by process type */
static const uint32_t block_queues[]; /* channels that a process of that type owns */
static int step(struct run *, uint32_t type, uint32_t state, uint32_t size, uint32_t process, uint32_t pid);
static int receive(struct run *, uint32_t type, uint32_t state, uint32_t size, uint32_t process,
                   uint32_t pid, int channel);
/* `channel` holds a message that is being handed over; 0: none does. */
static int may_run(struct run *, uint32_t state, uint32_t size, uint32_t process, uint32_t pid, int channel);

/* --- expressions that can fail --- */

static inline uint32_t at(struct run *c, int index, int length, uint32_t code) {
  if (__builtin_expect((unsigned)index >= (unsigned)length, 0)) {
    if (!c->fatal) c->fatal = code;
    return 0;
  }
  return (uint32_t)index;
}

static inline int failing(struct run *c, uint32_t code) {
  if (!c->fatal) c->fatal = code;
  return 0;
}

static inline int divide(struct run *c, int a, int b, uint32_t code) {
  if (b == 0 || (b == -1 && a == (int)0x80000000)) {
    if (!c->fatal) c->fatal = code;
    return 0;
  }
  return a / b;
}

static inline int modulo(struct run *c, int a, int b, uint32_t code) {
  if (b == 0 || (b == -1 && a == (int)0x80000000)) {
    if (!c->fatal) c->fatal = code;
    return 0;
  }
  return a % b;
}

static inline int shift_left(int a, int b) { return (int)((unsigned)a << (b & 31)); }
static inline int shift_right(int a, int b) { return a >> (b & 31); }

/* --- where processes stand --- */

static inline uint32_t process_offset(const u8 *state, uint32_t pid) {
  uint32_t offset = GLOBALS_SIZE;
  for (uint32_t i = 0; i < pid; i++) offset += block_size[TYPE(state + offset)];
  return offset;
}

/* Remote references to a process that does not exist read zeros. */
static u8 nothing[MAX_BLOCK];

static inline u8 *process_at(const u8 *state, int pid) {
  if (pid < 0 || pid >= (int)PROCESSES(state)) return nothing;
  return (u8 *)state + process_offset(state, (uint32_t)pid);
}

static inline u8 *process_of_type(const u8 *state, uint32_t type) {
  uint32_t offset = GLOBALS_SIZE;
  for (uint32_t i = 0; i < PROCESSES(state); i++) {
    if (TYPE(state + offset) == type) return (u8 *)state + offset;
    offset += block_size[TYPE(state + offset)];
  }
  return nothing;
}

/* The number of the first channel that the process at `process` owns. */
static inline int first_channel(const u8 *state, const u8 *process) {
  int channel = GLOBAL_QUEUES + 1;
  const u8 *other = state + GLOBALS_SIZE;
  while (other < process) {
    channel += (int)block_queues[TYPE(other)];
    other += block_size[TYPE(other)];
  }
  return channel;
}

/* --- output --- */

static inline void room_for(struct run *c, uint32_t bytes) {
  assay_buffer *out = c->out;
  uint32_t words = bytes / 8;
  if (__builtin_expect(out->words_capacity - out->words_used < words || out->capacity - out->count < 1, 0))
    out->grow(out, words, 1);
}

static void __attribute__((noinline)) record(struct run *c, int has_last, uint32_t pid, uint32_t transition,
                                             const uint64_t *words, uint32_t size) {
  const assay_recorder *r = c->out->recorder;
  for (uint32_t i = 0; i < c->depth; i++) {
    struct trail *t = &c->trail[i];
    r->primitive_step(r->context, c->out->count, t->process, t->transition,
                      (const uint64_t *)(c->base + t->offset), t->size / 8);
  }
  if (has_last) r->primitive_step(r->context, c->out->count, pid, transition, words, size / 8);
}

/* Will nobody look at the next successor? Then it only takes its place. Asked before effects that
 * end in exactly one successor; whether it has a state is not known if the effect can fail. */
static int __attribute__((noinline)) skip_unwanted(struct run *c, int can_fail) {
  assay_buffer *out = c->out;
  if (can_fail && c->deciding) return 0;
  uint64_t bit = out->wanted_first + out->count;
  if (out->count >= out->wanted_count || out->wanted[bit / 8] >> bit % 8 & 1) return 0;
  room_for(c, 0);
  out->successors[out->count++] = (assay_successor){out->words_used, 0, 0, 0, (uint16_t)c->process};
  c->skipped = 1;
  return 1;
}

static inline int unwanted(struct run *c, int can_fail) {
  return __builtin_expect(c->out->wanted != NULL, 0) && skip_unwanted(c, can_fail);
}

/* A plain step: build the successor in the buffer, then keep it. Every transition does this, so
 * the generated part decides whether they share the code (IN_STEP): compiling many copies takes
 * long, and calling takes time in the search. */
IN_STEP u8 *begin(struct run *c, uint32_t state, uint32_t size) {
  room_for(c, size + MAX_BLOCK);
  u8 *n = (u8 *)(c->out->words + c->out->words_used);
  memcpy(n, c->base + state, size);
  return n;
}

static inline void keep(struct run *c, uint32_t size) {
  assay_buffer *out = c->out;
  assay_successor *s = &out->successors[out->count++];
  s->first_word = out->words_used;
  s->word_count = size / 8;
  s->violation = c->violation;
  s->has_state = 1;
  s->process = (uint16_t)c->process;
  out->words_used += size / 8;
}

IN_STEP int finish(struct run *c, uint32_t size, uint32_t pid, uint32_t transition) {
  if (__builtin_expect(c->out->recorder != NULL, 0))
    record(c, 1, pid, transition, c->out->words + c->out->words_used, size);
  keep(c, size);
  return 1;
}

/* A step that failed: a successor without a state. `state` is where it failed. */
static int __attribute__((noinline)) fail(struct run *c, uint32_t state, uint32_t size, uint32_t pid,
                                          uint32_t transition) {
  room_for(c, 0);
  if (c->out->recorder)
    record(c, 1, pid, transition, (const uint64_t *)(c->base + state), size);
  assay_successor *s = &c->out->successors[c->out->count++];
  s->first_word = c->out->words_used;
  s->word_count = 0;
  s->violation = c->fatal;
  s->has_state = 0;
  s->process = (uint16_t)c->process;
  c->fatal = 0;
  return 1;
}

/* --- chains --- */

IN_STEP uint32_t begin_chain(struct run *c, uint32_t state, uint32_t size) {
  size_t needed = c->top + size + MAX_BLOCK;
  if (__builtin_expect(needed > c->capacity, 0)) {
    size_t capacity = c->capacity * 2 > needed ? c->capacity * 2 : needed;
    u8 *base = realloc(c->base, capacity);
    if (!base) abort();
    c->base = base;
    c->capacity = capacity;
  }
  memcpy(c->base + c->top, c->base + state, size);
  return (uint32_t)c->top;
}

static uint64_t hash_state(const u8 *state, uint32_t size) {
  uint64_t h = size;
  for (uint32_t i = 0; i < size; i += 8) {
    h = (h ^ *(const uint64_t __attribute__((may_alias)) *)(state + i)) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

static void push(struct run *c, uint32_t state, uint32_t size, uint32_t pid, uint32_t transition) {
  if (c->depth == c->trail_capacity) {
    size_t capacity = c->trail_capacity * 2;
    struct trail *trail = malloc(capacity * sizeof *trail);
    if (!trail) abort();
    memcpy(trail, c->trail, c->depth * sizeof *trail);
    if (c->trail != c->short_trail) free(c->trail);
    c->trail = trail;
    c->trail_capacity = capacity;
  }
  c->trail[c->depth++] = (struct trail){pid, transition, state, size, 0};
  c->top = (size_t)state + size;
}

static void pop(struct run *c, uint32_t state) {
  c->depth--;
  c->top = state;
}

/* Has this chain been in its newest state before? Then following it again shows
 * nothing new. Only asked where control goes backwards, so only those states have a
 * hash. The index is never cleaned: an entry whose place in the trail has been given
 * to another state since then no longer matches, and rebuilding drops it. */
static void index_trail(struct run *c, uint32_t position) {
  uint64_t mask = c->index_capacity - 1;
  uint64_t slot = c->trail[position].hash & mask;
  while (c->index[slot]) slot = (slot + 1) & mask;
  c->index[slot] = position + 1;
  c->index_used++;
}

static int same_state(const struct run *c, const struct trail *a, const struct trail *b) {
  return a->hash == b->hash && a->size == b->size &&
         memcmp(c->base + a->offset, c->base + b->offset, a->size) == 0;
}

static int repeats(struct run *c) {
  uint32_t last = c->depth - 1;
  struct trail *newest = &c->trail[last];
  newest->hash = hash_state(c->base + newest->offset, newest->size) | 1;
  if (last < SHORT_TRAIL) { /* the usual case needs no index */
    for (uint32_t i = 0; i < last; i++)
      if (same_state(c, &c->trail[i], newest)) return 1;
    return 0;
  }
  if (last == SHORT_TRAIL || 2 * (c->index_used + 1) > c->index_capacity) {
    size_t capacity = 256;
    while (capacity < 8 * (size_t)c->depth) capacity *= 2;
    free(c->index);
    c->index = calloc(capacity, sizeof *c->index);
    if (!c->index) abort();
    c->index_capacity = capacity;
    c->index_used = 0;
    for (uint32_t i = 0; i < last; i++)
      if (c->trail[i].hash) index_trail(c, i);
  }
  uint64_t mask = c->index_capacity - 1;
  for (uint64_t slot = newest->hash & mask; c->index[slot]; slot = (slot + 1) & mask) {
    uint32_t i = c->index[slot] - 1;
    if (i < last && same_state(c, &c->trail[i], newest)) return 1;
  }
  index_trail(c, last);
  return 0;
}

/* The process goes on alone until its atomic sequence ends or blocks. */
static int go_on(struct run *c, uint32_t state, uint32_t size, uint32_t pid, uint32_t transition,
                 int backwards) {
  uint32_t timeout = c->timeout;
  push(c, state, size, pid, transition);
  c->timeout = 0; /* a later step of the chain cannot rely on it: this process just moved */
  int moved;
  if (__builtin_expect(c->depth > MAX_CHAIN, 0)) {
    c->fatal = ENDLESS_ATOMIC;
    c->depth--;
    moved = fail(c, state, size, pid, transition);
    c->depth++;
  } else if (backwards && repeats(c)) {
    moved = 1;
    /* What follows was followed from before anything failed on this round, so that is told here. */
    if (__builtin_expect(c->violation || c->endless, 0)) {
      c->fatal = c->violation ? c->violation : ENDLESS_ATOMIC;
      c->endless = 0;
      c->depth--;
      fail(c, state, size, pid, transition);
      c->depth++;
    }
  } else {
    const u8 *s = c->base + state;
    moved = 0;
    if (pid < PROCESSES(s)) {
      uint32_t process = process_offset(s, pid);
      uint32_t type = TYPE(s + process);
      if (may_run(c, state, size, process, pid, 0)) moved = step(c, type, state, size, process, pid);
    }
  }
  if (!moved) {
    room_for(c, size);
    memcpy(c->out->words + c->out->words_used, c->base + state, size);
    if (c->out->recorder) record(c, 0, 0, 0, NULL, 0);
    keep(c, size);
  }
  pop(c, state);
  c->timeout = timeout;
  return 1;
}

/* Somebody else must take the message that `pid` offers on `channel`. */
static int handshake(struct run *c, uint32_t state, uint32_t size, uint32_t pid, uint32_t transition,
                     int channel) {
  uint32_t offsets[256];
  const u8 *s = c->base + state;
  uint32_t count = PROCESSES(s), offset = GLOBALS_SIZE;
  int moved = 0;
  for (uint32_t i = 0; i < count; i++) {
    offsets[i] = offset;
    offset += block_size[TYPE(s + offset)];
  }
  push(c, state, size, pid, transition);
  for (uint32_t i = count; i-- > 0;) {
    if (i == pid) continue;
    if (!may_run(c, state, size, offsets[i], i, channel)) continue;
    moved |= receive(c, TYPE(c->base + state + offsets[i]), state, size, offsets[i], i, channel);
  }
  pop(c, state);
  return moved;
}

/* --- all processes --- */

/* The moves of one process. One that can only go round in a sequence that nobody interrupts leads
 * nowhere, and is not waiting either: it is told as a failure. */
static int moves_of(struct run *c, uint32_t state, uint32_t size, uint32_t process, uint32_t pid) {
  c->process = pid;
  uint32_t first = c->out->count;
  int moved = step(c, TYPE(c->base + state + process), state, size, process, pid);
  if (HAS_CHAINS && __builtin_expect(moved && c->out->count == first, 0)) {
    c->endless = 1;
    step(c, TYPE(c->base + state + process), state, size, process, pid);
    c->endless = 0;
  }
  return moved;
}

static int everybody(struct run *c, uint32_t state, uint32_t size) {
  uint32_t offsets[256];
  const u8 *s = c->base + state;
  uint32_t count = PROCESSES(s), offset = GLOBALS_SIZE;
  int moved = 0;
  for (uint32_t i = 0; i < count; i++) {
    offsets[i] = offset;
    offset += block_size[TYPE(s + offset)];
  }
  for (uint32_t i = count; i-- > 0;) {
    if (!may_run(c, state, size, offsets[i], i, 0)) continue;
    moved |= moves_of(c, state, size, offsets[i], i);
  }
  return moved;
}


/* The process that alone can be followed from here, if there is one: see partial_order.py.
 * If none of its moves leads to a state, the others are followed as well. */
struct channel_variable {
  uint32_t offset, directions;
};
static int others_may_wait(struct run *c, const u8 *state, const u8 *process, uint32_t pid);

static int somebody(struct run *c, uint32_t state, uint32_t size) {
  uint32_t offsets[256];
  const u8 *s = c->base + state;
  uint32_t count = PROCESSES(s), offset = GLOBALS_SIZE;
  for (uint32_t i = 0; i < count; i++) {
    offsets[i] = offset;
    offset += block_size[TYPE(s + offset)];
  }
  for (uint32_t i = count; i-- > 0;) {
    s = c->base + state;
    int alone = others_may_wait(c, s, s + offsets[i], i);
    if (c->fatal) alone = c->fatal = 0; /* which channel it is cannot be told: the step will fail */
    uint32_t first = c->out->count;
    if (!alone) continue;
    c->deciding = 1;
    int moved = moves_of(c, state, size, offsets[i], i);
    c->deciding = 0;
    if (!moved) continue;
    if (c->skipped) return 1;
    for (uint32_t n = first; n < c->out->count; n++)
      if (c->out->successors[n].has_state) return 1;
    for (uint32_t j = count; j-- > 0;)
      if (j != i) moves_of(c, state, size, offsets[j], j);
    return 1;
  }
  return 0;
}

static void start_run(struct run *c, assay_buffer *out, const uint64_t *words, uint32_t size) {
  /* Every state begins here, and compilers make of memset an instruction that takes as long as a step. */
  c->out = out;
  c->violation = c->fatal = c->asking = c->timeout = c->depth = c->process = 0;
  c->deciding = c->skipped = c->endless = 0;
  c->work = 0;
  c->trail = c->short_trail;
  c->trail_capacity = sizeof c->short_trail / sizeof *c->short_trail;
  c->index = NULL;
  c->index_capacity = c->index_used = 0;
  c->capacity = c->top = 0;
  if (HAS_CHAINS) {
    size_t needed = size + MAX_BLOCK + 4096;
    if (out->scratch_bytes < needed) {
      free(out->scratch);
      out->scratch = malloc(needed * 4);
      if (!out->scratch) abort();
      out->scratch_bytes = needed * 4;
    }
    c->base = out->scratch;
    c->capacity = out->scratch_bytes;
    memcpy(c->base, words, size);
    c->top = size;
  } else {
    c->base = (u8 *)words;
  }
}

static void end_run(struct run *c) {
  if (HAS_CHAINS) {
    c->out->scratch = c->base;
    c->out->scratch_bytes = c->capacity;
    if (c->trail != c->short_trail) free(c->trail);
    free(c->index);
  }
}
