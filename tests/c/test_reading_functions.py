"""The functions that a compiled program is given for those of the library do what the library does."""

import re
import subprocess
from pathlib import Path

from assay.languages.c.reading_functions import TEXTS

HEADERS = ("stdio.h", "stdlib.h", "string.h", "strings.h", "ctype.h", "arpa/inet.h")
OF_A_CHARACTER = sorted(name for name in TEXTS if name.startswith("is"))
MAIN = r"""
static int sign(int x) { return (x > 0) - (x < 0); }
static int bad;
#define SAME(one, other) do { if ((one) != (other)) { bad++; puts(#one); } } while (0)
int main(void) {
  const char *t[] = {"", "a", "b", "ab", "AB", "aB\xff", "abc\x80", " 12", "-7x", "+45", "\t 9"};
  for (int i = 0; i < 11; i++) {
    SAME(strlen(t[i]), our_strlen(t[i])); SAME(strnlen(t[i], 2), our_strnlen(t[i], 2));
    SAME(atoi(t[i]), our_atoi(t[i]));
    for (int j = 0; j < 11; j++) {
      char x[8] = {0}, y[8] = {0};
      strcpy(x, t[i]); strcpy(y, t[j]);
      SAME(sign(strcmp(x, y)), sign(our_strcmp(x, y)));
      SAME(sign(strcasecmp(x, y)), sign(our_strcasecmp(x, y)));
      for (int n = 0; n < 8; n++) {
        SAME(sign(strncmp(x, y, n)), sign(our_strncmp(x, y, n)));
        SAME(sign(memcmp(x, y, n)), sign(our_memcmp(x, y, n)));
      }
    }
  }
  for (int c = -1; c < 256; c++) {
    CHARACTERS
    SAME((tolower)(c), our_tolower(c)); SAME((toupper)(c), our_toupper(c));
  }
  for (unsigned n = 0; n < 1000; n++) {
    unsigned v = n * 2654435761u;
    SAME(htonl(v), our_htonl(v)); SAME(ntohl(v), our_ntohl(v)); SAME(htons(v), our_htons(v));
    SAME(ntohs(v), our_ntohs(v)); SAME(ffs(v), our_ffs(v));
  }
  return bad != 0;
}
"""


def test_they_return_what_the_library_returns(tmp_path: Path) -> None:
    assert all(f"our_{name}(" in MAIN or name in OF_A_CHARACTER for name in TEXTS)
    included = "".join(f"#include <{one}>\n" for one in HEADERS)
    ours = "".join(
        re.sub(rf"\b{name}\(", f"our_{name}(", text, count=1) + "\n" for name, text in TEXTS.items()
    )
    compared = " ".join(f"SAME(!({name})(c), !our_{name}(c));" for name in OF_A_CHARACTER)
    source, program = tmp_path / "compared.c", tmp_path / "compared"
    source.write_text(included + ours + MAIN.replace("CHARACTERS", compared))
    subprocess.run(["gcc", "-w", "-fno-builtin", str(source), "-o", str(program)], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
