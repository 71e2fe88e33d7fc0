"""The engines for C programs, one by one and side by side, on tasks of our own making.

python -m benchmarks.c_programs --seconds 10
python -m benchmarks.c_programs --engine bounded auto --only locks driver

Every verdict goes through the whole pipeline: proofs are checked by another solver, failing runs are compiled
and executed. A wrong verdict ends with exit code 1. Memory is the largest of any process of an engine's
column up to then. Of `auto`, each proof is written down and certified again: bytes and seconds.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import assay
from assay.search.options import SEQUENTIAL
from benchmarks.c_tasks import CTask, tasks

EXPECTED = {True: "verified", False: "violated"}


def outcome(task: CTask, engine: str, seconds: float, folder: Path) -> tuple[str, float, str]:
    path = folder / f"{task.name}.c"
    path.write_text(task.text)
    began = time.monotonic()
    result = assay.verify(path, search=engine, timeout_seconds=seconds)
    by = str((result.proof or {}).get("engine", "")) if engine == "auto" else ""
    return result.verdict.value, time.monotonic() - began, by


def certified(task: CTask, seconds: float, folder: Path) -> tuple[int, float]:
    """Bytes of the certificate and seconds to check it; zeros: there is none."""
    path, file = folder / f"{task.name}.c", folder / f"{task.name}.assay"
    result = assay.verify(path, search="auto", timeout_seconds=seconds, certificate=file)
    if result.verdict.value != "verified":
        return 0, 0.0
    began = time.monotonic()
    checked = assay.certify(path, file)
    if checked.verdict.value != "verified":
        return 0, 0.0
    return file.stat().st_size, time.monotonic() - began


def main() -> int:
    parser = argparse.ArgumentParser(description="Verdicts and seconds of the engines for C programs.")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--engine", nargs="*", default=[*SEQUENTIAL, "auto"])
    parser.add_argument("--only", nargs="*", default=[], help="tasks whose names begin so")
    chosen = parser.parse_args()
    wanted = [one for one in tasks() if not chosen.only or one.name.startswith(tuple(chosen.only))]
    totals: dict[str, Counter[str]] = {one: Counter() for one in chosen.engine}
    spent: Counter[str] = Counter()
    memory: dict[str, int] = {}
    proofs: list[tuple[int, float]] = []
    print(f"| task | holds | {' | '.join(chosen.engine)} |")
    print(f"| --- | --- |{' --- |' * len(chosen.engine)}")
    with tempfile.TemporaryDirectory() as folder:
        for task in wanted:
            cells = []
            for engine in chosen.engine:
                verdict, seconds, by = outcome(task, engine, chosen.seconds, Path(folder))
                spent[engine] += seconds
                kind = "incomplete" if verdict == "incomplete" else "wrong"
                if verdict == EXPECTED[task.holds]:
                    kind = "proofs" if task.holds else "bugs"
                totals[engine][kind] += 1
                memory[engine] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
                if engine == "auto" and kind == "proofs":
                    proofs.append(certified(task, chosen.seconds, Path(folder)))
                mark = {"wrong": "WRONG", "incomplete": "-"}.get(kind, by or "yes")
                cells.append(f"{mark} {seconds:.1f}")
            print(f"| {task.name} | {'yes' if task.holds else 'no'} | {' | '.join(cells)} |", flush=True)
    print(
        "\n| engine | proofs | bugs | incomplete | wrong | seconds | MiB |"
        "\n| --- | --- | --- | --- | --- | --- | --- |"
    )
    for engine in chosen.engine:
        found = totals[engine]
        counts = " | ".join(str(found[kind]) for kind in ("proofs", "bugs", "incomplete", "wrong"))
        print(f"| {engine} | {counts} | {spent[engine]:.1f} | {memory.get(engine, 0) // 1024} |")
    written = [one for one in proofs if one[0]]
    if proofs:
        print(
            f"\n{len(written)} of {len(proofs)} proofs have a certificate that was checked again:"
            f" {sum(size for size, _ in written)} bytes, {sum(took for _, took in written):.1f} s"
        )
    print(
        f"\n{len(wanted)} tasks: {sum(one.holds for one in wanted)} hold, at most {chosen.seconds:g} s each"
    )
    return 1 if any(one["wrong"] for one in totals.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
