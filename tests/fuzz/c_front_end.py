"""Random C programs, compiled and run with random inputs, against the front end of the independent checker.

    python -m tests.fuzz.c_front_end --seeds 0:1000

The programs are those of `tests.c.random_programs`; the checker's graph is followed edge by edge. What it
refuses is counted by reason; a difference is written to a file and named.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from assay.checker.c.checking import deep, read
from assay.checker.c.preprocessing import expand
from assay.checker.c.problems import CannotCheck
from assay.checker.c.reading import Program
from assay.checker.c.terms import ArrayValue, Term, Value, computed
from assay.languages.c.preprocessing import DATA_MODELS
from tests.c.random_memory import MemoryGenerator
from tests.c.random_programs import Generator, real, truncated

MOST_STEPS = 200_000
RECURSION = 4


class CopyingGenerator(MemoryGenerator):
    """Also copies and sets bytes: of arrays, of structs with pointers in them, of what overlaps."""

    def preamble(self) -> None:
        super().preamble()
        self.put("void *memmove(void *, const void *, __SIZE_TYPE__);")
        self.put("struct held { char c; int *p; struct held *q; short h[3]; };")
        self.put("static struct held kept, others[2]; static int held_int = 5;")

    def of_bytes(self) -> None:
        arrays = [one for one in self.arrays if one[0] in self.kinds and "->" not in one[0]]
        pick = self.random.random()
        if pick < 0.3:
            super().of_bytes()
        elif pick < 0.7 and arrays:
            name, length = self.random.choice(arrays)
            size = f"sizeof({name}[0])"
            whole = f"{length} * {size}"
            start, end = (self.random.randint(0, length - 1) for _ in range(2))
            count = self.random.randint(0, length - max(start, end))
            byte = self.random.randint(-3, 300)
            self.put(
                self.random.choice(
                    [
                        f"memmove({name} + {start}, &{name}[{end}], {count} * {size});",
                        f"memset({name} + {start}, {byte}, {length - start} * {size});",
                        f"memset((char *){name} + 1, {self.value(1)}, {size} * {length} - 1);",
                        f"{{ unsigned char b[{whole} + 3]; memcpy(b + 3, {name}, {whole});"
                        f" b[3] ^= 9; memcpy({name}, b + 3, {whole}); checksum += b[{length} + 2]; }}",
                    ]
                )
            )
        else:
            self.put(
                self.random.choice(
                    [
                        f"kept.p = &held_int; kept.q = &others[({self.value(1)}) & 1]; kept.h[1] += 3;",
                        "memcpy(&others[1], &kept, sizeof kept);",
                        "memmove(others, others + 1, sizeof others[0]);",
                        "memcpy(&kept.p, &others[0].p, sizeof(int *));",
                        "memset(&others[0].q, 0, sizeof others[0].q);",
                        "memmove(others[1].h, others[1].h + 1, 2 * sizeof(short));",
                        "if (others[0].p) checksum = checksum * 3 + ++*others[0].p;",
                        "checksum = checksum * 3 + (others[0].p == kept.p);",
                        "if (kept.q) { kept.q->h[0]++; kept.q->c += others[1].h[1]; }",
                        "if (kept.q) checksum += kept.q - others;",
                        "{ int *v; memcpy(&v, &others[1].p, sizeof v); if (v) checksum ^= *v; }",
                    ]
                )
            )


class NotDefined(Exception):
    """The run divides the least number by -1, or takes too long."""


def run(program: Program, given: list[int]) -> dict[Term, Value]:
    """What variables hold when `main` returns."""
    outgoing: dict[int, list] = {}
    for edge in program.graph.edges:
        outgoing.setdefault(edge.source, []).append(edge)
    left = list(given)
    values: dict[Term, Value] = _Zeros()
    for name, term in program.initial.items():
        values[name] = computed(term, values)
    here = program.graph.entry
    for _ in range(MOST_STEPS):
        if here == program.end:
            return values
        assert here not in program.graph.failures
        taken = [edge for edge in outgoing.get(here, ()) if computed(edge.condition, values)]
        assert len(taken) <= 1, "two edges can be taken"
        if not taken:
            raise NotDefined
        edge = taken[0]
        values.update({name: computed(term, values) for name, term in edge.values.items()})
        if edge.chosen is not None:
            values[edge.chosen] = _zero(edge.chosen)
            if edge.origin:
                value = left.pop(0) if left else 0
                is_truth = edge.origin.endswith("_bool")
                values[edge.chosen] = int(value != 0) if is_truth else truncated(value, edge.chosen.width)
        here = edge.target
    raise NotDefined


def _zero(name: Term) -> Value:
    return ArrayValue(0, {}) if isinstance(name.sort, tuple) else 0


class _Zeros(dict):
    def __missing__(self, name: Term) -> Value:
        return _zero(name)


def read_program(path: Path, model: str) -> Program:
    with deep():
        return read([expand(path.read_bytes(), path, model, [])], model, [], [], RECURSION)


def difference(
    seed: int, made: type[Generator] = Generator, model: str = "LP64", compared: Counter[str] | None = None
) -> str | None:
    """Raises CannotCheck for a program that is not read. `compared` counts runs."""
    generator = made(seed)
    text = generator.program()
    inputs = [[generator.random.getrandbits(64) for _ in range(40)] for _ in range(3)]
    inputs.append([generator.random.randint(0, 5) for _ in range(40)])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.c").write_text(text)
        program = read_program(folder / "program.c", model)
        expected = real(text, inputs, folder, DATA_MODELS[model])
    observed = program.variables["g", "checksum"]
    for given, answer in zip(inputs, expected, strict=True):
        try:
            found = str(run(program, given)[observed])
        except NotDefined:
            continue
        if compared is not None:
            compared["runs"] += 1
        if found != answer:
            return f"{text}\n/* checker: {found!r}, gcc: {answer!r}, inputs {given} */\n"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", default="0:200", help="FROM:TO")
    parser.add_argument("--keep", type=Path, default=Path("differences"), help="a folder for what differs")
    parser.add_argument("--memory", action="store_true", help="programs with pointers")
    parser.add_argument("--bytes", action="store_true", help="programs that also copy bytes")
    parser.add_argument("--data-model", default="LP64", choices=DATA_MODELS)
    given = parser.parse_args()
    start, end = map(int, given.seeds.split(":"))
    made: type[Generator] = Generator
    if given.memory or given.bytes:
        made = CopyingGenerator if given.bytes else MemoryGenerator
    refused: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    count = 0
    for seed in range(start, end):
        try:
            found = difference(seed, made, given.data_model, compared)
        except CannotCheck as problem:
            refused[str(problem).partition(": ")[2] or str(problem)] += 1
            continue
        if found is not None:
            count += 1
            given.keep.mkdir(exist_ok=True)
            (given.keep / f"{seed}.c").write_text(found)
            print(f"seed {seed}: {found.splitlines()[-1]}", flush=True)
    for reason, times in refused.most_common():
        print(f"{times} not read: {reason}")
    print(f"{end - start} programs, {compared['runs']} runs, {count} differences")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
