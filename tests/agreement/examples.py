"""The models that come with SPIN, judged by SPIN and by Assay.

    python -m tests.agreement.examples [--reduced] [--only NAME ...]

Unreduced: the verdict, the states and the transitions must be equal. Reduced,
each tool with its own defaults: the verdicts must be equal, and Assay's
states in total should be at most 1.1 times SPIN's. Models that SPIN refuses,
or does not finish within the deadline, are listed and left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.agreement import spin, subject

DIRECTORY = Path("/usr/share/doc/spin/examples")
SPIN_SECONDS = 30.0
WRONG_CHANNEL_CLAIM = "error, partial order reduction invalid"
REDUCED_SPIN_SECONDS = 15.0
ASSAY_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Row:
    """One model, both answers."""

    model: str
    expected: spin.SpinOutcome
    found: subject.AssayOutcome | None  # None: there was nothing to compare with

    @property
    def agrees_in_verdict(self) -> bool:
        if self.found is None or self.found.verdict == self.expected.verdict:
            return True
        # SPIN trusts xr and xs, and reports an error when it finds that a model claims them wrongly;
        # Assay does not rely on them, so there is nothing to report
        return self.found.verdict == "verified" and self.expected.kinds == {WRONG_CHANNEL_CLAIM}

    @property
    def agrees(self) -> bool:
        found = self.found
        if found is None:
            return True
        if found.verdict != self.expected.verdict:
            return False
        if not self.expected.counts_are_defined:
            return True
        return (found.states, found.transitions) == (self.expected.states, self.expected.transitions)


def models(directory: Path = DIRECTORY) -> list[Path]:
    """All models, in a fixed order."""
    return sorted(directory.rglob("*.pml"))


def compare(model: Path, *, seconds: float = SPIN_SECONDS, compiler: str | None = None) -> Row:
    """Unreduced: SPIN and Assay on the same graph."""
    name = str(model.relative_to(DIRECTORY))
    expected = spin.check(
        model, spin.UNREDUCED, compiler=compiler or spin.fast_compiler(), timeout_seconds=seconds
    )
    if expected.status is spin.Status.TIMED_OUT and compiler is None and seconds >= SPIN_SECONDS:
        expected = spin.check(model, spin.UNREDUCED, compiler="gcc -O2", timeout_seconds=seconds)
    if expected.verdict is None:
        return Row(name, expected, None)
    return Row(name, expected, subject.check(model, timeout_seconds=ASSAY_SECONDS))


def compare_reduced(model: Path) -> Row:
    """Each tool as it runs unless told otherwise, except that errors do not stop the search."""
    name = str(model.relative_to(DIRECTORY))
    expected = spin.check(
        model, spin.REDUCED, compiler=spin.fast_compiler(), timeout_seconds=REDUCED_SPIN_SECONDS
    )
    if expected.verdict is None:
        return Row(name, expected, None)
    return Row(
        name, expected, subject.check(model, ("--safety", "--all-errors"), timeout_seconds=ASSAY_SECONDS)
    )


def _print(row: Row, equal: bool) -> None:
    expected, found = row.expected, row.found
    if found is None:
        print(f"{row.model:48} SPIN {expected.status.value}: {expected.message[:70]}", flush=True)
        return
    counts = f"{expected.verdict:9}{expected.states:>10}{expected.transitions:>13}"
    ours = f"{found.verdict:9}{found.states:>10}{found.transitions:>13}"
    mark = "" if equal else f"  DIFFERENT {found.message[:100]}"
    print(f"{row.model:48} {counts}   {ours}{mark}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare Assay with SPIN on SPIN's own examples.")
    parser.add_argument("--reduced", action="store_true", help="both tools with their default reductions")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="models whose path contains one of these")
    parser.add_argument("--compiler", help="for SPIN's verifier, for example 'gcc -O2'")
    arguments = parser.parse_args()
    if not spin.available() or not DIRECTORY.is_dir():
        sys.exit("spin, its examples and gcc are needed (Debian: apt-get install spin gcc)")
    chosen: Sequence[Path] = [
        model
        for model in models()
        if not arguments.only or any(part in str(model) for part in arguments.only)
    ]
    print(
        f"{'model':48} "
        f"{'SPIN':9}{'states':>10}{'transitions':>13}   {'Assay':9}{'states':>10}{'transitions':>13}"
    )
    rows = []
    for model in chosen:
        row = compare_reduced(model) if arguments.reduced else compare(model, compiler=arguments.compiler)
        equal = row.agrees_in_verdict if arguments.reduced else row.agrees
        rows.append((row, equal))
        _print(row, equal)
    compared = [(row, equal) for row, equal in rows if row.found is not None]
    different = [row for row, equal in compared if not equal]
    print(f"\n{len(rows)} models, {len(compared)} compared, {len(different)} different")
    ours = sum(row.found.states for row, _ in compared if row.found is not None)
    theirs = sum(row.expected.states for row, _ in compared)
    if theirs:
        print(f"states in total: SPIN {theirs}, Assay {ours}, ratio {ours / theirs:.3f}")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
