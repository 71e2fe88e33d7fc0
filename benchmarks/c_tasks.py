"""Sequential C programs with known verdicts: hand-written ones and families that grow.

Each hand-written file begins with `// holds:` or `// fails:` and why. Families put a size into a text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "models" / "c_programs"
HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"


@dataclass(frozen=True, slots=True)
class CTask:
    name: str
    text: str
    holds: bool


def tasks() -> Iterator[CTask]:
    for path in sorted(FOLDER.glob("*.c")):
        text = path.read_text()
        yield CTask(path.stem, text, text.startswith("// holds"))
    yield from families()


def families() -> Iterator[CTask]:
    for size in (2, 6, 12):
        yield CTask(f"locks_{size}", locks(size), holds=True)
        yield CTask(f"locks_{size}_confused", locks(size, confused=True), holds=False)
    for size in (10, 100):
        yield CTask(f"known_loop_{size}", known_loop(size), holds=True)
        yield CTask(f"known_loop_{size}_fails", known_loop(size, limit=size - 1), holds=False)
    for size in (5, 40):
        yield CTask(f"driver_{size}", driver(size), holds=True)
        yield CTask(f"driver_{size}_forgets", driver(size, forgets=size // 2), holds=False)
    for size in (3, 6):
        yield CTask(f"counters_{size}", counters(size), holds=True)
    for size in (4, 8):
        yield CTask(f"array_sum_{size}", array_sum(size), holds=True)
        yield CTask(f"array_sort_{size}", array_sort(size), holds=True)
    for size in (100, 100_000):
        yield CTask(f"array_fill_{size}", array_fill(size), holds=True)
        yield CTask(f"array_fill_{size}_short", array_fill(size, short=1), holds=False)
    for size in (2, 5):
        yield CTask(f"array_copies_{size}", array_copies(size), holds=True)
    for size in (0, 2):
        yield CTask(f"element_sums_{size}", element_sums(size), holds=True)
        yield CTask(f"element_sums_{size}_off", element_sums(size, off=1), holds=False)
    yield CTask("element_count", element_count(), holds=True)
    yield CTask("element_count_off", element_count(other=99_999), holds=False)
    yield CTask("recursive_parity", recursive_parity(), holds=True)
    yield CTask("recursive_parity_off", recursive_parity(wrong=7), holds=False)
    for size in (1_000, 1_000_000):
        yield CTask(f"recursive_sum_{size}", recursive_sum(size), holds=True)
        yield CTask(f"recursive_sum_{size}_off", recursive_sum(size, off=1), holds=False)
    for size, value in ((8, 21), (20, 6765)):
        yield CTask(f"fibonacci_{size}", fibonacci(size, value), holds=True)
        yield CTask(f"fibonacci_{size}_off", fibonacci(size, value + 1), holds=False)
    for size in (1_000, 1_000_000):
        yield CTask(f"far_{size}", far(size), holds=False)
    for size in (4, 16):
        yield CTask(f"protocol_{size}", protocol(size), holds=True)
        yield CTask(f"protocol_{size}_skips", protocol(size, skips=True), holds=False)


def program(body: str) -> str:
    return f"{HEAD}int main(void) {{\n{body}  return 0;\n}}\n"


def locks(size: int, *, confused: bool = False) -> str:
    """As many locks as flags; each is taken and given back if its flag says so."""
    names = range(size)
    lines = [f"  int lk{i}, p{i};\n" for i in names]
    lines.append("  while (__VERIFIER_nondet_int()) {\n")
    lines += [f"    p{i} = __VERIFIER_nondet_int(); lk{i} = 0;\n" for i in names]
    lines += [f"    if (p{i}) lk{i} = 1;\n" for i in names]
    for i in names:
        other = (i + 1) % size if confused and i == size - 1 else i
        lines.append(f"    if (p{other}) {{ if (lk{i} != 1) reach_error(); lk{i} = 0; }}\n")
    lines.append("  }\n")
    return program("".join(lines))


def known_loop(size: int, limit: int = 0) -> str:
    limit = limit or size
    return program(
        f"  int x = __VERIFIER_nondet_int() & 15, i = 0, sum = 0;\n"
        f"  for (i = 0; i < {size}; i++) sum += x;\n"
        f"  if (sum > 15 * {limit}) reach_error();\n"
    )


def driver(size: int, forgets: int = -1) -> str:
    """A dispatch routine with many requests, each of which takes the lock and gives it back."""
    parts = [HEAD, "int lock = 0;\n"]
    parts.append("void acquire(void) { if (lock) reach_error(); lock = 1; }\n")
    parts.append("void release(void) { if (!lock) reach_error(); lock = 0; }\n")
    for i in range(size):
        last = "if (status >= 0) release();" if i == forgets else "release();"
        parts.append(
            f"int request{i}(int status) {{\n  acquire();\n"
            f"  if (status == {i}) {{ status = -1; }}\n  {last}\n  return status;\n}}\n"
        )
    cases = "".join(f"    case {i}: status = request{i}(status); break;\n" for i in range(size))
    parts.append(
        "int main(void) {\n  int status = 0;\n  while (1) {\n"
        "    int code = __VERIFIER_nondet_int();\n    switch (code) {\n"
        f"{cases}    default: status = code;\n    }}\n  }}\n}}\n"
    )
    return "".join(parts)


def counters(size: int) -> str:
    """Counters that move together: all are equal after any number of rounds."""
    names = [f"c{i}" for i in range(size)]
    declared = "".join(f"  unsigned {one} = 0;\n" for one in names)
    moved = "".join(f"    {one}++;\n" for one in names)
    tested = "".join(f"  if ({one} != {other}) reach_error();\n" for one, other in pairwise(names))
    return program(f"{declared}  while (__VERIFIER_nondet_int()) {{\n{moved}  }}\n{tested}")


def array_sum(size: int) -> str:
    return program(
        f"  unsigned char a[{size}];\n  unsigned sum = 0;\n"
        f"  for (int i = 0; i < {size}; i++) a[i] = __VERIFIER_nondet_int();\n"
        f"  for (int i = 0; i < {size}; i++) sum += a[i];\n"
        f"  if (sum > 255u * {size}) reach_error();\n"
    )


def array_sort(size: int) -> str:
    """The least element comes to the front."""
    return program(
        f"  int a[{size}];\n"
        f"  for (int i = 0; i < {size}; i++) a[i] = __VERIFIER_nondet_int();\n"
        f"  for (int i = {size} - 1; i > 0; i--)\n"
        "    if (a[i] < a[i - 1]) { int t = a[i]; a[i] = a[i - 1]; a[i - 1] = t; }\n"
        f"  for (int i = 1; i < {size}; i++)\n    if (a[i] < a[0]) reach_error();\n"
    )


def array_fill(size: int, short: int = 0) -> str:
    """Every element is set; or all but the last."""
    return program(
        f"  int a[{size}], i, x;\n"
        f"  for (i = 0; i < {size} - {short}; i++) a[i] = 42;\n"
        f"  for (x = 0; x < {size}; x++) if (a[x] != 42) reach_error();\n"
    )


def array_copies(size: int) -> str:
    """From array to array; the last is as the first."""
    names = [f"a{i}" for i in range(size + 1)]
    declared = "".join(f"  int {one}[100000];\n" for one in names)
    copied = "".join(
        f"  for (int i = 0; i < 100000; i++) {other}[i] = {one}[i];\n" for one, other in pairwise(names)
    )
    return program(
        f"{declared}  for (int i = 0; i < 100000; i++) a0[i] = __VERIFIER_nondet_int();\n{copied}"
        f"  for (int x = 0; x < 100000; x++) if (a0[x] != {names[-1]}[x]) reach_error();\n"
    )


def element_sums(size: int, off: int = 0) -> str:
    """Ones that are added and taken away again, so many times, and added once more: as many as there are."""
    loop = "  for (int i = 0; i < n; i++) sum {}= a[i];\n"
    return program(
        "  static int a[100000];\n  int sum = 0, n = __VERIFIER_nondet_int();\n"
        "  if (n < 1 || n > 100000) return 0;\n  for (int i = 0; i < n; i++) a[i] = 1;\n"
        f"  a[0] += {off};\n"
        + size * (loop.format("+") + loop.format("-"))
        + loop.format("+")
        + "  if (sum != n) reach_error();\n"
    )


def element_count(other: int = -1) -> str:
    """How many elements are one: all, but for the other."""
    return program(
        "  static int a[100000];\n  int count = 0;\n"
        f"  for (int i = 0; i < 100000; i++) a[i] = i != {other};\n"
        "  for (int i = 0; i < 100000; i++) if (a[i] == 1) count++;\n  if (count != 100000) reach_error();\n"
    )


def recursive_parity(wrong: int = -1) -> str:
    """Two functions that call each other; what one says of a number is its last bit."""
    return (
        f"{HEAD}int even(int n);\nint odd(int n) {{ return n == {wrong} ? 0 : n == 0 ? 0 : even(n - 1); }}\n"
        "int even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
        "int main(void) {\n  int n = __VERIFIER_nondet_int();\n  if (n < 0) return 0;\n"
        "  if (odd(n) != n % 2) reach_error();\n  return 0;\n}\n"
    )


def recursive_sum(size: int, off: int = 0) -> str:
    return (
        f"{HEAD}int add(int m, int n) {{ return n == 0 ? m + {off} * (m == 5) : add(m + 1, n - 1); }}\n"
        "int main(void) {\n  int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();\n"
        f"  if (n < 0 || n > {size}) return 0;\n  if (add(m, n) != m + n) reach_error();\n  return 0;\n}}\n"
    )


def fibonacci(size: int, value: int) -> str:
    return (
        f"{HEAD}int fib(int n) {{ return n < 2 ? n : fib(n - 1) + fib(n - 2); }}\n"
        f"int main(void) {{ if (fib({size}) != {value}) reach_error(); return 0; }}\n"
    )


def far(size: int) -> str:
    """It fails after so many rounds, and never before."""
    return program(
        f"  int i = 0, x = 0;\n  while (i < {size}) {{ i++; x += i & 3; }}\n  if (x != 0) reach_error();\n"
    )


def protocol(size: int, *, skips: bool = False) -> str:
    """A ring of states; a shadow of it is kept beside."""
    steps = "".join(
        f"    {'else ' if i else ''}if (state == {i}) {{ state = {(i + 1) % size}; "
        f"shadow = {(i + (2 if skips and i == size - 2 else 1)) % size}; }}\n"
        for i in range(size)
    )
    return program(
        "  int state = 0, shadow = 0;\n  while (1) {\n"
        "    if (__VERIFIER_nondet_int()) continue;\n"
        f"{steps}    if (state != shadow) reach_error();\n  }}\n"
    )
