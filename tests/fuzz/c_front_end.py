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
from tests.c.random_programs import Generator, real, truncated

MOST_STEPS = 200_000
RECURSION = 4


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
    parser.add_argument("--data-model", default="LP64", choices=DATA_MODELS)
    given = parser.parse_args()
    start, end = map(int, given.seeds.split(":"))
    made = Generator
    if given.memory:
        from tests.c.random_memory import MemoryGenerator as made  # noqa: N813
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
