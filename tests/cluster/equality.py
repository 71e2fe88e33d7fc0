"""Searches on clusters of several sizes against the search on one machine: they must agree in everything.

python -m tests.cluster.equality                       # clusters of 1, 2, 3 and 5 workers, an hour
python -m tests.cluster.equality --workers 2 --only philosophers --seeds 0:20
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import assay
from assay.clustering import coordinator
from assay.evidence.result import Result
from assay.transition_system.interface import SourceProblem
from benchmarks.programs import PYTHON, SMALL_PROMELA
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


def difference(program: str | Path, address: str, *, certificate: bool = False, **options: Any) -> str:
    """What differs between one machine and the cluster; nothing if nothing does."""
    with tempfile.TemporaryDirectory(prefix="assay-equality-") as folder:
        found = []
        for name, where in (("here", {}), ("there", {"cluster": address})):
            file = Path(folder, f"{name}.cert") if certificate else None
            result = assay.verify(
                program, spill=Path(folder, name), certificate=file, safety=True, **where, **options
            )
            content = file.read_bytes() if file is not None and file.exists() else b""
            assert result.stop_reason or not any(Path(folder, name).glob("*")), "files are left"
            found.append((told(result), content))
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
    parser.add_argument("--narrow", type=int, default=50, help="levels up to this size are one worker's")
    given = parser.parse_args()
    first, _, last = given.seeds.partition(":")
    coordinator.NARROW_STATES = given.narrow
    wrong = 0
    for workers in given.workers:
        with Processes(workers) as cluster:
            subjects = python() if given.python else promela(range(int(first), int(last)))
            for name, path, options in subjects:
                if given.only not in name:
                    continue
                began = time.monotonic()
                try:
                    problem = difference(path, cluster.address, certificate=given.certificates, **options)
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
