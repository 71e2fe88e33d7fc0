"""The campaign: every probe, judged by the machine at two granularities and by CPython under forced
schedules.

    python -m tests.python.adversary.campaign                         # all of it
    python -m tests.python.adversary.campaign --family dict --every 5 # a part

A way in which CPython ends and the machine says cannot be is a finding: with `gil` it has to know
everything that CPython does, with `bytecode` everything that it knows with `gil`. A program that
the machine refuses is counted as refused, not as agreement. What the machine expects with `gil` and
no schedule showed is counted, too: either the schedules are too few, or it raises false alarms.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from enum import Enum

from assay.transition_system.interface import SourceProblem
from tests.oracles.exploration import TooLarge, outcomes
from tests.python.adversary.probes import Probe, all_probes
from tests.python.adversary.reality import Ending, Observer

MOST_STATES = 100_000


class Judgement(Enum):
    AGREES = "agrees: the same endings"
    COVERS = "covers: also endings that no schedule showed"
    REFUSED = "refused"
    TOO_LARGE = "too large"
    UNOBSERVED = "CPython did not come back"
    FINDING = "FINDING"


@dataclass(frozen=True)
class Judged:
    probe: Probe
    judgement: Judgement
    words: str = ""


def endings_of(text: str, granularity: str) -> set[Ending]:
    found = outcomes(text, granularity, most_states=MOST_STATES)
    return {(dict(named).get("result", "") if ended == "ok" else "", ended) for named, ended in found}


def judge(probe: Probe, observer: Observer) -> Judged:
    try:
        gil = endings_of(probe.text, "gil")
        bytecode = endings_of(probe.text, "bytecode")
    except SourceProblem as problem:
        return Judged(probe, Judgement.REFUSED, str(problem))
    except TooLarge as problem:
        return Judged(probe, Judgement.TOO_LARGE, str(problem))
    except RuntimeError as problem:
        return Judged(probe, Judgement.FINDING, f"the machine fails: {problem}")
    try:
        real = observer.observe(probe.text)
    except TimeoutError as problem:
        return Judged(probe, Judgement.UNOBSERVED, str(problem))
    if real - gil:
        return Judged(probe, Judgement.FINDING, f"CPython ends in {sorted(real - gil)}, gil in {sorted(gil)}")
    if gil - bytecode:
        return Judged(probe, Judgement.FINDING, f"gil ends in {sorted(gil - bytecode)}, bytecode does not")
    if gil - real:
        return Judged(probe, Judgement.COVERS, f"not seen: {sorted(gil - real)}")
    return Judged(probe, Judgement.AGREES)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--family", help="only these probes, by the beginning of their family")
    parser.add_argument("--name", help="only probes whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="one probe of so many")
    parser.add_argument("--offset", type=int, default=0, help="the first of them")
    parser.add_argument("--verbose", action="store_true", help="say what became of each")
    options = parser.parse_args()
    probes = [
        probe
        for probe in all_probes()
        if probe.family.startswith(options.family or "") and (options.name or "") in probe.name
    ][options.offset :: options.every]
    observer = Observer()
    counts: Counter[str] = Counter()
    began = time.monotonic()
    for probe in probes:
        judged = judge(probe, observer)
        counts[judged.judgement.value] += 1
        if judged.judgement is Judgement.FINDING or options.verbose:
            print(f"{probe.family} {probe.name}: {judged.judgement.value} {judged.words}", flush=True)
    observer.close()
    print(f"{len(probes)} programs in {time.monotonic() - began:.0f} s")
    for words, count in counts.most_common():
        print(f"{count:6} {words}")
    return 1 if counts[Judgement.FINDING.value] else 0


if __name__ == "__main__":
    sys.exit(main())
