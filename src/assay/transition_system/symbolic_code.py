"""The symbolic form of a program as C, against the interface of compiled models (`model_abi.h`).

A state is a word for each control and one for each variable, signed; or, packed, as few words as the bits
of all of them take (`Packing`). Successors come in the order of `SymbolicModel`. Predicates are labels. A
number without bounds has the room of a word here: a step that would need more leads nowhere, and has a
violation of its own, `overflow_code`, which a search must take for what it is: the end of what it can see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from assay.records import dataclass
from assay.transition_system.symbolic import (
    Failure,
    NotExpressible,
    State,
    Step,
    SymbolicModel,
    SymbolicSystem,
)
from assay.transition_system.terms import (
    FALSE,
    TRUE,
    Apply,
    Number,
    Term,
    Truncate,
    Truth,
    Variable,
    bounds,
    compiled_together,
)

MOST_PREDICATES = 64
WORD_BITS = 64
WORD = 1 << WORD_BITS - 1
OVERFLOWED = "overflowed"  # the flag of the function that evaluates
CHECKED = {"+": "plus", "-": "minus", "*": "times", "<<": "shifted"}

HEAD = """\
#include "model_abi.h"
typedef int64_t i64;
static inline i64 plus(i64 a, i64 b, int *o) {
  i64 r;
  if (__builtin_add_overflow(a, b, &r)) *o = 1;
  return r;
}
static inline i64 minus(i64 a, i64 b, int *o) {
  i64 r;
  if (__builtin_sub_overflow(a, b, &r)) *o = 1;
  return r;
}
static inline i64 times(i64 a, i64 b, int *o) {
  i64 r;
  if (__builtin_mul_overflow(a, b, &r)) *o = 1;
  return r;
}
static inline i64 shifted(i64 a, i64 b, int *o) {
  if (b < 0 || a == 0) return 0;
  if (b > 62) { *o = 1; return 0; }
  return times(a, (i64)1 << b, o);
}
static inline i64 quotient(i64 a, i64 b, int *o) {
  if (b == 0) return 0;
  if (b == -1) return minus(0, a, o);
  return a / b;
}
static inline i64 remainder_of(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }
static inline i64 modulo(i64 a, i64 b) {
  i64 r = remainder_of(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static inline i64 floor_of(i64 a, i64 b, int *o) {
  if (b == 0) return 0;
  if (b == -1) return minus(0, a, o);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static inline i64 right(i64 a, i64 b) { return b < 0 ? 0 : a >> (b > 63 ? 63 : b); }
static inline i64 low_bits(i64 a, int bits, int is_signed) {
  if (bits >= 64) return a;
  uint64_t low = (uint64_t)a & (((uint64_t)1 << bits) - 1);
  return is_signed && low >> (bits - 1) ? (i64)(low - ((uint64_t)1 << bits)) : (i64)low;
}
static inline i64 not_negative(i64 a, int *o) {
  if (a < 0) *o = 1;
  return a;
}
static inline uint64_t *emit(assay_buffer *out, uint32_t violation, int has_state, uint32_t process) {
  if (out->words_capacity - out->words_used < WORDS || out->capacity - out->count < 1)
    out->grow(out, WORDS, 1);
  assay_successor *s = &out->successors[out->count++];
  s->first_word = out->words_used;
  s->word_count = has_state ? WORDS : 0;
  s->violation = violation;
  s->has_state = (uint16_t)has_state;
  s->process = (uint16_t)process;
  uint64_t *n = out->words + out->words_used;
  if (has_state) out->words_used += WORDS;
  return n;
}
static inline uint64_t *emit_like(assay_buffer *out, const uint64_t *words, uint32_t process) {
  uint64_t *n = emit(out, 0, 1, process);
  for (uint32_t i = 0; i < WORDS; i++) n[i] = words[i];
  return n;
}
"""


def overflow_code(system: SymbolicSystem) -> int:
    return len(SymbolicModel(system).codes) + 1


def c_text(term: Term, places: Mapping[str, str]) -> str:
    match term:
        case Number(value):
            if not -WORD <= value < WORD:
                return f"({OVERFLOWED} = 1, (i64)0)"
            return f"((i64)({value + 1}) - 1)" if value < 0 else f"((i64){value})"
        case Truth(value):
            return str(int(value))
        case Variable(name, _):
            return places[name]
        case Truncate(operand, bits, False) if (
            bits >= WORD_BITS
        ):  # the upper half has no room in a signed word
            return f"not_negative({c_text(operand, places)}, &{OVERFLOWED})"
        case Truncate(operand, bits, signed):
            return f"low_bits({c_text(operand, places)}, {bits}, {int(signed)})"
        case Apply("and", operands):
            return f"({' && '.join(c_text(one, places) for one in operands)})"
        case Apply("or", operands):
            return f"({' || '.join(c_text(one, places) for one in operands)})"
        case Apply("not", (operand,)):
            return f"(!{c_text(operand, places)})"
        case Apply("if", (condition, then, otherwise)):
            a, b, c = (c_text(one, places) for one in (condition, then, otherwise))
            return f"({a} ? {b} : {c})"
        case Apply(operator, operands):
            return _applied(term, operator, [c_text(one, places) for one in operands])
    raise TypeError(f"no term: {term!r}")


def _applied(term: Term, operator: str, a: list[str]) -> str:
    low, high = bounds(term)
    fits = low is not None and high is not None and low >= -WORD and high < WORD
    match operator:
        case "neg":
            return f"(-{a[0]})" if fits else f"minus(0, {a[0]}, &{OVERFLOWED})"
        case "~":
            return f"(~{a[0]})"
        case "modulo":
            return f"modulo({a[0]}, {a[1]})"
        case "quotient":
            return f"quotient({a[0]}, {a[1]}, &{OVERFLOWED})"
        case "remainder":
            return f"remainder_of({a[0]}, {a[1]})"
        case "floor":
            return f"floor_of({a[0]}, {a[1]}, &{OVERFLOWED})"
        case ">>":
            return f"right({a[0]}, {a[1]})"
        case "<<":
            return f"shifted({a[0]}, {a[1]}, &{OVERFLOWED})"
    if operator in CHECKED and not fits:
        return f"{CHECKED[operator]}({a[0]}, {a[1]}, &{OVERFLOWED})"
    return f"({a[0]} {operator} {a[1]})"


@dataclass(frozen=True, slots=True)
class Field:
    """Where a control or a variable is kept: `bits` of a word, from `shift` on; 64 of them are a word."""

    word: int
    shift: int
    bits: int
    signed: bool

    def get(self, words: str) -> str:
        word = f"{words}[{self.word}]"
        if self.bits == WORD_BITS:
            return f"(i64){word}"
        if self.signed:  # up to the top, and down again with its sign
            return f"(i64)({word} << {WORD_BITS - self.shift - self.bits}) >> {WORD_BITS - self.bits}"
        return f"(i64)({word} >> {self.shift} & {self.mask}ull)"

    def put(self, words: str, value: str) -> str:
        word = f"{words}[{self.word}]"
        if self.bits == WORD_BITS:
            return f"{word} = (uint64_t)({value});"
        cleared = f"{word} & ~({self.mask}ull << {self.shift})"
        return f"{word} = ({cleared}) | ((uint64_t)({value}) & {self.mask}ull) << {self.shift};"

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1


class Packing:
    """A word for each control and variable, or the words that all of them fit into by their bits: widths of
    variables, and the values that a control is ever given."""

    def __init__(self, system: SymbolicSystem, *, packed: bool) -> None:
        self.fields: list[Field] = []
        used: list[int] = []  # bits of each word
        for bits, signed in self._sizes(system) if packed else [(WORD_BITS, True)] * len(system.positions):
            word = next((word for word, taken in enumerate(used) if taken + bits <= WORD_BITS), len(used))
            if word == len(used):
                used.append(0)
            self.fields.append(Field(word, used[word], bits, signed))
            used[word] += bits
        self.words = len(used)

    @staticmethod
    def _sizes(system: SymbolicSystem) -> Iterator[tuple[int, bool]]:
        for position, control in enumerate(system.controls):
            values = {control.initial, *control.texts}
            values |= {value for step in system.steps for at, value in step.target if at == position}
            low, high = min(values), max(values)
            yield (WORD_BITS, True) if low < 0 or high >= WORD else (max(1, high.bit_length()), False)
        for variable in system.variables:
            kind = variable.type
            yield (WORD_BITS, True) if kind.bits is None else (kind.bits, kind.signed)

    def words_of(self, state: State) -> list[int]:
        words = [0] * self.words
        for field, value in zip(self.fields, state, strict=True):
            words[field.word] |= (value & field.mask) << field.shift
        return words


def code_of(
    system: SymbolicSystem,
    predicates: Sequence[Term] = (),
    *,
    errors: Sequence[State] = (),
    packed: bool = False,
    matched: bool = False,
) -> str:
    """The text. `matched`: a state has the bits of its predicates as further words, however many these are,
    and predicates are no labels then. `errors`: states that violate, too, each with a code of its own behind
    the others, as experiments mark them; when each was met first, by the clock of the process, is kept in
    `met`."""
    known = predicates if matched else predicates[:MOST_PREDICATES]
    return "\n".join(_Code(system, known, errors, packed=packed, matched=matched).lines())


class _Code:
    def __init__(
        self,
        system: SymbolicSystem,
        predicates: Sequence[Term],
        errors: Sequence[State],
        *,
        packed: bool,
        matched: bool,
    ) -> None:
        self.system = system
        self.predicates = () if matched else predicates  # labels
        self.bits = [predicates[at : at + WORD_BITS] for at in range(0, len(predicates), WORD_BITS)]
        self.bits = self.bits if matched else []  # a word of the state for each of these
        self.errors = errors
        self.codes = SymbolicModel(system).codes
        self.overflow = len(self.codes) + 1
        self.packing = Packing(system, packed=packed)
        if any(not -WORD <= value < WORD for value in system.initial_state):
            raise NotExpressible(
                "a variable begins with a number that has no room in a signed word",
                hint="--search bfs looks at its states one by one",
            )
        self.places = {name: f"s[{position}]" for name, position in system.positions.items()}

    def lines(self) -> list[str]:
        words = self.packing.words + len(self.bits)
        lines = [f"#define WORDS {words}u", f"#define VALUES {len(self.places)}u", HEAD]
        initial = ", ".join(f"{word}ull" for word in self.first())
        lines.append(f"static const uint64_t first[WORDS] = {{{initial}}};")
        lines.append(
            "static uint32_t initial(uint64_t *words, uint32_t *violation) {\n"
            "  for (uint32_t i = 0; i < WORDS; i++) words[i] = first[i];\n"
            "  *violation = 0;\n  return WORDS;\n}"
        )
        lines += self.matching()
        lines += self.successors()
        lines += self.ends()
        lines += self.checks()
        lines += self.labels()
        has_checks = self.errors or any(not failure.is_step for failure in self.system.failures)
        lines.append(
            "static const assay_model model = {\n  .abi = ASSAY_MODEL_ABI,\n  .max_words = WORDS,\n"
            "  .initial = initial,\n  .successors = successors,\n  .is_valid_end = is_valid_end,\n"
            f"  .check_state = {'check_state' if has_checks else 'NULL'},\n"
            f"  .label_count = {len(self.predicates)},\n"
            f"  .labels = {'labels' if self.predicates else 'NULL'}}};\n"
            "const assay_model *assay_model_entry(void) { return &model; }"
        )
        return lines

    def first(self) -> list[int]:
        """The words of the initial state."""
        initial = self.system.initial_state
        words = self.packing.words_of(initial)
        for predicates in self.bits:
            holds = compiled_together(predicates, self.system.positions)(initial)
            words.append(sum(1 << number for number, one in enumerate(holds) if one))
        return words

    def matching(self) -> list[str]:
        """A function that writes the bits of a state behind its values; 0: there was an overflow."""
        if not self.bits:
            return []
        lines = ["static int match(uint64_t *words, uint32_t count) {", *self.values()]
        for word, predicates in enumerate(self.bits, self.packing.words):
            lines.append(f"  words[{word}] = 0;")
            for number, predicate in enumerate(predicates):
                lines.append(
                    f"  if ({c_text(predicate, self.places)}) words[{word}] |= (uint64_t)1 << {number};"
                )
        lines.append(f"  return !{OVERFLOWED};\n}}")
        lines.append(
            "static inline void match_last(assay_buffer *out, uint64_t *n, uint32_t process) {\n"
            "  if (match(n, WORDS)) return;\n"
            "  out->count--;\n  out->words_used -= WORDS;\n"
            f"  emit(out, {self.overflow}u, 0, process);\n}}"
        )
        return lines

    def values(self) -> list[str]:
        """The controls and variables of the state that a function is given."""
        lines = [
            f"  int {OVERFLOWED} = 0;",
            "  i64 s[VALUES];",
            f"  (void)count; (void){OVERFLOWED}; (void)s;",
        ]
        lines += [
            f"  s[{position}] = {field.get('words')};" for position, field in enumerate(self.packing.fields)
        ]
        return lines

    def successors(self) -> list[str]:
        """By controls and their values, failures first, as `SymbolicModel` lists them."""
        lines = []
        if self.errors:
            lines.append("uint64_t expanded;")
        lines.append("static void successors(const uint64_t *words, uint32_t count, assay_buffer *out) {")
        lines += self.values()
        if self.errors:
            lines.append("  expanded++;")
        failures = [one for one in self.system.failures if one.is_step]
        lines += self.by_control(failures, self.failing)
        lines += self.by_control(self.system.steps, self.stepping)
        lines.append("}")
        return lines

    def by_control(
        self,
        items: Sequence[Step] | Sequence[Failure],
        write: Callable[[Any], list[str]],
    ) -> list[str]:
        lines = []
        groups: dict[int, dict[int, list[Step | Failure]]] = {}
        for item in items:
            control, value = item.source[0] if item.source else (-1, 0)
            groups.setdefault(control, {}).setdefault(value, []).append(item)
        for control in sorted(groups):
            if control < 0:
                for item in groups[control][0]:
                    lines += write(item)
                continue
            lines.append(f"  switch (s[{control}]) {{")
            for value, here in groups[control].items():
                lines.append(f"  case {value}:")
                for item in here:
                    lines += write(item)
                lines.append("    break;")
            lines.append("  }")
        return lines

    def condition(self, item: Step | Failure, term: Term) -> str:
        tests = [f"s[{control}] == {value}" for control, value in item.source[1:]]
        if term != TRUE:
            tests.append(c_text(term, self.places))
        return " && ".join(tests) or "1"

    def overflowing(self, process: int, *texts: str) -> list[str]:
        """What follows the evaluation of something that may have overflowed."""
        if not any(OVERFLOWED in text for text in texts):
            return []
        return [f"    if ({OVERFLOWED}) {{ {OVERFLOWED} = 0; emit(out, {self.overflow}u, 0, {process}u); }}"]

    def failing(self, failure: Failure) -> list[str]:
        if failure.condition == FALSE:
            return []
        code = self.codes[failure.facts]
        test = self.condition(failure, failure.condition)
        return [f"    if ({test}) emit(out, {code}u, 0, 0u);", *self.overflowing(0, test)]

    def stepping(self, step: Step) -> list[str]:
        if step.guard == FALSE:
            return []
        test = self.condition(step, step.guard)
        fields = self.packing.fields
        places = [
            (fields[self.system.positions[name]], c_text(value, self.places))
            for name, value in step.assignments
        ]
        lines = [f"    if ({test}) {{"]
        lines += [f"      const i64 t{number} = {value};" for number, (_, value) in enumerate(places)]
        may_overflow = self.overflowing(step.process, test, *(value for _, value in places))
        lines += [f"      if (!{OVERFLOWED}) {{"] if may_overflow else ["      {"]
        lines.append(f"        uint64_t *n = emit_like(out, words, {step.process}u); (void)n;")
        lines += [f"        {fields[control].put('n', str(value))}" for control, value in step.target]
        lines += [f"        {field.put('n', f't{number}')}" for number, (field, _) in enumerate(places)]
        lines += [f"        match_last(out, n, {step.process}u);"] if self.bits else []
        return [*lines, "      }", "    }", *may_overflow]

    def ends(self) -> list[str]:
        system = self.system
        lines = ["static uint32_t is_valid_end(const uint64_t *words, uint32_t count) {", *self.values()]
        for control, value in system.visible:
            lines.append(f"  if (s[{control}] != {value}) return 1;")
        for control, ends in enumerate(system.ends):
            test = " && ".join(f"s[{control}] != {value}" for value in sorted(ends)) or "1"
            lines.append(f"  if ({test}) return 0;")
        lines.append("  return 1;\n}")
        return lines

    def checks(self) -> list[str]:
        lines = []
        if self.errors:
            lines.append("#include <time.h>")
            lines.append(f"struct met {{ double seconds; uint64_t expanded; }} met[{len(self.errors)}];")
        lines.append("static uint32_t check_state(const uint64_t *words, uint32_t count) {")
        lines += self.values()
        for failure in self.system.failures:
            if failure.is_step or failure.condition == FALSE:
                continue
            tests = [f"s[{control}] == {value}" for control, value in failure.source]
            tests.append(c_text(failure.condition, self.places))
            lines.append(f"  if ({' && '.join(tests)}) return {self.codes[failure.facts]}u;")
            if OVERFLOWED in tests[-1]:
                lines.append(f"  if ({OVERFLOWED}) return {self.overflow}u;")
        lines += self.marked()
        lines.append("  return 0;\n}")
        return lines

    def marked(self) -> list[str]:
        """States of an experiment: most states are told from all of them by a byte of a table. The bits of
        predicates do not count."""
        if not self.errors:
            return []
        words = self.packing.words
        lines = [f"  static const uint64_t errors[{len(self.errors)}][{words}] = {{"]
        lines += [
            f"    {{{', '.join(f'{word}ull' for word in self.packing.words_of(state))}}},"
            for state in self.errors
        ]
        lines.append("  };")
        lines.append(
            "  static uint8_t may_be[4096];\n"
            "  static int is_filled;\n"
            "  for (uint32_t e = 0; !is_filled; e++) {\n"
            f"    if (e == {len(self.errors)}) {{ is_filled = 1; break; }}\n"
            "    uint64_t h = 0;\n"
            f"    for (uint32_t i = 0; i < {words}; i++) h = (h ^ errors[e][i]) * 0x9E3779B97F4A7C15ull;\n"
            "    may_be[h >> 52] = 1;\n  }\n"
            "  uint64_t hash = 0;\n"
            f"  for (uint32_t i = 0; i < {words}; i++) hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15ull;\n"
            "  if (!may_be[hash >> 52]) return 0;\n"
            f"  for (uint32_t e = 0; e < {len(self.errors)}; e++) {{\n"
            f"    uint32_t i = 0;\n    while (i < {words} && errors[e][i] == words[i]) i++;\n"
            f"    if (i < {words}) continue;\n    if (met[e].seconds == 0) {{\n"
            "      struct timespec now; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);\n"
            "      met[e].seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;\n"
            "      met[e].expanded = expanded;\n"
            f"    }}\n    return {self.overflow + 1}u + e;\n  }}"
        )
        return lines

    def labels(self) -> list[str]:
        if not self.predicates:
            return []
        lines = ["static uint64_t labels(const uint64_t *words, uint32_t count) {", *self.values()]
        lines.append("  uint64_t bits = 0;")
        for number, predicate in enumerate(self.predicates):
            lines.append(f"  if ({c_text(predicate, self.places)}) bits |= (uint64_t)1 << {number};")
        lines.append("  return bits;\n}")
        return lines
