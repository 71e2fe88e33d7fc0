"""Random programs, judged by SPIN and by Assay.

    python -m tests.agreement.campaign --programs 2000 --seed 1 --jobs 2

Unreduced, both tools explore the same graph: verdict, kinds of violation,
states and transitions must be equal. With Assay's reductions on, the verdict
must still be what the unreduced graph says. A program on which they disagree
is made small and saved with both answers.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.agreement import spin, subject
from tests.agreement.generator import Node, generate, render
from tests.agreement.shrink import shrink

SPIN_SECONDS = 3.0
ASSAY_SECONDS = 60.0
STATES_WITHOUT_SPIN = 200_000  # where SPIN stopped early, nobody knows how large the graph is


@dataclass(frozen=True, slots=True)
class Comparison:
    """One program, two answers."""

    outcome: str  # "agree", "disagree", or why there is nothing to compare
    detail: str = ""
    states: int = 0
    verdict: str = ""


@dataclass(slots=True)
class Judged:
    seed: int
    comparison: Comparison
    constructs: Counter[str] = field(default_factory=Counter)
    shrunk: str = ""


def judge(text: str, *, compiler: str | None = None) -> spin.SpinOutcome:
    """SPIN's answer on the unreduced graph of a small program."""
    with tempfile.TemporaryDirectory(prefix="agreement-") as scratch:
        model = Path(scratch) / "model.pml"
        model.write_text(text)
        return spin.check(
            model,
            spin.UNREDUCED,
            compiler=compiler or spin.fast_compiler(),
            timeout_seconds=SPIN_SECONDS,
            run_options=("-w18",),
            # With priorities, SPIN's masked comparison of states overlooks bit-sized locals.
            compile_options=("-DVECTORSZ=8192", *(("-DNOCOMP",) if "priority" in text else ())),
            depths=(200_000,),
            memory_limit_bytes=2 << 30,
        )


def compare(text: str, *, reduced: bool, confirm: bool = True, direct: bool = False) -> Comparison:
    """Ask both tools about one program."""
    expected = judge(text)
    if expected.status in (spin.Status.TIMED_OUT, spin.Status.OUT_OF_MEMORY):
        return Comparison("too large for SPIN")
    if expected.status is spin.Status.FINISHED and expected.aborted and not expected.kinds:
        return Comparison("too deep for SPIN")
    comparison = _compare(text, expected, reduced, subject.check_directly if direct else subject.check)
    if comparison.outcome == "disagree" and confirm and spin.fast_compiler() != "gcc -O2":
        # what tcc and gcc see differently is undefined in SPIN, not a fact about the program
        again = judge(text, compiler="gcc -O2")
        if (again.states, again.transitions, again.kinds) != (
            expected.states,
            expected.transitions,
            expected.kinds,
        ):
            return Comparison("SPIN depends on its compiler", detail=comparison.detail)
    return comparison


def _compare(
    text: str, expected: spin.SpinOutcome, reduced: bool, check: Callable[..., subject.AssayOutcome]
) -> Comparison:
    with tempfile.TemporaryDirectory(prefix="agreement-") as scratch:
        model = Path(scratch) / "model.pml"
        model.write_text(text)
        compiler = spin.fast_compiler().split()[0]
        limits = () if expected.counts_are_defined else ("--max-states", str(STATES_WITHOUT_SPIN))
        found = check(model, (*subject.UNREDUCED, *limits), timeout_seconds=ASSAY_SECONDS, compiler=compiler)
        if found.verdict in ("crashed", "timed out", "internal error"):
            return Comparison("disagree", f"Assay {found.verdict}: {found.message}")
        if expected.status in (spin.Status.REFUSED, spin.Status.NOT_COMPILED, spin.Status.CRASHED):
            accepted = "refused" if found.verdict == "unusable" else "accepted"
            return Comparison(f"SPIN: {expected.status.value}, Assay: {accepted}", expected.message)
        if found.verdict == "incomplete" and limits:
            return Comparison("SPIN gave up early, too large for Assay's limit")
        if found.verdict == "unusable":
            return Comparison("refused by Assay alone", found.message)
        if found.verdict != expected.verdict:
            return _disagree(expected, found, "verdict")
        if expected.counts_are_defined:
            if (found.states, found.transitions) != (expected.states, expected.transitions):
                return _disagree(expected, found, "counts")
            if found.kinds != expected.kinds:
                return _disagree(expected, found, "kinds")
        if reduced:
            less = check(model, (*subject.REDUCED, *limits), timeout_seconds=ASSAY_SECONDS, compiler=compiler)
            if less.verdict != expected.verdict and not (limits and less.verdict == "incomplete"):
                return _disagree(expected, less, "verdict with reductions")
        return Comparison("agree", states=expected.states, verdict=found.verdict)


def _disagree(expected: spin.SpinOutcome, found: subject.AssayOutcome, about: str) -> Comparison:
    spin_kinds = ", ".join(sorted(expected.kinds)) or expected.message
    assay_kinds = ", ".join(sorted(found.kinds)) or found.message
    return Comparison(
        "disagree",
        f"{about}: SPIN {expected.verdict} {expected.states}/{expected.transitions} ({spin_kinds}); "
        f"Assay {found.verdict} {found.states}/{found.transitions} ({assay_kinds})",
    )


def run_one(seed: int, *, reduced: bool, shrink_attempts: int, direct: bool = False) -> Judged:
    program = generate(seed)
    comparison = compare(program.text, reduced=reduced, direct=direct)
    judged = Judged(seed, comparison, program.constructs)
    if comparison.outcome == "disagree":
        about = comparison.detail.split(":")[0]

        def keeps(tree: Node) -> bool:
            again = compare(
                render(tree), reduced=about == "verdict with reductions", confirm=False, direct=direct
            )
            return again.outcome == "disagree" and again.detail.split(":")[0] == about

        smallest = (
            render(shrink(program.tree, keeps, attempts=shrink_attempts)) if shrink_attempts else program.text
        )
        final = compare(smallest, reduced=reduced, confirm=False, direct=direct)
        judged.shrunk = f"/* seed {seed}: {final.detail or comparison.detail} */\n{smallest}"
    return judged


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare Assay with SPIN on random programs.")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="the first of consecutive seeds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--reduced", action="store_true", help="also compare verdicts with reductions on")
    parser.add_argument("--direct", action="store_true", help="skip the command line: faster")
    parser.add_argument("--shrink", type=int, default=300, metavar="ATTEMPTS")
    parser.add_argument("--save", type=Path, default=Path("disagreements"), metavar="DIRECTORY")
    parser.add_argument("--seeds", type=int, nargs="*", help="exactly these instead")
    parser.add_argument("--stop-after", type=int, default=0, metavar="N", help="stop after N disagreements")
    arguments = parser.parse_args()
    if not spin.available():
        sys.exit("spin and gcc are needed (Debian: apt-get install spin gcc)")
    work = partial(
        run_one, reduced=arguments.reduced, shrink_attempts=arguments.shrink, direct=arguments.direct
    )
    seeds = arguments.seeds or range(arguments.seed, arguments.seed + arguments.programs)
    began = time.perf_counter()
    outcomes: Counter[str] = Counter()
    constructs: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    sizes: list[int] = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for number, judged in enumerate(pool.map(work, seeds), start=1):
            comparison = judged.comparison
            outcomes[comparison.outcome] += 1
            if comparison.outcome == "agree":
                constructs.update(judged.constructs.keys())
                sizes.append(comparison.states)
                verdicts[comparison.verdict] += 1
            if comparison.outcome == "disagree":
                arguments.save.mkdir(parents=True, exist_ok=True)
                saved = arguments.save / f"seed{judged.seed}.pml"
                saved.write_text(judged.shrunk)
                print(f"seed {judged.seed}: {comparison.detail}\n  saved as {saved}", flush=True)
                if arguments.stop_after and outcomes["disagree"] >= arguments.stop_after:
                    pool.shutdown(cancel_futures=True)
                    break
            if comparison.outcome == "refused by Assay alone":
                print(f"seed {judged.seed}: {comparison.outcome}: {comparison.detail}", flush=True)
            if number % 100 == 0:
                print(f"{number} programs, {dict(outcomes)}", file=sys.stderr, flush=True)
    print(f"\n{sum(outcomes.values())} programs in {time.perf_counter() - began:.0f} s")
    for outcome, count in outcomes.most_common():
        print(f"  {count:6}  {outcome}")
    if sizes:
        sizes.sort()
        deciles = [sizes[len(sizes) * part // 10] for part in range(10)] + [sizes[-1]]
        print(f"verdicts: {dict(verdicts)}; states of the programs compared, by decile: {deciles}")
        print("programs compared that use:")
        for construct, count in sorted(constructs.items()):
            print(f"  {count:6}  {construct}")
    sys.exit(1 if outcomes["disagree"] else 0)


if __name__ == "__main__":
    main()
