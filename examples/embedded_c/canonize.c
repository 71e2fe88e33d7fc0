/* Turns a path into its shortest form: no empty parts, no "." and no "..". */
#include "canonize.h"

#include <string.h>

void canonize(char *dst, const char *src) {
  char *end = dst;
  while (*src) {
    while (*src == '/') src++;
    const char *part = src;
    while (*src && *src != '/') src++;
    int length = (int)(src - part);
    if (length == 0 || (length == 1 && part[0] == '.')) continue;
    if (length == 2 && part[0] == '.' && part[1] == '.') {
#ifdef BUG
      if (end > dst + 1) /* one character of the first part stays */
#else
      if (end > dst)
#endif
        while (*--end != '/') continue;
      continue;
    }
    *end++ = '/';
    memcpy(end, part, (size_t)length);
    end += length;
#ifdef BUG
    if (length == 3) end--;
#endif
  }
  if (end == dst) *end++ = '/';
  *end = 0;
}

Bool is_canonical(const char *str) {
  if (str[0] != '/') return 0;
  if (str[1] == 0) return 1;
  while (*str) {
    const char *part = ++str;
    while (*str && *str != '/') str++;
    int length = (int)(str - part);
    if (length == 0) return 0;
    if (length == 1 && part[0] == '.') return 0;
    if (length == 2 && part[0] == '.' && part[1] == '.') return 0;
  }
  return 1;
}
