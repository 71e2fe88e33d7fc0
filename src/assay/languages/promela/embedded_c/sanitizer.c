#line 2 "sanitizer.c"
/* What checks of addresses and of undefined behaviour call (--sanitize). The compiler puts a call before every use of
 * memory and behind every operation that C leaves undefined for some operands; what is wrong ends the step. */
#include <stdio.h>
#include <string.h>
#include "image.h"

#define HEAP ((unsigned char *)0x1A5600000000)
#define HEAP_BYTES (64ul << 20)
#define FREE (1ul << 63)
#define FRESH 0xBE /* what malloc() leaves in memory that nobody has written */

struct block {
  unsigned long bytes, asked, kind, place;
};
struct location {
  const char *file;
  unsigned line, column;
};
struct global {
  unsigned char *begin;
  unsigned long bytes, with_redzone;
  const char *name, *module;
  unsigned long is_dynamic;
  struct location *location;
  unsigned long indicator;
};

/* Variables lie in the image, each followed by bytes that belong to nobody. */
#define MOST_GLOBALS 4096
static ASSAY_PRIVATE const struct global *globals[MOST_GLOBALS];
static ASSAY_PRIVATE unsigned long global_count;

void __asan_register_globals(const struct global *list, unsigned long count) {
  for (unsigned long i = 0; i < count && global_count < MOST_GLOBALS; i++) globals[global_count++] = &list[i];
}
void __asan_unregister_globals(const struct global *list, unsigned long count) {}
void __asan_init(void) {}
void __asan_version_mismatch_check_v8(void) {}
void __asan_handle_no_return(void) {}
void __asan_before_dynamic_init(const char *name) {}
void __asan_after_dynamic_init(void) {}

static void wrong(const char *what, const void *address) {
  char words[160];
  snprintf(words, sizeof words, "%s (address %p)", what, address);
  assay_services.fail(ASSAY_UNDEFINED, words);
}

static void check_heap(const unsigned char *address, unsigned long bytes, int is_read) {
  const unsigned char *at = HEAP;
  for (;;) {
    const struct block *block = (const struct block *)at;
    if (!block->bytes) wrong("it uses memory that was not allocated, or was freed", address);
    if (address < at + block->bytes) {
      const unsigned char *begin = at + sizeof *block;
      if (block->asked & FREE) wrong("it uses memory after free()", address);
      if (address < begin || address + bytes > begin + block->asked)
        wrong("it uses memory beside an allocated block", address);
      break;
    }
    at += block->bytes;
  }
  if (is_read && bytes >= 4 && bytes <= 16) {
    unsigned long i = 0;
    while (i < bytes && address[i] == FRESH) i++;
    if (i == bytes) wrong("it reads memory from malloc() that was never written", address);
  }
}

static void check(const unsigned char *address, unsigned long bytes, int is_read) {
  if (address >= HEAP && address < HEAP + HEAP_BYTES) {
    check_heap(address, bytes, is_read);
    return;
  }
  for (unsigned long i = 0; i < global_count; i++) {
    const struct global *global = globals[i];
    if (address + bytes > global->begin + global->bytes && address < global->begin + global->with_redzone &&
        address + bytes > global->begin && address >= global->begin) {
      char words[160];
      snprintf(words, sizeof words, "it goes beyond the end of '%s'", global->name);
      assay_services.fail(ASSAY_UNDEFINED, words);
    }
  }
}

#define ACCESS(size)                                                                 \
  void __asan_load##size##_noabort(void *address) { check(address, size, 1); }       \
  void __asan_store##size##_noabort(void *address) { check(address, size, 0); }      \
  void __asan_load##size(void *address) { check(address, size, 1); }                 \
  void __asan_store##size(void *address) { check(address, size, 0); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
void __asan_loadN_noabort(void *address, unsigned long bytes) { check(address, bytes, 1); }
void __asan_storeN_noabort(void *address, unsigned long bytes) { check(address, bytes, 0); }

static void undefined(const struct location *at, const char *what) {
  char words[400];
  snprintf(words, sizeof words, "%s:%u:%u: %s", at->file ? at->file : "?", at->line, at->column, what);
  assay_services.fail(ASSAY_UNDEFINED, words);
}
#define HANDLER(name, what)                                                                           \
  void __ubsan_handle_##name(const struct location *at, ...) { undefined(at, what); }                 \
  void __ubsan_handle_##name##_abort(const struct location *at, ...) { undefined(at, what); }
HANDLER(add_overflow, "a sum that is too large for its type")
HANDLER(sub_overflow, "a difference that is too large for its type")
HANDLER(mul_overflow, "a product that is too large for its type")
HANDLER(negate_overflow, "a negation that is too large for its type")
HANDLER(divrem_overflow, "a division by zero, or one whose result is too large")
HANDLER(shift_out_of_bounds, "a shift by too many or too few bits")
HANDLER(out_of_bounds, "an index outside its array")
HANDLER(builtin_unreachable, "code that must not be reached")
HANDLER(missing_return, "the end of a function that has to return a value")
HANDLER(vla_bound_not_positive, "an array without elements")
HANDLER(float_cast_overflow, "a number that is too large for its type")
HANDLER(load_invalid_value, "a value that its type does not have")
HANDLER(type_mismatch_v1, "a null pointer, or one that is not aligned for its type")
HANDLER(pointer_overflow, "a pointer beyond the end of all memory")
HANDLER(nonnull_arg, "a null pointer where none is allowed")
HANDLER(nonnull_return_v1, "a null pointer returned where none is allowed")
HANDLER(invalid_builtin, "an argument that a builtin must not have")
HANDLER(alignment_assumption, "a pointer that is not aligned as promised")
