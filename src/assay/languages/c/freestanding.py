"""What a program needs of a C library when there is none for its data model.

Few machines that run programs of 32 bits can link them. This is a library of a page, compiled with the
program: enough to start it, to give it memory and to end it. All of it is weak, so a program's own functions
come first. Memory that it gives holds zeros, and nothing is printed.
"""

FLAGS = ("-nostdlib", "-static", "-ffreestanding", "-fno-pie", "-no-pie", "-fno-stack-protector")

TEXT = r"""
#define WEAK __attribute__((weak, no_instrument_function))
typedef unsigned long long wide;
typedef __SIZE_TYPE__ size;
WEAK __attribute__((noreturn)) void _exit(int code)
{ for (;;) __asm__ volatile("int $0x80" : : "a"(1), "b"(code) : "memory"); }
WEAK long write(int file, const void *text, size count)
{ long done; __asm__ volatile("int $0x80" : "=a"(done) : "a"(4), "b"(file), "c"(text), "d"(count) : "memory");
  return done; }
WEAK void exit(int code) { _exit(code); }
WEAK void abort(void) { _exit(134); }
static char heap[1 << 26] __attribute__((aligned(16)));
static size used;
WEAK void *malloc(size count)
{ size whole = (count + 47) & ~(size)15; if (count > sizeof heap || whole > sizeof heap - used) return 0;
  char *found = heap + used; used += whole; *(size *)found = count; return found + 16; }
WEAK void *calloc(size count, size each) { return malloc(count * each); }
WEAK void free(void *memory) { }
WEAK void *memset(void *to, int byte, size count)
{ for (char *p = to; count--; ) *p++ = byte; return to; }
WEAK void *memcpy(void *to, const void *of, size count)
{ char *p = to; const char *q = of; while (count--) *p++ = *q++; return to; }
WEAK void *memmove(void *to, const void *of, size count)
{ char *p = to; const char *q = of; if (p < q) while (count--) *p++ = *q++;
  else while (count--) p[count] = q[count];
  return to; }
WEAK void *realloc(void *old, size count)
{ void *found = malloc(count); if (!old || !found) return found;
  size kept = *(size *)((char *)old - 16); return memcpy(found, old, kept < count ? kept : count); }
WEAK int printf(const char *text, ...) { return 0; }
WEAK int puts(const char *text) { return 0; }
WEAK int putchar(int one) { return one; }
WEAK int fflush(void *file) { return 0; }
WEAK wide __udivmoddi4(wide a, wide b, wide *rest)
{ wide found = 0, left = 0;
  for (int i = 63; i >= 0; i--) { int out = left >> 63; left = left << 1 | (a >> i & 1);
    if (out || left >= b) { left -= b; found |= 1ull << i; } }
  if (rest) *rest = left; return found; }
WEAK wide __udivdi3(wide a, wide b) { return __udivmoddi4(a, b, 0); }
WEAK wide __umoddi3(wide a, wide b) { wide rest; __udivmoddi4(a, b, &rest); return rest; }
WEAK long long __divdi3(long long a, long long b)
{ wide found = __udivmoddi4(a < 0 ? -(wide)a : a, b < 0 ? -(wide)b : b, 0);
  return (a < 0) != (b < 0) ? -found : found; }
WEAK long long __moddi3(long long a, long long b)
{ wide rest; __udivmoddi4(a < 0 ? -(wide)a : a, b < 0 ? -(wide)b : b, &rest); return a < 0 ? -rest : rest; }
WEAK long long __divmoddi4(long long a, long long b, long long *rest)
{ *rest = __moddi3(a, b); return __divdi3(a, b); }
int main();
static char *given[] = {"program", 0};
__attribute__((no_instrument_function)) void _start(void) { _exit(main(1, given)); }
"""
