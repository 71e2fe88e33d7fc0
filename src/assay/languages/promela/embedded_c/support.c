#line 2 "support.c"
/* What embedded C may call and what has a state of its own, or would reach out of the image. The state lies in the
 * image, so it is part of the states of the model. Compiled into every image; what nobody calls is left out. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "image.h"

/* --- the end --- */

void uerror(char *words) { assay_services.report(words); }
void Uerror(char *words) { assay_services.report(words); }
int Nr_Trails;
void putrail(void) { Nr_Trails++; } /* SPIN writes down how it came here */
void *const stack_begin = (void *)(0x1A5700000000 + (8ul << 20)); /* kStackBase + kStackBytes */

void abort(void) {
  assay_services.fail(ASSAY_ABORT, "abort() was called");
  __builtin_unreachable();
}
void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
  assay_services.fail(ASSAY_ABORT, text);
  __builtin_unreachable();
}
void exit(int status) {
  assay_services.fail(ASSAY_EXIT, "exit() was called");
  __builtin_unreachable();
}
void _exit(int status) { exit(status); }
void _Exit(int status) { exit(status); }
int atexit(void (*function)(void)) { return 0; } /* nothing ends */

/* --- errors --- */

int assay_error_number;
int *__errno_location(void) { return &assay_error_number; }

/* --- output --- */

static int written(const char *format, va_list arguments) {
  char text[4096];
  int length = vsnprintf(text, sizeof text, format, arguments);
  if (length > 0) assay_services.print(text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
  return length;
}
static struct { int unused; } streams[3];
#undef stdin
#undef stdout
#undef stderr
FILE *stdin = (FILE *)&streams[0], *stdout = (FILE *)&streams[1], *stderr = (FILE *)&streams[2];
#define PASS(call) va_list arguments; va_start(arguments, format); int length = call; va_end(arguments); return length
int printf(const char *format, ...) { PASS(written(format, arguments)); }
int Printf(const char *format, ...) { PASS(written(format, arguments)); }
int fprintf(FILE *stream, const char *format, ...) { PASS(written(format, arguments)); }
int vprintf(const char *format, va_list arguments) { return written(format, arguments); }
int vfprintf(FILE *stream, const char *format, va_list arguments) { return written(format, arguments); }
int puts(const char *text) {
  assay_services.print(text, strlen(text));
  assay_services.print("\n", 1);
  return 1;
}
int fputs(const char *text, FILE *stream) {
  assay_services.print(text, strlen(text));
  return 1;
}
int putchar(int character) {
  char text = (char)character;
  assay_services.print(&text, 1);
  return (unsigned char)character;
}
int fputc(int character, FILE *stream) { return putchar(character); }
int putc(int character, FILE *stream) { return putchar(character); }
size_t fwrite(const void *data, size_t size, size_t count, FILE *stream) {
  assay_services.print(data, size * count);
  return count;
}
int fflush(FILE *stream) { return 0; }
void perror(const char *words) { fputs(words, stderr); }

/* --- numbers that look random --- */

/* The numbers of the GNU C library: each word is the sum of those 3 and 31 places before it. */
static struct {
  int words[31];
  int next; /* 0: nobody has asked yet */
} assay_random;
static void seed(unsigned first) {
  int *words = assay_random.words;
  words[0] = first ? (int)first : 1;
  for (int i = 1; i < 31; i++) {
    long word = 16807 * (words[i - 1] % 127773l) - 2836 * (words[i - 1] / 127773l);
    words[i] = (int)(word < 0 ? word + 2147483647 : word);
  }
  assay_random.next = 3;
}
static int next_random(void) {
  int at = assay_random.next % 31;
  unsigned sum = (unsigned)assay_random.words[at] + (unsigned)assay_random.words[(at + 28) % 31];
  assay_random.words[at] = (int)sum;
  assay_random.next = at == 30 ? 31 : at + 1;
  return (int)(sum >> 1);
}
void srandom(unsigned first) {
  seed(first);
  for (int i = 0; i < 310; i++) next_random();
}
long random(void) {
  if (!assay_random.next) srandom(1);
  return next_random();
}
int rand(void) { return (int)random(); }
void srand(unsigned first) { srandom(first); }
int rand_r(unsigned *state) {
  unsigned next = *state, result;
  next = next * 1103515245 + 12345;
  result = next / 65536 % 2048;
  next = next * 1103515245 + 12345;
  result = result << 10 ^ next / 65536 % 1024;
  next = next * 1103515245 + 12345;
  result = result << 10 ^ next / 65536 % 1024;
  *state = next;
  return (int)result;
}

/* --- texts that are cut in pieces --- */

static char *assay_token;
char *strtok(char *text, const char *delimiters) { return strtok_r(text, delimiters, &assay_token); }

/* The system's sscanf allocates for "%ms" where nobody looks. Headers and users have five names for it; the sixth is the
 * system's own, which the linker calls by another name (--wrap). */
extern int __real___isoc99_vsscanf(const char *text, const char *format, va_list arguments);
int __wrap___isoc99_vsscanf(const char *text, const char *format, va_list arguments) {
  for (const char *at = format; (at = strchr(at, '%')) != 0; at++) {
    at++;
    at += strspn(at, "*'0123456789$");
    if (*at == 'm')
      assay_services.fail(ASSAY_ABORT, "sscanf() with %m allocates memory that is no part of the state; give it room");
    if (!*at) break;
  }
  return __real___isoc99_vsscanf(text, format, arguments);
}
#define SCANS(name)                                                                     \
  int scan_by_##name(const char *text, const char *format, ...) __asm__(#name);         \
  int scan_by_##name(const char *text, const char *format, ...) {                       \
    PASS(__wrap___isoc99_vsscanf(text, format, arguments));                             \
  }
SCANS(sscanf)
SCANS(__isoc99_sscanf)
SCANS(__isoc23_sscanf)
#define SCANS_LIST(name)                                                                \
  int scan_by_##name(const char *text, const char *format, va_list list) __asm__(#name); \
  int scan_by_##name(const char *text, const char *format, va_list list) {              \
    return __wrap___isoc99_vsscanf(text, format, list);                                 \
  }
SCANS_LIST(vsscanf)
SCANS_LIST(__isoc23_vsscanf)

/* --- the heap ---
 *
 * Blocks lie one behind the other from a fixed address on; whoever asks gets the first place that is large enough.
 * There are no lists: which blocks live, and where, is all that the heap knows, so histories that leave the same
 * blocks behind leave the same heap behind. What is free is zero. */

#define HEAP ((unsigned char *)0x1A5600000000)
#define HEAP_BYTES (64ul << 20)
#define HEAP_LIVE 0x4556494C50414548ul
#define FENCE 0x45434E4546ul /* behind each block: whoever writes too far changes it */

struct block {
  unsigned long bytes; /* with this header and the fence, a multiple of 16; 0: nothing lives from here on */
  unsigned long asked; /* by the program; bit 63 tells that it is free */
  unsigned long kind;
  unsigned long place; /* of the call, where that is wanted */
};
#define FREE (1ul << 63)
#ifdef ASSAY_PLACES
#define PLACE ((unsigned long)__builtin_return_address(0))
#else
#define PLACE 0
#endif

static unsigned long *fence_of(struct block *block) {
  return (unsigned long *)((unsigned char *)(block + 1) + ((block->asked + 7) & ~7ul));
}

/* Checks tell memory that nobody has written by what it holds. */
static void *begun(struct block *block) {
#ifdef ASSAY_SANITIZE
  memset(block + 1, 0xBE, block->asked);
#endif
  *fence_of(block) = FENCE;
  return block + 1;
}

static __attribute__((noinline, noclone)) void *assay_allocated(unsigned long bytes, unsigned long place) {
  if (bytes > HEAP_BYTES - 4096) {
    errno = ENOMEM;
    return 0;
  }
  unsigned long needed = (sizeof(struct block) + ((bytes + 7) & ~7ul) + sizeof(unsigned long) + 15) & ~15ul;
  unsigned char *at = HEAP;
  for (;;) {
    struct block *block = (struct block *)at;
    if (block->bytes == 0) break;
    if ((block->asked & FREE) && block->bytes >= needed) {
      if (block->bytes - needed >= sizeof(struct block) + 16) {
        struct block *rest = (struct block *)(at + needed);
        *rest = (struct block){block->bytes - needed, FREE, HEAP_LIVE, 0};
        block->bytes = needed;
      }
      block->asked = bytes;
      block->place = place;
      return begun(block);
    }
    at += block->bytes;
  }
  if (at + needed + sizeof(struct block) > HEAP + HEAP_BYTES) {
    errno = ENOMEM;
    return 0;
  }
  struct block *block = (struct block *)at;
  *block = (struct block){needed, bytes, HEAP_LIVE, place};
  return begun(block);
}

static struct block *living(void *pointer, const char *what) {
  struct block *wanted = (struct block *)pointer - 1;
  unsigned char *at = HEAP;
  while (((struct block *)at)->bytes && at < (unsigned char *)wanted) at += ((struct block *)at)->bytes;
  if (at != (unsigned char *)wanted || !wanted->bytes || (wanted->asked & FREE) || wanted->kind != HEAP_LIVE)
    assay_services.fail(ASSAY_HEAP, what);
  if (*fence_of(wanted) != FENCE) assay_services.fail(ASSAY_HEAP, "memory behind an allocated block was written");
  return wanted;
}

void *malloc(unsigned long bytes) { return assay_allocated(bytes, PLACE); }
void free(void *pointer) {
  if (!pointer) return;
  struct block *block = living(pointer, "free() of what is not allocated");
  memset(block + 1, 0, block->bytes - sizeof *block);
  block->asked = FREE;
  block->place = 0;
  /* Neighbours that are free become one; at the end they are gone. */
  unsigned char *at = HEAP;
  while (((struct block *)at)->bytes) {
    struct block *here = (struct block *)at;
    while (here->asked & FREE) {
      struct block *next = (struct block *)(at + here->bytes);
      if (!next->bytes) {
        memset(here, 0, sizeof *here);
        return;
      }
      if (!(next->asked & FREE)) break;
      unsigned long bytes = next->bytes;
      memset(next, 0, sizeof *next);
      here->bytes += bytes;
    }
    at += here->bytes;
  }
}
void *calloc(unsigned long count, unsigned long bytes) {
  unsigned long all;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return 0;
  }
  void *zeros = assay_allocated(all, PLACE);
#ifdef ASSAY_SANITIZE
  if (zeros) memset(zeros, 0, all);
#endif
  return zeros; /* what is free is zero */
}
static void *resized(void *pointer, unsigned long bytes, unsigned long place) {
  if (!pointer) return assay_allocated(bytes, place);
  struct block *block = living(pointer, "realloc() of what is not allocated");
  unsigned long old = block->asked;
  if (!bytes) {
    free(pointer);
    return 0;
  }
  void *moved = assay_allocated(bytes, place);
  if (!moved) return 0;
  memcpy(moved, pointer, old < bytes ? old : bytes);
  free(pointer);
  return moved;
}
void *realloc(void *pointer, unsigned long bytes) { return resized(pointer, bytes, PLACE); }
void *reallocarray(void *pointer, unsigned long count, unsigned long bytes) {
  unsigned long all;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return 0;
  }
  return resized(pointer, all, PLACE);
}
unsigned long malloc_usable_size(void *pointer) {
  return pointer ? living(pointer, "the size of what is not allocated")->asked : 0;
}
char *strdup(const char *text) {
  unsigned long bytes = strlen(text) + 1;
  char *copy = assay_allocated(bytes, PLACE);
  return copy ? memcpy(copy, text, bytes) : 0;
}
char *strndup(const char *text, unsigned long most) {
  unsigned long length = strnlen(text, most);
  char *copy = assay_allocated(length + 1, PLACE);
  return copy ? memcpy(copy, text, length) : 0;
}
int vasprintf(char **text, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(0, 0, format, again);
  va_end(again);
  *text = length < 0 ? 0 : assay_allocated((unsigned long)length + 1, PLACE);
  return *text ? vsnprintf(*text, (unsigned long)length + 1, format, arguments) : -1;
}
int asprintf(char **text, const char *format, ...) { PASS(vasprintf(text, format, arguments)); }
