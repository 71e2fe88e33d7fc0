"""Searches on clusters of several sizes against the search on one machine: they must agree in everything.

python -m tests.cluster.equality                       # clusters of 1, 2, 3 and 5 workers, an hour
python -m tests.cluster.equality --workers 2 --only philosophers --seeds 0:20
python -m tests.cluster.equality --products            # claims about runs; --embedded-c, --python
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import assay
from assay.clustering import coordinator, cycles
from assay.evidence.result import Result
from assay.transition_system.interface import SourceProblem
from assay.verification import pipeline
from benchmarks.liveness import COMMANDS
from benchmarks.programs import PYTHON, SMALL_PROMELA
from tests.agreement.claims import Chance
from tests.agreement.generator import generate
from tests.cluster.processes import ROOT, Processes

SIZES = (1, 2, 3, 5)
EXAMPLES = (
    "broken_mutex.pml",
    "careless_lock.pml",
    "peterson.pml",
    "alternating_bit.pml",
    "philosophers.pml",
)
# Whatever says where and how fast, and nothing else.
APART = {
    "seconds", "search_seconds", "compile_seconds", "peak_memory_bytes", "spill", "cluster", "options",
    "notes",
}  # fmt: skip
OF_A_CERTIFICATE = {"path", "seconds", "log_bytes"}


def told(result: Result) -> dict[str, Any]:
    """Everything that must be the same."""
    facts = {name: value for name, value in result.as_json().items() if name not in APART}
    if facts["certificate"]:
        facts["certificate"] = {k: v for k, v in facts["certificate"].items() if k not in OF_A_CERTIFICATE}
    return facts | {"levels": result.levels}


@contextlib.contextmanager
def products_noted() -> Iterator[list[tuple[Any, ...]]]:
    """What was counted in the product of each claim; no result tells it."""
    noted: list[tuple[Any, ...]] = []

    def noting(*given: Any) -> Any:
        answers = asked(*given)
        for one in answers:
            facts = one.outcome.facts
            noted.append((facts.states, facts.transitions, facts.depth, facts.complete, facts.stop_reason))
        return answers

    asked = pipeline.answers
    with mock.patch.object(pipeline, "answers", noting):
        yield noted


def difference(
    program: str | Path,
    address: str,
    *,
    certificate: bool = False,
    safety: bool = True,
    on_disk: bool = True,
    **options: Any,
) -> str:
    """What differs between one machine and the cluster; nothing if nothing does. `on_disk`: the one machine
    keeps its states there, as the cluster does."""
    with tempfile.TemporaryDirectory(prefix="assay-equality-") as folder:
        found = []
        for name, where in (("here", {}), ("there", {"cluster": address})):
            file = Path(folder, f"{name}.cert") if certificate else None
            if where or on_disk:
                where["spill"] = str(Path(folder, name))
            with products_noted() as products:
                result = assay.verify(program, certificate=file, safety=safety, **where, **options)
            content = file.read_bytes() if file is not None and file.exists() else b""
            stopped = {result.stop_reason, *(one[-1].value for one in products)} - {"", "violation"}
            assert stopped or not any(Path(folder, name).glob("*")), "files are left"
            found.append((told(result) | {"products": products}, content))
            if not on_disk:  # cycles are looked for depth first then, and found before all is explored
                for unequal in (
                    ("states", "frontier", "levels") if safety and result.verdict == "violated" else ()
                ):
                    found[-1][0].pop(unequal)  # those of a level that is not finished
                for unequal in ("violations", "violation_count") if not safety else ():
                    found[-1][0].pop(unequal)
                found[-1][0]["products"] = [one[:2] for one in products if one[3]]
        (here, own), (there, other) = found
        for name in here:
            if here[name] != there[name]:
                return f"{name}: {here[name]!r} here and {there[name]!r} there"
        return "" if own == other else f"the certificates differ ({len(own)} and {len(other)} bytes)"


def promela(seeds: range) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    for counterpart in SMALL_PROMELA:
        task = counterpart.task
        yield task.name, task.path, {"defines": task.defines}
        yield f"{task.name}, no reductions", task.path, {"defines": task.defines, "reductions": ()}
    for name in EXAMPLES:
        yield name, ROOT / "examples" / name, {}
        yield f"{name}, all errors", ROOT / "examples" / name, {"all_errors": True}
        yield f"{name}, limits", ROOT / "examples" / name, {"max_depth": 7, "all_errors": True}
    for seed in seeds:
        with tempfile.NamedTemporaryFile("w", suffix=".pml", prefix=f"random{seed}-") as file:
            file.write(generate(seed).text)
            file.flush()
            yield f"random {seed}", Path(file.name), {"max_states": 30_000}
            yield f"random {seed}, all errors", Path(file.name), {"max_states": 3_000, "all_errors": True}


def products(seeds: range) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Claims about runs."""
    with tempfile.TemporaryDirectory(prefix="assay-products-") as folder:
        for one in COMMANDS:
            if one.quick:
                yield one.name, one.write(Path(folder)), {"fair": one.fair}
        for path in sorted((ROOT / "tests/agreement/claim_models").glob("*.pml")):
            yield path.name, path, {}
            yield f"{path.name}, fair", path, {"fair": True, "reductions": ()}
            yield f"{path.name}, progress and end", path, {"progress": True, "terminates": True}
            yield f"{path.name}, limits", path, {"max_states": 20}
        for question in tomllib.loads((ROOT / "examples/liveness/answers.toml").read_text())["question"]:
            path = ROOT / "examples/liveness" / question["file"]
            yield f"{path.name} {question['asks']}", path, {"check_deadlock": False, **question["asks"]}
        for seed in seeds:
            yield from random_products(seed, Path(folder))


def random_products(seed: int, folder: Path) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    chance = Chance(seed)
    path = folder / f"random{seed}.pml"
    path.write_text(chance.private_program(["accept", "progress", "here"]))
    draw = random.Random(seed)
    names = ["g == 0", "g < 2", "h == 1", "g == h", "P0@here"]
    for number in range(3):
        asked: dict[str, Any] = {"ltl": [chance.formula(2, names)[0]], "fair": draw.random() < 0.4}
        asked |= {"progress": draw.random() < 0.3, "terminates": draw.random() < 0.3}
        asked |= {"reductions": ()} if draw.random() < 0.5 else {}
        yield f"random {seed}.{number} {asked}", path, asked


C_FOLDER = ROOT / "examples" / "embedded_c"
C_SUBJECTS = (
    ("2_file_system.pml", "file_system.c"),
    ("3_canonize.pml", "canonize.c"),
    ("5_binary_tree.pml", "tree.c"),
    ("6_claim.pml", "tree.c"),
)
# Memory in pieces: a heap, and more variables than are copied into states.
IN_PIECES = """
c_decl {
  #include <stdlib.h>
  struct cell { int value; struct cell *next; } *first;
  static int table[%d];
  static void push(int value) {
    struct cell *fresh = malloc(sizeof *fresh);
    fresh->value = value; fresh->next = first; first = fresh;
  }
  static void pop(void) { struct cell *old = first; if (old) { first = old->next; free(old); } }
}
byte n;
active [2] proctype P() {
  do
  :: GUARD { n < 3 -> n++; c_code { push(PP->_pid); table[now.n * 97] += 1 + PP->_pid; } }
  :: GUARD { n > 0 -> c_code { table[now.n * 97] = 0; pop(); }; n-- }
  od
}
ltl again { []<> (n == 0) }
"""


def embedded_c() -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """States whose memory is copied are compared with the search on disk; one that names pieces has none."""
    for name, source in C_SUBJECTS:
        for cflags in ("", "-DBUG"):
            asked = {"c_sources": (str(C_FOLDER / source),), "cflags": (cflags,) if cflags else ()}
            yield f"{name} {cflags}", C_FOLDER / name, asked
    with tempfile.TemporaryDirectory(prefix="assay-embedded-") as folder:
        for size in (400, 4000):
            path = Path(folder, f"pieces{size}.pml")
            path.write_text(IN_PIECES % size)
            asked = {"on_disk": False, "defines": ("GUARD=atomic",)}
            yield path.name, path, {**asked, "safety": True}
            yield f"{path.name}, claims", path, {**asked, "ltl": ("again", "<> (n == 3)"), "fair": True}
            yield f"{path.name}, fault", path, {**asked, "defines": ("GUARD=",), "safety": True}


def python() -> Iterator[tuple[str, Path, dict[str, Any]]]:
    from benchmarks.python import size_of

    for _, name, size in PYTHON:
        found = size_of(name, size)
        with tempfile.TemporaryDirectory(prefix="assay-program-") as folder:
            path = Path(folder, f"{name}.py")
            path.write_text(found.source(), encoding="utf-8")
            yield f"{name} {size}", path, {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="*", default=SIZES)
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", default="0:40")
    parser.add_argument("--certificates", action="store_true")
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--products", action="store_true")
    parser.add_argument("--embedded-c", action="store_true")
    parser.add_argument("--narrow", type=int, default=50, help="levels up to this size are one worker's")
    given = parser.parse_args()
    first, _, last = given.seeds.partition(":")
    coordinator.NARROW_STATES = cycles.ALONE_STATES = given.narrow
    wrong = 0
    for workers in given.workers:
        with Processes(workers) as cluster:
            seeds = range(int(first), int(last))
            if given.products:
                subjects = products(seeds)
            elif given.embedded_c:
                subjects = embedded_c()
            else:
                subjects = python() if given.python else promela(seeds)
            for name, path, options in subjects:
                if given.only not in name:
                    continue
                began = time.monotonic()
                asked = {"safety": not given.products and not given.embedded_c, **options}
                try:
                    problem = difference(path, cluster.address, certificate=given.certificates, **asked)
                except SourceProblem as refused:
                    print(f"{workers} workers: {name}: refused ({refused})")
                    continue
                wrong += bool(problem)
                print(
                    f"{workers} workers: {name}: {problem or 'equal'} ({time.monotonic() - began:.1f} s)",
                    flush=True,
                )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
