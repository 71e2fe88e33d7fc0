"""Programs with infinitely many states: proofs from data, and z3's Spacer on the same programs.

python -m benchmarks.infinite
python -m benchmarks.infinite --seconds 60 --spacer-seconds 10 --only protocols
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay import languages
from assay.certification.invariants import checked
from assay.checker.container import Rejected
from assay.checker.invariants import Cvc5, Undecided
from assay.evidence.inductive.invariant import InductiveInvariant
from assay.evidence.verdict import Verdict
from assay.search.proofs.proving import ProofOutcome, prove
from assay.search.proofs.spacer import invariant_from_spacer
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.symbolic import SymbolicSystem

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "infinite"
# The first were there while ideas were tried, the others were written afterwards.
FILES = (EXAMPLES / "programs.py", EXAMPLES / "protocols.py", EXAMPLES / "unseen.py")


def programs(chosen: Sequence[str]) -> Iterator[tuple[str, Path]]:
    for file in FILES:
        for name in re.findall(r"^class (\w+)", file.read_text(), re.MULTILINE):
            if not chosen or name in chosen or file.stem in chosen:
                yield name, Path(f"{file}:{name}")


def verdict_of(found: ProofOutcome) -> str:
    return "violated" if found.violation else "verified" if found.invariant else "incomplete"


def accepted_by(system: SymbolicSystem, invariant: InductiveInvariant) -> list[str]:
    """Which solvers accept it."""
    accepted = []
    if checked(system, invariant, deadlock=True)[1] is Verdict.VERIFIED:
        accepted.append("z3")
    try:
        solver = Cvc5(system, {at: list(holds) for at, holds in invariant.conjuncts.items()})
        if not any(solver.breaks(conditions) for _, conditions, _ in solver.obligations(deadlock=True)):
            accepted.append("cvc5")
    except (Rejected, Undecided):
        pass
    return accepted


def main() -> None:
    parser = argparse.ArgumentParser(description="Proofs of programs with infinitely many states.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--spacer-seconds", type=float, default=10.0)
    parser.add_argument("--only", nargs="*", default=[], help="programs, or files without their ending")
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    print("| program | verdict | states | rounds | questions | conjuncts | seconds | accepted by | Spacer |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, program in programs(chosen.only):
        system = languages.load(program, LanguageOptions()).symbolic()
        began = time.monotonic()
        found = prove(system, check_deadlock=True, deadline=began + chosen.seconds, with_spacer=False)
        seconds = time.monotonic() - began
        verdict = verdict_of(found)
        accepted = accepted_by(system, found.invariant) if found.invariant is not None else []
        began = time.monotonic()
        theirs = invariant_from_spacer(system, deadlock=True, seconds=chosen.spacer_seconds)
        spacer = "proved" if theirs is not None else "-"
        spacer += f", {time.monotonic() - began:.2f} s"
        size = found.invariant.size if found.invariant is not None else 0
        print(
            f"| {name} | {verdict} | {found.states:,} | {found.rounds} | {found.questions} | {size} | "
            f"{seconds:.2f} | {' and '.join(accepted) or '-'} | {spacer} |",
            flush=True,
        )
        wrong = verdict == ("verified" if name.endswith("Wrong") else "violated")
        counts[verdict] += 1
        counts["wrong"] += wrong
        counts["by both solvers"] += len(accepted) == 2
        counts["by Spacer"] += theirs is not None
    print(dict(counts))


if __name__ == "__main__":
    main()
