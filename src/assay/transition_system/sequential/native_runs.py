"""Runs of a graph as a program of C, for runs of a thousand million steps.

The text has a label for each location and a line for each node of a term; gcc makes a program of it that
makes runs with random choices until one fails, or follows one that is given. What it must compute is what
`running` says; tests compare the two. It is about a hundred times faster than `compiled_runs`.

What it does not know (numbers of more than 64 bits, arrays that are compared or change places) is refused.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import (
    TRUE,
    Array,
    ArrayValue,
    Bits,
    Term,
    evaluated,
    in_order,
)
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow, Edge

MOST_EDGES = 8000
FEW_EDGES = 600  # that are worth more of gcc's time
MOST_BITS = 64
MOST_CHOICES = 1_000_000  # of a run
MOST_ELEMENTS = 1 << 25  # of all arrays together, places that are free among them
COMPILE_SECONDS = 20.0

HEAD = """\
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
typedef unsigned long long u64;
typedef long long i64;
static inline i64 S(u64 a, int w) { return (i64)(a << (64 - w)) >> (64 - w); }
static inline u64 sdiv(u64 a, u64 b, int w) {
  i64 x = S(a, w), y = S(b, w);
  return y == 0 ? (x < 0 ? 1 : ~0ull) : y == -1 ? 0 - a : (u64)(x / y);
}
static inline u64 srem(u64 a, u64 b, int w) {
  i64 x = S(a, w), y = S(b, w);
  return y == 0 ? a : y == -1 ? 0 : (u64)(x % y);
}
struct array { u64 otherwise, mask, count; unsigned stamp; unsigned *stamps; u64 *keys, *values; };
static inline u64 slot(const struct array *a, u64 key) {
  return (key + (key >> 32) * 0x9E3779B97F4A7C15ull) & a->mask;
}
static u64 reserved;
static jmp_buf full; /* a run that keeps too much is cut */
static void reserve(struct array *a, u64 size) {
  if (reserved + size > LARGEST) longjmp(full, 1);
  reserved += size;
  a->mask = size - 1, a->count = 0, a->stamp = 1;
  a->stamps = calloc(size, sizeof *a->stamps);
  a->keys = malloc(size * sizeof *a->keys), a->values = malloc(size * sizeof *a->values);
  if (!a->stamps || !a->keys || !a->values) exit(3);
}
static void release(struct array *a) {
  free(a->stamps), free(a->keys), free(a->values);
  a->stamps = 0, a->keys = a->values = 0;
}
static void clear(struct array *a, u64 otherwise) {
  if (a->stamps && a->stamp == ~0u) {
    reserved -= a->mask + 1;
    release(a);
  }
  if (!a->stamps) reserve(a, 256);
  a->stamp++, a->count = 0, a->otherwise = otherwise;
}
static inline u64 get(const struct array *a, u64 key) {
  for (u64 at = slot(a, key); a->stamps[at] == a->stamp; at = (at + 1) & a->mask)
    if (a->keys[at] == key) return a->values[at];
  return a->otherwise;
}
static void put(struct array *a, u64 key, u64 value) {
  u64 at = slot(a, key);
  for (; a->stamps[at] == a->stamp; at = (at + 1) & a->mask)
    if (a->keys[at] == key) { a->values[at] = value; return; }
  a->stamps[at] = a->stamp, a->keys[at] = key, a->values[at] = value;
  if (2 * ++a->count > a->mask) {
    struct array old = *a;
    reserve(a, 2 * (old.mask + 1));
    for (u64 each = 0; each <= old.mask; each++)
      if (old.stamps[each] == old.stamp) put(a, old.keys[each], old.values[each]);
    free(old.stamps), free(old.keys), free(old.values);
    reserved -= old.mask + 1;
  }
}
static void copy(struct array *to, const struct array *from) {
  clear(to, from->otherwise);
  for (u64 each = 0; each <= from->mask; each++)
    if (from->stamps[each] == from->stamp) put(to, from->keys[each], from->values[each]);
}
static u64 state, limit, few[2], *chosen;
static unsigned *edges;
static u64 count, given_count, given_next, *given, *begun;
static int follows, is_uniform;
static u64 any(void) {
  u64 z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
static u64 next(void) { return given_next < given_count ? given[given_next++] : 0; }
"""

RANDOM = """\
static u64 number(int w) {
  u64 mask = ~0ull >> (64 - w);
  if (is_uniform == 2) return few[any() % 4 == 0] & mask;
  unsigned pick = any() % 100;
  if (pick < 45) return (any() % 9 - 2) & mask;
  if (pick < 75) { u64 found; if (known(w, &found)) return found; }
  if (pick < 90) return (any() % 1101 - 100) & mask;
  return any() & mask;
}
static u64 choose(unsigned edge, int w) {
  u64 value = follows ? next() & (~0ull >> (64 - w)) : number(w);
  if (count == MOST) return value;
  edges[count] = edge, chosen[count++] = value;
  return value;
}
static void chosen_array(unsigned edge, struct array *a, int index, int element) {
  clear(a, choose(edge, element));
  if (follows)
    for (u64 left = next(); left && given_next < given_count; left--) {
      u64 at = next() & (~0ull >> (64 - index));
      put(a, at, next() & (~0ull >> (64 - element)));
    }
}
"""

MAIN = """\
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}
static int limited(void) {
  if (!setjmp(full)) return run();
  if (follows) exit(3);
  release_all();
  return -2;
}
static int tell(int location) {
  printf("%d %d %llu\\n", location, STARTS, count);
  for (int at = 0; at < STARTS; at++) printf("%llu\\n", begun[at]);
  for (u64 at = 0; at < count; at++) printf("%u %llu\\n", edges[at], chosen[at]);
  return 0;
}
int main(int argc, char **argv) {
  chosen = malloc(MOST * sizeof *chosen), edges = malloc(MOST * sizeof *edges);
  begun = calloc(STARTS + 1, sizeof *begun);
  if (!chosen || !edges || !begun || argc < 3) return 3;
  double until = seconds() + atof(argv[1]);
  follows = argv[2][0] == 'f';
  limit = ~0ull;
  if (follows) {
    if (scanf("%llu", &given_count) != 1 || given_count > 1ull << 32) return 3;
    given = malloc((given_count + 1) * sizeof *given);
    if (!given) return 3;
    for (u64 at = 0; at < given_count; at++) if (scanf("%llu", given + at) != 1) return 3;
    return tell(limited());
  }
  state = strtoull(argv[2], 0, 10);
  u64 made = 0;
  for (u64 most = 1000; ; most *= 10) {
    double share = seconds() + (until - seconds()) / 4;
    u64 cut = 0, here = 0;
    do {
      limit = most;
      is_uniform = 0;
      if (any() % 4 == 0) { few[0] = number(32), few[1] = number(32); is_uniform = 2; }
      count = 0;
      int location = limited();
      made++, here++;
      if (location >= 0) return tell(location);
      if (location == -2) {
        cut++;
        if (count == 0) break; /* every run is this one */
      } else if (count == 0) {
        until = 0;
        break;
      }
    } while (seconds() < share && (cut < here || cut < 5) && (cut < 1000 || here < 100000));
    if (seconds() > until || most > ~0ull / 20) break;
    if (!cut) most /= 10;
  }
  printf("-1 0 0\\n%llu\\n", made);
  return 0;
}
"""

FORMS: Mapping[str, str] = {
    "bvadd": "({0} + {1}) & {m}",
    "bvsub": "({0} - {1}) & {m}",
    "bvmul": "({0} * {1}) & {m}",
    "bvudiv": "{1} ? {0} / {1} : {m}",
    "bvurem": "{1} ? {0} % {1} : {0}",
    "bvsdiv": "sdiv({0}, {1}, {w}) & {m}",
    "bvsrem": "srem({0}, {1}, {w}) & {m}",
    "bvand": "{0} & {1}",
    "bvor": "{0} | {1}",
    "bvxor": "{0} ^ {1}",
    "bvshl": "{1} < {w} ? ({0} << {1}) & {m} : 0",
    "bvlshr": "{1} < {w} ? {0} >> {1} : 0",
    "bvashr": "(u64)(S({0}, {w}) >> ({1} < {w} ? {1} : {w} - 1)) & {m}",
    "bvult": "{0} < {1}",
    "bvule": "{0} <= {1}",
    "bvslt": "({0} ^ {h}) < ({1} ^ {h})",
    "bvsle": "({0} ^ {h}) <= ({1} ^ {h})",
    "=": "{0} == {1}",
    "not": "!{0}",
    "ite": "{0} ? {1} : {2}",
    "bvnot": "{0} ^ {m}",
    "bvneg": "(0 - {0}) & {m}",
    "zero_extend": "{0}",
    "sign_extend": "(u64)S({0}, {w}) & {m}",
}


class NotCompiled(Exception):
    """Why there is no program of C for this graph."""


@dataclass(frozen=True, slots=True)
class Ended:
    """`location`: of a failure, or -1; `chosen`: with the positions of the edges that chose."""

    location: int
    starts: tuple[int, ...]
    chosen: tuple[tuple[int, int], ...]
    made: int = 1  # runs


class NativeRuns:
    """A program in a folder of its own, which is gone at the end of a `with`."""

    def __init__(
        self, flow: ControlFlow, numbers: Mapping[int, Sequence[int]], seconds: float = COMPILE_SECONDS
    ) -> None:
        if len(flow.edges) > MOST_EDGES:
            raise NotCompiled(f"the graph has more than {MOST_EDGES} edges")
        compiler = shutil.which("gcc")
        if compiler is None:
            raise NotCompiled("gcc was not found")
        self.flow = flow
        self.unset = [one for one in flow.variables if one not in flow.initial_values]
        text = _Text(flow, numbers, self.unset).whole()
        try:
            self.folder = tempfile.TemporaryDirectory()
            source = Path(self.folder.name, "runs.c")
            self.program = str(source.with_suffix(""))
            source.write_text(text)
        except OSError as problem:
            raise NotCompiled(f"there is no place for it: {problem.strerror}") from problem
        refused = _compiled(compiler, source, "-O2" if len(flow.edges) <= FEW_EDGES else "-O1", seconds)
        if refused:
            self.folder.cleanup()
            raise NotCompiled(refused)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.folder.cleanup()

    def failing(self, seconds: float, seed: int) -> Ended | None:
        """The first of many random runs that fails; a run that does not end is given up when the time is
        over."""
        return self._asked(str(seed), "", seconds)

    def followed(self, numbers: Sequence[int], seconds: float) -> Ended | None:
        """Where a run ends: first what the variables without a value begin with, then what is chosen, as
        numbers; an array is its usual element, how many others there are, and those with their places."""
        return self._asked("follow", "\n".join(map(str, (len(numbers), *numbers))), seconds)

    def _asked(self, how: str, given: str, seconds: float) -> Ended | None:
        try:
            done = subprocess.run(
                [self.program, str(seconds), how],
                input=given,
                capture_output=True,
                text=True,
                timeout=max(0.1, seconds) + 0.5,
                check=False,
            )
        except (subprocess.TimeoutExpired, OSError):
            return None
        words = done.stdout.split()
        if done.returncode != 0 or len(words) < 3:
            return None
        location, starts, count = map(int, words[:3])
        numbers = list(map(int, words[3:]))
        if location < 0 and not starts and not count:
            return Ended(-1, (), (), numbers[0] if numbers else 1)
        chosen = numbers[starts : starts + 2 * count]
        pairs = tuple(zip(chosen[::2], chosen[1::2], strict=True))
        return Ended(location, tuple(numbers[:starts]), pairs)


def _compiled(compiler: str, source: Path, level: str, seconds: float) -> str:
    """What went wrong."""
    command = [compiler, "-std=gnu11", level, "-w", str(source), "-o", str(source.with_suffix(""))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=max(0.1, seconds), check=False)
    except (subprocess.TimeoutExpired, OSError):
        return "gcc needs too long"
    return f"gcc does not compile it: {done.stderr.strip()[:200]}" if done.returncode else ""


class _Text:
    def __init__(
        self, flow: ControlFlow, numbers: Mapping[int, Sequence[int]], unset: Sequence[Term]
    ) -> None:
        self.flow, self.numbers, self.unset = flow, numbers, unset
        self.names = {one: f"v{at}" for at, one in enumerate(flow.variables)}
        self.positions = {id(edge): at for at, edge in enumerate(flow.edges)}

    def whole(self) -> str:
        limits = f"enum {{ MOST = {MOST_CHOICES}, STARTS = {len(self.unset)}, LARGEST = {MOST_ELEMENTS} }};"
        lines = [limits, HEAD]
        lines += self._known()
        lines += [RANDOM]
        arrays = [one for one in self.flow.variables if isinstance(one.sort, Array)]
        lines += [f"static struct array {self.names[one]};" for one in arrays]
        lines += self._contents(arrays)
        lines += ["static int run(void) {", "u64 steps = 0;"]
        scalars = [one for one in self.flow.variables if not isinstance(one.sort, Array)]
        lines += [f"u64 {self.names[one]} = 0;" for one in scalars]
        lines += self._beginning()
        lines += [f"goto L{self.flow.entry};"]
        for location in range(self.flow.locations):
            lines += self._location(location)
        lines += ["stuck: return -1;", "cut: return -2;", "}"]
        lines += ["static void release_all(void) {", *(f"release(&{self.names[one]});" for one in arrays)]
        lines += ["reserved = 0; }", MAIN]
        return "\n".join(lines) + "\n"

    def _known(self) -> Iterator[str]:
        """Numbers of the text, by width."""
        yield "static int known(int w, u64 *found) {"
        yield "switch (w) {"
        for width, values in sorted(self.numbers.items()):
            if values and width <= MOST_BITS:
                listed = ", ".join(f"{value}ull" for value in values)
                yield f"case {width}: {{ static const u64 all[] = {{{listed}}};"
                yield f"*found = all[any() % {len(values)}]; return 1; }}"
        yield "} return 0; }"

    def _contents(self, arrays: Iterable[Term]) -> Iterator[str]:
        for one in arrays:
            if one in self.flow.initial_values:
                value = evaluated(self.flow.initial_values[one], {})
                assert isinstance(value, ArrayValue)
                name = self.names[one]
                elements = sorted(value.elements.items())
                if elements:
                    rows = ", ".join(f"{{{at}ull, {each}ull}}" for at, each in elements)
                    yield f"static const u64 first_{name}[][2] = {{{rows}}};"

    def _beginning(self) -> Iterator[str]:
        for one, term in self.flow.initial_values.items():
            value, name = evaluated(term, {}), self.names[one]
            if isinstance(value, ArrayValue):
                yield f"clear(&{name}, {value.otherwise}ull);"
                if value.elements:
                    yield f"for (unsigned at = 0; at < {len(value.elements)}; at++)"
                    yield f"  put(&{name}, first_{name}[at][0], first_{name}[at][1]);"
            else:
                yield f"{name} = {int(value)}ull;"
        yield "if (follows) { for (u64 left = next(); left; left--) switch (next()) {"
        for at, one in enumerate(self.flow.variables):
            if one in self.flow.initial_values:
                continue
            if isinstance(one.sort, Array):
                yield f"case {at}: chosen_array(0, &{self.names[one]}, {one.sort.index}, {one.sort.element});"
                yield "count--; break;"
            else:
                yield f"case {at}: {self.names[one]} = next() & {_mask(_width(one))}; break;"
        yield "default: return -1; } } else {"
        for at, one in enumerate(self.unset):
            if isinstance(one.sort, Array):
                yield f"clear(&{self.names[one]}, begun[{at}] = number({one.sort.element}));"
            else:
                yield f"begun[{at}] = {self.names[one]} = number({_width(one)});"
        yield "}"
        for one in self.unset:
            if isinstance(one.sort, Array):  # nobody gave it a content
                yield f"if (!{self.names[one]}.stamps) clear(&{self.names[one]}, 0);"

    def _location(self, location: int) -> Iterator[str]:
        yield f"L{location}:;"
        if location in self.flow.failures:
            yield f"return {location};"
            return
        if location in self.flow.cut_points:
            yield f"if (++steps >= limit || count == {MOST_CHOICES}) goto cut;"
        for edge in self.flow.outgoing[location]:
            yield from self._edge(edge)
        yield "goto stuck;"

    def _edge(self, edge: Edge) -> Iterator[str]:
        action, goes_on = edge.action, f"goto L{edge.target};"
        if isinstance(action, Assume):
            if action.condition is TRUE:
                yield goes_on
                return
            lines = _Lines(self.names)
            condition = lines.value(action.condition)
            yield f"{{ {' '.join(lines.made)} if ({condition}) {goes_on} }}"
        elif isinstance(action, Choose):
            position, one = self.positions[id(edge)], action.variable
            if isinstance(one.sort, Array):
                given = f"&{self.names[one]}, {one.sort.index}, {one.sort.element}"
                yield f"chosen_array({position}, {given});"
            else:
                yield f"{self.names[one]} = choose({position}, {_width(one)});"
            yield goes_on
        else:
            assert isinstance(action, Assign)
            yield from self._assigned(action)
            yield goes_on

    def _assigned(self, action: Assign) -> Iterator[str]:
        """Everything is computed before anything is set."""
        lines = _Lines(self.names)
        scalars = [(name, value) for name, value in action.values if not isinstance(name.sort, Array)]
        arrays = [(name, value) for name, value in action.values if isinstance(name.sort, Array)]
        set_here = {name for name, _ in arrays}
        for name, value in arrays:
            if any(one in set_here and one is not name for one in _bases(value)):
                raise NotCompiled("arrays change places")
        new = [(self.names[name], lines.value(value)) for name, value in scalars]
        changes = [line for name, value in arrays for line in lines.changes(name, value)]
        yield "{"
        yield from lines.made
        yield from (f"u64 n{at} = {value};" for at, (_, value) in enumerate(new))
        yield from changes
        yield from (f"{name} = n{at};" for at, (name, _) in enumerate(new))
        yield "}"


def _bases(array: Term) -> Iterator[Term]:
    """Arrays of which it is a changed one."""
    if array.operator == "variable":
        yield array
    elif array.operator == "store":
        yield from _bases(array.operands[0])
    elif array.operator == "ite":
        yield from _bases(array.operands[1])
        yield from _bases(array.operands[2])


class _Lines:
    """Of one edge: a variable of C for each node."""

    def __init__(self, names: Mapping[Term, str]) -> None:
        self.known: dict[Term, str] = dict(names)
        self.made: list[str] = []

    def value(self, term: Term) -> str:
        for one in in_order((term,)):
            if one not in self.known and not isinstance(one.sort, Array):
                self.known[one] = self._named(self._form(one))
        return self.known[term]

    def _named(self, form: str) -> str:
        if form.isalnum():
            return form
        self.made.append(f"const u64 t{len(self.made)} = {form};")
        return f"t{len(self.made) - 1}"

    def _form(self, term: Term) -> str:
        if term.is_constant:
            return f"{term.value}ull"
        if term.operator == "variable" or any(_width(one) > MOST_BITS for one in (term, *term.operands)):
            raise NotCompiled("a number has more than 64 bits, or no value")
        if term.operator == "select":
            return self._element(term.operands[0], self.known[term.operands[1]])
        if any(isinstance(one.sort, Array) for one in term.operands):
            raise NotCompiled("arrays are compared")
        given = [self.known[one] for one in term.operands]
        if term.operator in ("and", "or"):
            return {"and": " && ", "or": " || "}[term.operator].join(given)
        if term.operator == "extract":
            high, low = term.parameters
            return f"({given[0]} >> {low}) & {_mask(high - low + 1)}"
        if term.operator == "concat":
            return f"({given[0]} << {term.operands[1].width}) | {given[1]}"
        if term.operator not in FORMS:
            raise NotCompiled(f"{term.operator} has no form in C")
        width = _width(term.operands[0])
        own = _mask(_width(term))
        return FORMS[term.operator].format(*given, m=own, w=width, h=f"{1 << (width - 1)}ull")

    def _element(self, array: Term, index: str) -> str:
        """What is at an index, as it was before the edge."""
        if array.operator == "variable":
            return f"get(&{self.known[array]}, {index})"
        if array.operator == "const":
            return self.known[array.operands[0]]
        if array.operator == "store":
            inner = self._element(array.operands[0], index)
            at, element = (self.known[one] for one in array.operands[1:])
            return f"({at} == {index} ? {element} : {inner})"
        if array.operator == "ite":
            yes, no = (self._element(one, index) for one in array.operands[1:])
            return f"({self.known[array.operands[0]]} ? {yes} : {no})"
        raise NotCompiled(f"an array made by {array.operator}")

    def changes(self, name: Term, array: Term) -> list[str]:
        """After which the variable is the array; all that is needed besides is computed first."""
        for one in in_order((array,)):
            if not isinstance(one.sort, Array):
                self.value(one)
        return self._changes(self.known[name], name, array)

    def _changes(self, target: str, name: Term, array: Term) -> list[str]:
        if array is name:
            return []
        if array.operator == "variable":
            return [f"copy(&{target}, &{self.known[array]});"]
        if array.operator == "const":
            return [f"clear(&{target}, {self.known[array.operands[0]]});"]
        if array.operator == "store":
            at, element = (self.known[one] for one in array.operands[1:])
            return [*self._changes(target, name, array.operands[0]), f"put(&{target}, {at}, {element});"]
        if array.operator == "ite":
            condition, yes, no = array.operands
            first, second = (" ".join(self._changes(target, name, one)) for one in (yes, no))
            return [f"if ({self.known[condition]}) {{ {first} }} else {{ {second} }}"]
        raise NotCompiled(f"an array made by {array.operator}")


def _width(term: Term) -> int:
    if isinstance(term.sort, Bits):
        return term.sort.width
    return max(term.sort.index, term.sort.element) if isinstance(term.sort, Array) else 1


def _mask(width: int) -> str:
    return f"{(1 << width) - 1}ull"
