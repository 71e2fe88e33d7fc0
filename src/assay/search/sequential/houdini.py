"""The largest inductive part of a set of candidates (Houdini: Flanagan and Leino 2001).

Whatever is not implied by the others one block earlier is removed, until nothing is removed; one
counterexample removes all candidates that it refutes. Each question goes to a new solver: equations are
solved before anybody looks at bits, which is worth more than what an old solver has learnt (0.2 s instead of
10 for a sum of three counters). Bitwuzla is asked first and z3 where it is slow: each takes seconds for
questions that the other answers at once. At the end only what the proof needs is kept: backwards from the
failures, by unsatisfiable cores.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import z3

from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.search.sequential.z3_terms import Translation, solver_for, value_in
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Substitution, Term, Value
from assay.transition_system.sequential.blocks import Block
from assay.transition_system.sequential.compiled_terms import compiled
from assay.transition_system.sequential.control_flow import ControlFlow
from assay.transition_system.sequential.quantifiers import index_values, instance, witnessed
from assay.transition_system.sequential.running import default

MOST_SECONDS = 5.0  # of a question about many; what takes longer is asked one by one
SECONDS_FOR_ONE = 0.5
TURNS_SECONDS = (0.1, 1.0, 10.0)  # of each solver, before the other is asked
MOST_COMPARED = 60  # conjuncts of a place, when implied ones are dropped
START = -1  # before the entry


class Transfer:
    """A block, and candidates before and after it in terms of what is before it."""

    def __init__(self, houdini: Houdini, block: Block) -> None:
        self.block, self.translation, self.prover = block, houdini.translation, houdini.prover
        flow = houdini.flow
        begins = block.source == START or (
            block.source == flow.entry and flow.entry not in houdini.candidates
        )
        initial = flow.initial_values if begins else {}
        self.initial = Substitution(initial)
        self.after = Substitution(
            {**initial, **{one: self.initial(value) for one, value in block.values.items()}}
        )
        self.condition = self.initial(block.condition)
        self.is_impossible = self.condition is bv.FALSE
        self.values: dict[tuple[object, ...], list[Term]] = {}  # of the last question: indices in it
        self.made: dict[tuple[Term, Term], Term] = {}

    def goal(self, candidate: Term) -> Term:
        """The candidate after the block; of a quantified one, what it says of one value, whatever that is."""
        after = self.after(candidate)
        return witnessed(after, f"some!{after.parameters[0]}")[0] if after.operator == "forall" else after

    def facts(self, given: Iterable[Term], goals: Sequence[Term]) -> list[Term]:
        """They have a model if the goals do not follow; without goals, if the block can be taken. What is
        quantified is there with what it says of the indices of the others."""
        found = [self.condition, *map(self.initial, given)]
        found += [bv.negated(bv.all_of(goals))] if goals else []
        if not any(one.operator == "forall" for one in found):
            return found
        # Goals that contradict each other leave nothing of themselves in what is asked, and yet what a model
        # says of each is looked at: so what is quantified speaks of their indices, too.
        ground = [*(one for one in found if one.operator != "forall"), *goals]
        return [self._instances(one, ground) if one.operator == "forall" else one for one in found]

    def _instances(self, quantified: Term, ground: Sequence[Term]) -> Term:
        width = quantified.parameters[0]
        key = (width, *ground)
        if key not in self.values:
            self.values = {key: index_values(ground, width)}
        found = []
        for value in self.values[key]:
            made = self.made.get((quantified, value))
            if made is None:
                made = self.made[quantified, value] = instance(quantified, value)
            found.append(made)
        return bv.all_of(found)

    def refuted(
        self, given: Iterable[Term], goals: Sequence[Term], seconds: float
    ) -> dict[Term, Value] | None:
        """A model in which one of the goals is false; None if there is none. Raises TimeoutError."""
        facts = self.facts(given, goals)
        if any(one is bv.FALSE for one in facts):
            return None
        until = time.monotonic() + seconds
        whole = bv.all_of(facts)
        for turn in TURNS_SECONDS:
            with contextlib.suppress(TimeoutError):
                return self.prover.model(whole, min(turn, until - time.monotonic()))
            with contextlib.suppress(TimeoutError):
                return self._refuted_by_z3(facts, min(turn, until - time.monotonic()))
            if time.monotonic() > until:
                break
        raise TimeoutError

    def _refuted_by_z3(self, facts: Sequence[Term], seconds: float) -> dict[Term, Value] | None:
        solver = solver_for(facts)
        solver.set("timeout", max(1, int(seconds * 1000)))
        solver.add([self.translation(one) for one in facts])
        answer = solver.check()
        if answer == z3.unknown:
            raise TimeoutError
        if answer == z3.unsat:
            return None
        model = solver.model()
        return {one: value_in(model, one, self.translation) for one in bv.variables_of(*facts)}

    def needed_for(self, given: Sequence[Term], goals: Sequence[Term], seconds: float) -> list[Term]:
        """A part of what is given that implies the goals, if all of it does."""
        core = self.prover.core(self.facts(given, goals), seconds)
        if core is None:
            raise TimeoutError
        return [given[position - 1] for position in core if 1 <= position <= len(given)]


class Houdini:
    def __init__(
        self, flow: ControlFlow, parts: Iterable[Block], candidates: dict[int, list[Term]], deadline: float
    ) -> None:
        self.flow, self.candidates, self.deadline = flow, candidates, deadline
        self.guessed = {at: list(found) for at, found in candidates.items()}  # before any is removed
        self.translation, self.prover = Translation(), Prover()
        if flow.entry in candidates:  # a loop begins at once: entering it is the first step
            parts = [Block(START, flow.entry, bv.TRUE, {}), *parts]
        self.transfers = [Transfer(self, block) for block in parts]

    def left(self) -> float:
        seconds = self.deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds

    def run(self, say: Callable[[str], None]) -> None:
        waiting = [one for one in self.transfers if one.block.target in self.candidates]
        while waiting:
            transfer = waiting.pop(0)
            if self._weed(transfer):
                target = transfer.block.target
                say(f"{sum(map(len, self.candidates.values()))} candidates left")
                for other in self.transfers:
                    is_after = other.block.source == target and other.block.target in self.candidates
                    if is_after and other not in waiting:
                        waiting.append(other)

    def before(self, block: Block) -> list[Term]:
        return self.candidates.get(block.source, [])

    def _weed(self, transfer: Transfer) -> bool:
        """Removes what does not hold after the block; whether there was any."""
        if transfer.is_impossible:
            return False
        target = transfer.block.target
        goals = {one: transfer.goal(one) for one in self.candidates[target]}
        removed = {one for one, goal in goals.items() if goal is bv.FALSE}
        left = {one: goal for one, goal in goals.items() if goal is not bv.TRUE and one not in removed}
        given = self.before(transfer.block)
        while left:
            try:
                model = transfer.refuted(given, list(left.values()), min(MOST_SECONDS, self.left()))
            except TimeoutError:
                removed |= self._asked_one_by_one(transfer, given, left)
                break
            if model is None:
                break
            for one in self._false_in(model, left):
                removed.add(one)
                del left[one]
        if removed:
            self.candidates[target] = [one for one in self.candidates[target] if one not in removed]
        return bool(removed)

    @staticmethod
    def _false_in(model: Mapping[Term, Value], goals: Mapping[Term, Term]) -> list[Term]:
        names = sorted(bv.variables_of(*goals.values()), key=lambda one: one.name)
        values = [model[one] if one in model else default(one.sort) for one in names]
        holds = compiled(list(goals.values()), names)(values)
        found = [one for one, value in zip(goals, holds, strict=True) if not value]
        assert found, "a model of the solver refutes something"
        return found

    def _asked_one_by_one(
        self, transfer: Transfer, given: list[Term], goals: Mapping[Term, Term]
    ) -> set[Term]:
        """What the solver does not know soon goes, too."""
        removed = set()
        for one, goal in goals.items():
            try:
                if transfer.refuted(given, [goal], min(SECONDS_FOR_ONE, self.left())) is not None:
                    removed.add(one)
            except TimeoutError:
                self.left()
                removed.add(one)
        return removed

    def excludes_failures(self) -> bool:
        return all(
            transfer.refuted(self.before(transfer.block), [], self.left()) is None
            for transfer in self.transfers
            if transfer.block.target in self.flow.failures and not transfer.is_impossible
        )

    def needed(self) -> dict[int, Term]:
        """What the proof uses; everything, if the time is over before that is known."""
        try:
            kept = self._cores()
            kept = {at: self._without_implied(found) for at, found in kept.items()}
        except TimeoutError:
            kept = self.candidates
        return {at: bv.all_of(found) for at, found in kept.items()}

    def _cores(self) -> dict[int, list[Term]]:
        kept: dict[int, list[Term]] = {at: [] for at in self.candidates}
        waiting: list[tuple[int, Term]] = []

        def use(at: int, found: Iterable[Term]) -> None:
            for one in found:
                if one not in kept[at]:
                    kept[at].append(one)
                    waiting.append((at, one))

        for transfer in self.transfers:
            block = transfer.block
            if block.target in self.flow.failures and not transfer.is_impossible:
                needed = transfer.needed_for(self.before(block), [], self.left())
                use(block.source, needed)
        while waiting:
            at, candidate = waiting.pop()
            for transfer in self.transfers:
                goal = transfer.goal(candidate) if transfer.block.target == at else bv.TRUE
                if goal is not bv.TRUE and not transfer.is_impossible:
                    given = self.before(transfer.block)
                    first = [one for one in given if one in kept.get(transfer.block.source, [])]
                    try:  # with what is used anyway, if that is enough
                        enough = transfer.refuted(first, [goal], min(SECONDS_FOR_ONE, self.left())) is None
                    except TimeoutError:
                        enough = False
                    if not enough:
                        use(transfer.block.source, transfer.needed_for(given, [goal], self.left()))
        return kept

    def _without_implied(self, found: list[Term]) -> list[Term]:
        quantified = [one for one in found if one.operator == "forall"]
        found = [one for one in found if one.operator != "forall"]
        if len(found) > MOST_COMPARED:
            return [*quantified, *found]
        kept = sorted(found, key=lambda one: sum(1 for _ in bv.in_order((one,))))
        for one in reversed(list(kept)):
            others = [each for each in kept if each is not one]
            solver = solver_for((*others, one))
            solver.set("timeout", max(1, int(min(SECONDS_FOR_ONE, self.left()) * 1000)))
            solver.add(*[self.translation(each) for each in others], z3.Not(self.translation(one)))
            if solver.check() == z3.unsat:
                kept = others
        return [*quantified, *kept]
