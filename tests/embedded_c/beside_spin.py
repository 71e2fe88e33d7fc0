"""Models with embedded C beside SPIN: verdicts, and counts of states with declared tracking.

Both are unreduced (SPIN's reduction takes some C for local). A model may say in its first line how it is
compiled: `// --c-source queue.c --cflags=-DN=3`. With a claim, SPIN's counts are those of the product, which
are compared where the claim executes C: then the product is our graph too.

SPIN is no judge of data that it does not track. So variables that the audit names are given to it with a
c_track each, and to declared tracking too: then all three must agree. What cannot be tracked that way (the
heap, what the C library remembers) says so in the model's first line, with `--untracked --expect VERDICT`.

    python -m tests.embedded_c.beside_spin MODEL...
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import assay
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import OptionProblem
from tests.agreement.process import run

GENERATE = ("spin", "-a", "-o1", "-o2", "-o3")
COMPILE = ("gcc", "-O1", "-w", "-DNOREDUCE", "-DVECTORSZ=131072", "-DMEMLIM=3000")
SEARCH = ("./pan", "-n", "-c0", "-m1000000")
SECONDS = 120
FORGOTTEN = re.compile(r"'(\w+)' is written by")


@dataclass(frozen=True)
class Said:
    """By SPIN; no verdict: it cannot be had."""

    verdict: str | None
    states: int | None
    problem: str = ""


def settings(text: str) -> Namespace:
    parser = ArgumentParser()
    parser.add_argument("--c-source", action="append", default=[])
    parser.add_argument("--cflags", action="append", default=[])
    parser.add_argument("--untracked", action="store_true")
    parser.add_argument("--expect")
    first = text.split("\n", 1)[0]
    return parser.parse_args(shlex.split(first[2:]) if first.startswith("// --") else [])


def has_claim(text: str) -> bool:
    return re.search(r"^\s*(never|ltl)\b", text, re.MULTILINE) is not None


def claim_executes_c(text: str) -> bool:
    """Roughly: behind `never` there is c_code."""
    found = re.search(r"^\s*never\b(.*)\Z", text, re.MULTILINE | re.DOTALL)
    return found is not None and "c_code" in found[1]


def spin(model: Path, given: Namespace) -> Said:
    text = model.read_text(errors="replace")
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch) / "model"
        shutil.copytree(model.parent, directory)
        for old in directory.glob("pan*"):
            old.unlink()
        generated = run([*GENERATE, model.name], directory=directory, timeout_seconds=60)
        if not (directory / "pan.c").exists():
            return Said(None, None, (generated.output + generated.errors).strip()[:200])

        def searched(*compile_options: str, search: Sequence[str] = ()) -> tuple[int, int] | str:
            flags = [flag for each in given.cflags for flag in each.split()]
            compiled = run(
                [*COMPILE, *flags, *compile_options, "-o", "pan", "pan.c", *given.c_source, "-lm"],
                directory=directory,
            )
            if compiled.returncode:
                return compiled.errors[:200]
            found = run([*SEARCH, *search], directory=directory, timeout_seconds=SECONDS)
            errors = re.search(r"errors: (\d+)", found.output)
            states = re.search(r"(\d+) states, stored", found.output)
            if errors is None or states is None or found.timed_out:
                return (found.output + found.errors)[-200:] or f"it ended with {found.returncode}"
            if "max search depth too small" in found.output:
                return "its search is cut"
            return int(errors[1]), int(states[1])

        counted = searched("-DSAFETY", *([] if claim_executes_c(text) else ["-DNOCLAIM"]))
        if isinstance(counted, str):
            return Said(None, None, counted)
        errors, states = counted
        if has_claim(text):
            of_claim = searched(search=["-a"])
            if isinstance(of_claim, str):
                return Said(None, None, of_claim)
            errors += of_claim[0]
        return Said("violated" if errors else "verified", states)


def with_tracks(text: str, names: Iterable[str]) -> str:
    """Before the first process, where all variables are declared."""
    tracks = "".join(f'c_track "&{name}" "sizeof({name})"\n' for name in names)
    first = re.search(r"^[^\S\n]*(active|proctype|init|inline)\b", text, re.MULTILINE)
    assert first is not None
    return text[: first.start()] + tracks + text[first.start() :]


def compare(model: Path) -> tuple[bool, str]:
    """Do they agree, and what they say."""
    text = model.read_text(errors="replace")
    given = settings(text)
    options = {
        "c_sources": [str(model.parent / name) for name in given.c_source],
        "cflags": given.cflags,
        "reductions": frozenset(),
        "all_errors": True,
        "timeout_seconds": SECONDS,
    }
    try:
        everything = assay.verify(model, **options)
    except (SourceProblem, OptionProblem) as refused:
        return given.expect == "refused", f"refused: {refused}"
    if given.untracked:
        agree = everything.verdict == given.expect
        return agree, f"{everything.verdict} {everything.states}, expected {given.expect}"
    declared = assay.verify(model, tracking="declared", **options)
    forgotten = FORGOTTEN.findall("\n".join([*declared.reasons, *declared.notes]))
    if forgotten:
        with tempfile.TemporaryDirectory() as scratch:
            tracked = Path(scratch) / "model" / model.name
            shutil.copytree(model.parent, tracked.parent)
            tracked.write_text(with_tracks(text, dict.fromkeys(forgotten)))
            declared = assay.verify(tracked, tracking="declared", **options)
            said = spin(tracked, given)
    else:
        said = spin(model, given)
    told = f"all {everything.verdict} {everything.states}, declared {declared.verdict} {declared.states}, "
    told += f"SPIN {said.verdict} {said.states} {said.problem}"
    if forgotten:
        told += f" (forgotten: {', '.join(dict.fromkeys(forgotten))})"
    unmatched = '"UnMatched"' in text or '"StackOnly"' in text
    same = {everything.verdict, declared.verdict} <= {said.verdict, *(["incomplete"] if unmatched else [])}
    return same and said.states == declared.states, told


def main() -> int:
    wrong = 0
    for name in sys.argv[1:]:
        agree, told = compare(Path(name))
        wrong += not agree
        print(f"{'agree ' if agree else 'DIFFER'} {name}: {told}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
