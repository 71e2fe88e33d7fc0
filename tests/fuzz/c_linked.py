"""Random C programs of two files, compiled and run with random inputs, against both of our front ends.

    python -m tests.fuzz.c_linked --seeds 0:200

Each file is a program of `tests.c.random_programs` (with `--memory` of `tests.c.random_memory`). The second
one's `main` is a function that the first one calls. Nearly all names stand in both files: those of static
variables and functions, of structs and enumerations, which are the file's own; and `checksum`, which is one
variable, declared again and again, in files and in functions. What a front end refuses is counted; a
difference is written to a file and named.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from assay.checker.c.checking import deep, read
from assay.checker.c.preprocessing import expand
from assay.checker.c.problems import CannotCheck
from assay.languages.c.lowering import lower
from assay.languages.c.preprocessing import DATA_MODELS, preprocess
from assay.transition_system.interface import SourceProblem
from assay.transition_system.sequential.inlining import inlined
from tests.c import random_programs
from tests.c.random_memory import MemoryGenerator
from tests.c.random_programs import Generator
from tests.fuzz import c_front_end

OTHER = 1 << 40  # added to a seed
CHECKSUM = "unsigned long long checksum = 7;"


def files(seed: int, made: type[Generator]) -> tuple[str, str, list[list[int]]]:
    chance = random.Random(seed)
    generator = made(seed)
    first, second = generator.program(), made(seed + OTHER).program()
    called = "{ unsigned long long other = other_file(); checksum = checksum * 31 + other; }"
    first = first.replace("observe(checksum);", f"{called} observe(checksum);")
    again = chance.choice(["", "extern unsigned long long checksum;", "unsigned long long checksum;"])
    first = first.replace(CHECKSUM, f"{CHECKSUM} {again} unsigned long long other_file(void);")
    if chance.random() < 0.5:
        first = first.replace("int main(void) {", "int main(void) { extern unsigned long long checksum;")
    second = second.replace(CHECKSUM, "extern unsigned long long checksum;" * chance.choice([1, 2]))
    # Neither front end says whether equal texts are one, and ours wants one struct of a name.
    second = second.replace('"a', '"d').replace('"x', '"z').replace("struct node", "struct item")
    second = second.replace("int main(void) {", "unsigned long long other_file(void) {")
    second = second.replace("observe(checksum);\n", "").replace("    return 0;\n}", "    return checksum;\n}")
    second = re.sub(r"(\n *)return 0;\n}\n$", r"\1return checksum ^ 5;\n}\n", second)
    # A function that is static in one file may be known to all in another one.
    own = [
        re.sub(r"^(?!static)(\w[\w ]* f\d\()", r"static \1", one, flags=re.MULTILINE)
        for one in (first, second)
    ]
    texts = (own[0], second) if chance.random() < 0.5 else (first, own[1])
    inputs = [[generator.random.getrandbits(64) for _ in range(80)] for _ in range(2)]
    return *texts, [*inputs, [generator.random.randint(0, 5) for _ in range(80)]]


def real(texts: tuple[str, str], inputs: list[list[int]], folder: Path, model: str) -> list[str]:
    """Linked into one object first, which the other campaign's way of running takes for a program."""
    flag = DATA_MODELS[model].flag
    common = ["gcc", "-w", "-O0", "-fwrapv", "-fno-pie", flag]
    (folder / "second.c").write_text(texts[1])
    subprocess.run([*common, "-c", "second.c", "-o", "second.o"], cwd=folder, check=True)
    return random_programs.real(texts[0], inputs, folder, DATA_MODELS[model], [str(folder / "second.o")])


def difference(seed: int, made: type[Generator], model: str, seen: Counter[str]) -> str | None:
    *texts, inputs = files(seed, made)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = real((texts[0], texts[1]), inputs, folder, model)
        paths = [folder / "program.c", folder / "second.c"]
        found = {"checker": checkers(paths, inputs, model, seen), "ours": ours(paths, inputs, model, seen)}
    for who, answers in found.items():
        for given, wanted, answer in zip(inputs, expected, answers, strict=False):
            if answer is None:
                continue
            seen[f"runs of {who}"] += 1
            if answer != wanted:
                return f"{texts[0]}/* --- */\n{texts[1]}\n/* {who}: {answer!r}, gcc: {wanted!r}, {given} */\n"
    return None


def checkers(paths: list[Path], inputs: list[list[int]], model: str, seen: Counter[str]) -> list[str | None]:
    """What the independent checker computes; None of a run that is not defined."""
    try:
        with deep():
            texts = [expand(one.read_bytes(), one, model, []) for one in paths]
            program = read(texts, model, [], [], c_front_end.RECURSION, names=[one.name for one in paths])
    except CannotCheck as problem:
        seen[f"not read by the checker: {problem.what}"] += 1
        return []
    observed = program.variables["g", "checksum"]
    found: list[str | None] = []
    for given in inputs:
        try:
            found.append(str(c_front_end.run(program, given)[observed]))  # type: ignore[index]
        except c_front_end.NotDefined:
            found.append(None)
    return found


def ours(paths: list[Path], inputs: list[list[int]], model: str, seen: Counter[str]) -> list[str | None]:
    try:
        program = lower([preprocess(one, DATA_MODELS[model]) for one in paths], DATA_MODELS[model])
    except SourceProblem as problem:
        seen[f"not read by ours: {str(problem).rpartition(': ')[2]}"] += 1
        return []
    flow = inlined(program, random_programs.RECURSION)
    observed = next(one for one in flow.variables if one.name == "checksum")
    answers = [random_programs.ours(flow, given, observed) for given in inputs]
    return [None if one == random_programs.NOT_DEFINED else one for one in answers]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", default="0:100", help="FROM:TO")
    parser.add_argument("--keep", type=Path, default=Path("differences"), help="a folder for what differs")
    parser.add_argument("--memory", action="store_true", help="programs with pointers")
    parser.add_argument("--data-model", default="LP64", choices=DATA_MODELS)
    given = parser.parse_args()
    start, end = map(int, given.seeds.split(":"))
    seen: Counter[str] = Counter()
    count = 0
    for seed in range(start, end):
        found = difference(seed, MemoryGenerator if given.memory else Generator, given.data_model, seen)
        if found is not None:
            count += 1
            given.keep.mkdir(exist_ok=True)
            (given.keep / f"linked-{seed}.c").write_text(found)
            print(f"seed {seed}: {found.splitlines()[-1]}", flush=True)
    for what, times in seen.most_common():
        print(f"{times} {what}")
    print(f"{end - start} programs of two files, {count} differences")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
