"""Random programs with random `trace` and `notrace` claims, compared with SPIN and with themselves.

    python -m tests.agreement.events --programs 1000 --seed 1 --jobs 2
    python -m tests.agreement.events --programs 1000 --seed 1 --reductions

With SPIN: verdict, kinds of violations, and states and transitions of the whole graph. With `--reductions`
as `tests.agreement.reductions`: nothing that is found in the whole graph may get lost.

Where SPIN is wrong (docs/decisions/0002-spins-graph.md) there is nothing to compare: programs for SPIN have
neither `!!` nor `??`; the claim stands behind a process; one process stays for ever, so that SPIN looks
whether a trace is completed; and SPIN may complain of a rendezvous that nobody takes, or of a `notrace` at
the end.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.agreement import reductions, spin, subject
from tests.agreement.generator import Form, Node, leaf, render
from tests.agreement.reductions import Talk
from tests.agreement.shrink import shrink

UNWANTED_BY_SPIN = ("!!", "??", "3 / x", "assert")  # the last: a step reports one violation, SPIN all
STATE_LIMIT = 100_000


class WatchedTalk(Talk):
    """A talkative program with a claim about its messages."""

    def __init__(self, seed: int, *, for_spin: bool) -> None:
        super().__init__(seed)
        self.for_spin = for_spin
        self.labels = 0

    def program(self) -> Node:
        units = list(super().program().children)
        first = next(place for place, unit in enumerate(units) if unit.form is Form.UNIT)
        if self.for_spin:
            units.insert(first, Node(Form.UNIT, "active proctype stays()", (leaf("end: (false)"),)))
        return Node(Form.PROGRAM, children=(*units, self.claim()))

    def statement(self, ins: str, out: str) -> str:
        while True:
            text = super().statement(ins, out)
            if not self.for_spin or not any(unwanted in text for unwanted in UNWANTED_BY_SPIN):
                return text

    def step(self, ins: str, out: str) -> Node:
        if self.random.random() < 0.08:
            return Node(Form.BLOCK, "d_step", tuple(self.simple(ins, out, 2)))
        return super().step(ins, out)

    # --- the claim ---

    def claim(self) -> Node:
        some = self.random
        every = [channel + direction for channel in self.channels for direction in "!?"]
        self.alphabet = some.sample(every, min(len(every), some.randint(1, 3)))
        kind = some.choices(["trace", "notrace"], [3, 2])[0]
        body = [self.part(2) for _ in range(some.randint(1, 3))]
        if some.random() < 0.5:  # whatever comes then
            options = tuple(Node(Form.OPTION, children=(leaf(f"{event}_"),)) for event in self.alphabet)
            body.append(Node(Form.CHOICE, "do", options, "od", label=self.label("end")))
        elif some.random() < 0.3:
            body[0] = Node(body[0].form, body[0].head, body[0].children, body[0].tail, "again")
            body.append(leaf("goto again"))
        return Node(Form.UNIT, kind, tuple(body))

    def label(self, prefix: str) -> str:
        self.labels += 1
        return f"{prefix}{self.labels}" if self.random.random() < 0.7 else ""

    def event(self, channel: str | None = None) -> Node:
        some = self.random
        constant = some.choice(["_", "_", "0", "1", "2"])
        return leaf((channel or some.choice(self.alphabet)) + constant)

    def part(self, depth: int) -> Node:
        kind = self.random.random()
        if depth == 0 or kind < 0.5:
            return Node(Form.LEAF, self.event().head, label=self.label("end") if kind < 0.2 else "")
        loops = kind > 0.7
        options = []
        for channel in self.random.sample(self.alphabet, self.random.randint(1, len(self.alphabet))):
            inner = [self.event(channel), *(self.part(depth - 1) for _ in range(self.random.randint(0, 1)))]
            if loops and self.random.random() < 0.5:
                inner.append(leaf("break"))
            options.append(Node(Form.OPTION, children=tuple(inner)))
        if self.random.random() < 0.3:
            options.append(Node(Form.OPTION, children=(self.event(),)))
        if loops:
            return Node(Form.CHOICE, "do", tuple(options), "od", label=self.label("end"))
        return Node(Form.CHOICE, "if", tuple(options), "fi")


@dataclass(frozen=True, slots=True)
class Comparison:
    outcome: str  # "agree: ...", "disagree", or why there is nothing to compare
    detail: str = ""


def compare(model: Path, *, compiler: str | None = None) -> Comparison:
    """The whole graph of one model with a claim of events, here and in SPIN."""
    ours = subject.check_directly(model, (*subject.UNREDUCED, "--max-states", str(STATE_LIMIT)))
    if ours.verdict == "incomplete" or ours.states >= STATE_LIMIT:
        return Comparison("too large")
    theirs = spin.check(model, compiler=compiler or spin.fast_compiler(), copy_directory=False)
    if theirs.verdict is None or ours.verdict == "unusable":
        if theirs.status is spin.Status.REFUSED and ours.verdict == "unusable":
            return Comparison("refused by both")
        return Comparison(f"SPIN: {theirs.status.value}, here: {ours.verdict}", ours.message)
    found = frozenset("trace" if kind == "notrace" else kind for kind in ours.kinds)
    expected = frozenset("trace" if kind == "ambiguous-trace" else kind for kind in theirs.kinds)
    text = model.read_text()
    if "event_trace not completed" in theirs.output and "notrace" in text:
        expected -= {"deadlock"} - found
    if "[0] of" in text:
        expected -= {"trace"} - found  # of an offer that nobody took
    if "ambiguous-trace" in theirs.kinds:  # SPIN saw a part
        if "[0] of" in text and "trace" not in found:
            return Comparison("SPIN stopped at an offer")
        agree = "trace" in found
    elif (found | expected) - {"trace", "deadlock"}:  # errors of other kinds end SPIN's search
        agree = bool(found) == bool(expected)
    else:
        agree = found == expected
        if theirs.counts_are_defined:
            agree &= (ours.states, ours.transitions) == (theirs.states, theirs.transitions)
    detail = (
        f"here {sorted(found)}, {ours.states} states, {ours.transitions} transitions; "
        f"SPIN {sorted(theirs.kinds)}, {theirs.states} states, {theirs.transitions} transitions"
    )
    if not agree:
        return Comparison("disagree", detail)
    kind = "notrace" if "notrace" in text else "trace"
    outcome = (
        "ambiguous" if "ambiguous-trace" in theirs.kinds else "violated" if "trace" in found else "holds"
    )
    return Comparison(f"agree: {kind} {outcome}", detail)


def compare_random(seed: int) -> Comparison:
    return _compare_text(render(WatchedTalk(seed, for_spin=True).program()))


def _compare_text(text: str) -> Comparison:
    with tempfile.TemporaryDirectory(prefix="events-") as scratch:
        model = Path(scratch) / "model.pml"
        model.write_text(text)
        return compare(model)


def compare_reductions(seed: int) -> Comparison:
    found = reductions.check(render(WatchedTalk(seed, for_spin=False).program()), seed=seed)
    fewer = "fewer states" if found.reduced_states < found.states else "as many states"
    outcome = f"agree: {fewer}" if found.outcome == "agree" else found.outcome
    return Comparison(outcome, found.detail)


def run_one(seed: int, *, with_reductions: bool, attempts: int) -> tuple[Comparison, str]:
    """The comparison, and the program made small if it is a disagreement."""
    found = compare_reductions(seed) if with_reductions else compare_random(seed)
    if found.outcome != "disagree":
        return found, ""

    def keeps(tree: Node) -> bool:
        if with_reductions:
            return reductions.check(render(tree), invariants=()).outcome == "disagree"
        return _compare_text(render(tree)).outcome == "disagree"

    tree = WatchedTalk(seed, for_spin=not with_reductions).program()
    return found, render(shrink(tree, keeps, attempts=attempts))


def main() -> None:
    parser = argparse.ArgumentParser(description="Random programs with random traces.")
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="the first of consecutive seeds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--reductions", action="store_true", help="with and without reductions, not with SPIN"
    )
    parser.add_argument("--shrink", type=int, default=100, metavar="ATTEMPTS")
    parser.add_argument("--save", type=Path, default=Path("disagreements"), metavar="DIRECTORY")
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.programs)
    began = time.perf_counter()
    outcomes: Counter[str] = Counter()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(
            lambda seed: run_one(seed, with_reductions=arguments.reductions, attempts=arguments.shrink), seeds
        )
        for seed, (found, shrunk) in zip(seeds, results, strict=True):
            outcomes[found.outcome] += 1
            if found.outcome == "disagree":
                arguments.save.mkdir(parents=True, exist_ok=True)
                saved = arguments.save / f"events{seed}.pml"
                saved.write_text(f"/* seed {seed}: {found.detail} */\n{shrunk}")
                print(f"seed {seed}: {found.detail}\n  saved as {saved}", flush=True)
    print(f"{outcomes.total()} programs in {time.perf_counter() - began:.0f} s: {dict(outcomes)}")
    sys.exit(1 if outcomes["disagree"] else 0)


if __name__ == "__main__":
    main()
