"""Some variables are followed value by value, of the others nothing is known (Beyer and Löwe 2013).

Programs that are state machines have variables that only ever hold a few numbers of the text, and what
matters is which of them occur together. Those values are explored as a model checker explores states: at each
cut point a set of combinations, from each of them the combinations after the next block, as a solver finds
them. The invariant is the set. Whether a test of something that no loop changes holds is followed in the same
way.

What to follow is what failures depend on: at first what is tested nearest to them. If what is known lets
a failure be reached by some blocks, either there is a run along them, or a solver says of which variables
more must be known.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.search.sequential.bounded import Bounded, at_depth, choices_of
from assay.search.sequential.findings import Choices, Finding, Invariants, Status
from assay.search.sequential.houdini import START
from assay.search.sequential.predicates import atoms
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Array, Bits, Substitution, Term, Value
from assay.transition_system.sequential.blocks import Block, live_blocks
from assay.transition_system.sequential.control_flow import Assume, ControlFlow

NAME = "explicit"
MOST_STATES = 4000  # combinations, of all cut points
MOST_VALUES = 200  # of one variable
MOST_GUESSED = 4  # values of one variable after a block, if they are no numbers of the text
MOST_NODES = 12  # of a test that is followed
MOST_NEW_TESTS = 12  # that are followed at once
FIRST_FOLLOWED = 2
SECONDS_FOR_ONE = 5.0
SECONDS_FOR_PATH = 5.0

Combination = tuple[int | None, ...]  # None: nothing is known
Reached = tuple[int, Combination | None]  # None: at the start


class TooMany(Exception):
    """Combinations."""


class TooManyOfOne(Exception):
    """Values of a term that is no number of the text, by its position."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def search(flow: ControlFlow, *, deadline: float, say: Callable[[str], None]) -> Finding:
    parts = live_blocks(flow)
    candidates = Candidates(flow, parts)
    if not flow.cut_points or not candidates.few_valued:
        return Finding(NAME, Status.UNKNOWN, "no variable has few values")
    followed = candidates.few_valued[:FIRST_FOLLOWED]
    try:
        while True:
            say(f"{len(followed)} variables and tests are followed")
            exploring = Exploring(flow, parts, followed, deadline)
            failing = exploring.failing()
            if failing is None:
                return Finding(NAME, Status.SAFE, invariants=Invariants(exploring.invariants()))
            path = Path(flow, parts, followed, failing)
            try:
                model = exploring.prover.model(path.whole(), min(SECONDS_FOR_PATH, exploring.left()))
                if model is not None:
                    return Finding(NAME, Status.UNSAFE, bound=len(failing), run=path.run(model))
                names = path.needed(exploring.prover, min(SECONDS_FOR_PATH, exploring.left()))
                more = candidates.about(names, followed)
            except TimeoutError:
                exploring.left()
                more = candidates.nearest(followed)
            if not more:
                return Finding(NAME, Status.UNKNOWN, "failures depend on other variables as well")
            followed = [*followed, *more]
    except TimeoutError:
        return Finding(NAME, Status.UNKNOWN, f"out of time with {len(followed)} variables and tests")
    except TooMany:
        detail = f"too many combinations of {len(followed)} variables and tests"
        return Finding(NAME, Status.UNKNOWN, detail)


# --- what may be followed ---


class Candidates:
    def __init__(self, flow: ControlFlow, parts: Sequence[Block]) -> None:
        rank = Rank(flow, parts)
        self.few_valued = rank.sorted(few_valued(parts))
        self.tests = rank.sorted(plain_tests(flow, parts))
        self.sources: dict[Term, set[Term]] = {}  # of a variable: what it is computed from
        for block in parts:
            for name, value in block.values.items():
                self.sources.setdefault(name, set()).update(
                    *(bv.variables_of(leaf) for leaf in _leaves(value))
                )
        self.known = set(flow.variables)

    def about(self, needed: set[Term], followed: Sequence[Term]) -> list[Term]:
        """What to follow so that more is known of these variables: those of few values themselves, of others
        what is tested, and only if that is known, what number they are. What is followed and has no number
        is computed from others, of which more must be known then."""
        names = set(needed)
        for one in needed.intersection(followed):
            names |= {
                each
                for each in self.sources.get(one, ())
                if each in self.known and isinstance(each.sort, Bits)
            }
        of_few = [one for one in self.few_valued if one in names and one not in followed]
        others = names.difference(self.few_valued)
        tests = [one for one in self.tests if bv.variables_of(one) & others and one not in followed]
        if of_few or tests:
            return [*of_few, *tests[:MOST_NEW_TESTS]]
        return sorted((one for one in others if one not in followed), key=lambda one: one.name)

    def nearest(self, followed: Sequence[Term]) -> list[Term]:
        """What to follow where nobody can say what is needed."""
        return [one for one in self.few_valued if one not in followed][:FIRST_FOLLOWED]


def few_valued(parts: Iterable[Block]) -> list[Term]:
    """Variables that become numbers of the text, and are never computed from what they were before."""
    numbers: set[Term] = set()
    computed: set[Term] = set()
    for block in parts:
        for name, value in block.values.items():
            if not isinstance(name.sort, Bits):
                continue
            for leaf in _leaves(value):
                if leaf.is_constant:
                    numbers.add(name)
                elif leaf is not name and name in bv.variables_of(leaf):
                    computed.add(name)
    return sorted(numbers - computed, key=lambda one: one.name)


def _leaves(term: Term) -> Iterator[Term]:
    """What the value of nested choices can be."""
    waiting, seen = [term], {term}
    while waiting:
        one = waiting.pop()
        if one.operator != "ite":
            yield one
            continue
        for inner in one.operands[1:]:
            if inner not in seen:
                seen.add(inner)
                waiting.append(inner)


def _is_known(term: Term) -> Term:
    """When a term is a number: the condition under which its choices lead to one."""
    done: dict[Term, Term] = {}
    for one in bv.in_order((term,)):
        if one.operator == "ite":
            condition, yes, no = one.operands
            done[one] = bv.ite(condition, done[yes], done[no])
        else:
            done[one] = bv.truth(one.is_constant)
    return done[term]


def plain_tests(flow: ControlFlow, parts: Iterable[Block]) -> list[Term]:
    """Tests after cut points, of numbers and not of what arrays hold."""
    known = set(flow.variables)
    found: dict[Term, None] = {}
    conditions: dict[Term, None] = {}
    for block in parts:
        if block.source in flow.cut_points:
            choices = (one.operands[0] for one in bv.in_order(block.values.values()) if one.operator == "ite")
            conditions |= dict.fromkeys((block.condition, *choices))
    for one in dict.fromkeys(each for condition in conditions for each in atoms(condition)):
        if len(list(islice(bv.in_order((one,)), MOST_NODES + 1))) > MOST_NODES:
            continue
        names = bv.variables_of(one)
        is_plain = names and not any(isinstance(each.sort, Array) for each in names)
        if is_plain and names <= known and bv.negated(one) not in found:
            found[one] = None
    return list(found)


class Rank:
    """What is tested nearest to a failure first, and with it what is given to that."""

    def __init__(self, flow: ControlFlow, parts: Iterable[Block]) -> None:
        self.distance = _tested_at(flow)
        self.never = len(flow.edges) + 1
        given = [
            (name, leaf)
            for block in parts
            for name, value in block.values.items()
            for leaf in _leaves(value)
            if leaf.operator == "variable" and leaf is not name
        ]
        is_new = True
        while is_new:
            is_new = False
            for name, leaf in given:
                if self.of(leaf) > self.of(name) + 1:
                    self.distance[leaf] = self.of(name) + 1
                    is_new = True

    def of(self, term: Term) -> int:
        names = (term,) if term.operator == "variable" else bv.variables_of(term)
        return min((self.distance.get(name, self.never) for name in names), default=self.never)

    def sorted(self, terms: Iterable[Term]) -> list[Term]:
        return sorted(terms, key=self.of)


def _tested_at(flow: ControlFlow) -> dict[Term, int]:
    """Of each variable, how many edges before a failure it is tested."""
    distance: dict[Term, int] = {}
    level, seen, steps = set(flow.failures), set(flow.failures), 0
    while level:
        before: set[int] = set()
        for location in level:
            for edge in flow.incoming[location]:
                if isinstance(edge.action, Assume):
                    for name in bv.variables_of(edge.action.condition):
                        distance.setdefault(name, steps)
                if edge.source not in seen:
                    seen.add(edge.source)
                    before.add(edge.source)
        level, steps = before, steps + 1
    return distance


# --- exploring ---


class Exploring:
    def __init__(
        self, flow: ControlFlow, parts: Sequence[Block], followed: Sequence[Term], deadline: float
    ) -> None:
        self.flow, self.followed, self.deadline = flow, followed, deadline
        self.prover = Prover()
        self.blocks: dict[int, list[Block]] = {}
        for block in parts:
            self.blocks.setdefault(block.source, []).append(block)
        self.seen: dict[int, dict[Combination, None]] = {at: {} for at in flow.cut_points}
        self.values: list[set[int | None]] = [set() for _ in followed]
        self.many: dict[int, set[int]] = {}  # of blocks: positions of what may be many numbers after them
        self.simplified: dict[int, dict[tuple[int | None, ...], tuple[Term, ...]]] = {}  # of blocks
        self.order: dict[int, list[int]] = {}  # of blocks: in which order values are put in

    def failing(self) -> list[tuple[Combination | None, Block]] | None:
        """Blocks that may lead to a failure, for all that is known, each with the combination before it;
        None: there are none, and everything has been reached."""
        start: Reached = (self.flow.entry, None)
        before: dict[Reached, tuple[Reached, Block]] = {}
        waiting = deque([start])
        if self.flow.entry in self.seen:  # a loop begins at once
            first = self._after(Block(START, self.flow.entry, bv.TRUE, {}), None)
            self.seen[self.flow.entry] = dict.fromkeys(first)
            waiting = deque((self.flow.entry, one) for one in self.seen[self.flow.entry])
        while waiting:
            here = waiting.popleft()
            for block in self.blocks.get(here[0], ()):
                is_failure = block.target in self.flow.failures
                for after in self._after(block, here[1]):
                    if is_failure:
                        path = [(here[1], block)]
                        while here in before:
                            here, last = before[here]
                            path.append((here[1], last))
                        return path[::-1]
                    if after not in self.seen[block.target]:
                        self.seen[block.target][after] = None
                        before[block.target, after] = here, block
                        waiting.append((block.target, after))
                        for values, value in zip(self.values, after, strict=True):
                            values.add(value)
            is_far = any(len(values) > MOST_VALUES for values in self.values)
            if is_far or sum(map(len, self.seen.values())) > MOST_STATES:
                raise TooMany
        return None

    def _after(self, block: Block, here: Combination | None) -> Iterator[Combination]:
        """The combinations that may hold after a block, if one holds before it; None: at the start."""
        if here is None:
            condition, *terms = map(Substitution(self.flow.initial_values), self._terms(block))
        else:
            condition, *terms = self._with_values(block, here)
        if condition is bv.FALSE:
            return
        if block.target in self.flow.failures:
            if self.prover.model(condition, self.left()) is not None:
                yield ()
            return
        yield from self._models(block, condition, terms)

    def _terms(self, block: Block) -> tuple[Term, ...]:
        """Under which condition a block is passed, and what the followed ones are after it."""
        after = Substitution(block.values)
        return (block.condition, *map(after, self.followed))

    def _with_values(self, block: Block, here: Combination) -> tuple[Term, ...]:
        """The same if a combination holds before. Values are put in one after the other, first those of what
        is tested most often, and what they make of a block is kept: of a large switch it is one case."""
        key: tuple[int | None, ...] = ()
        known = self.simplified.setdefault(id(block), {})
        if not known:
            known[()] = self._terms(block)
            self.order[id(block)] = self._most_tested(known[()])
        terms, given = known[()], []
        put: dict[Term, Term] = {}
        order = self.order[id(block)]
        for at in order:
            one, value = self.followed[at], here[at]
            key = (*key, value)
            if value is None:
                known.setdefault(key, terms)
            else:
                number = _constant(one, value)
                if one.operator != "variable":
                    given.append(one if value else bv.negated(one))
                place = one if one.operator == "variable" else bv.substituted(one, put)
                if key not in known and not place.is_constant:
                    simpler = tuple(map(Substitution({place: number}), terms))
                    if at == order[-1]:
                        terms = simpler
                        break
                    known[key] = simpler
                if one.operator == "variable":
                    put[one] = number
            terms = known.setdefault(key, terms)
        return (bv.all_of((bv.substituted(bv.all_of(given), put), terms[0])), *terms[1:])

    def _most_tested(self, terms: Sequence[Term]) -> list[int]:
        """Positions of what is followed: variables before tests, in which they may be."""
        uses = dict.fromkeys(self.followed, 0)
        for one in bv.in_order(terms):
            for operand in one.operands:
                if operand in uses:
                    uses[operand] += 1
        positions = range(len(self.followed))
        return sorted(
            positions, key=lambda at: (self.followed[at].operator != "variable", -uses[self.followed[at]])
        )

    def _models(self, block: Block, condition: Term, terms: Sequence[Term]) -> list[Combination]:
        """What the terms are where the condition holds. One that is no number of the text may still be one of
        few, after a test; if there are more, nothing is known of it, after this block at any time."""
        many = self.many.setdefault(id(block), set())
        while True:
            try:
                return list(self._enumerated(condition, terms, many))
            except TooManyOfOne as found:
                many.add(found.position)

    def _enumerated(self, condition: Term, terms: Sequence[Term], many: set[int]) -> Iterator[Combination]:
        """`many`: positions of terms that are known only where they are numbers of the text."""
        written = [_is_known(one) if isinstance(one.sort, Bits) else bv.TRUE for one in terms]
        known = [when if at in many else bv.TRUE for at, when in enumerate(written)]
        shown = [
            bv.ite(when, one, _constant(one, 0)) if isinstance(one.sort, Bits) else one
            for when, one in zip(known, terms, strict=True)
        ]
        guessed = {at: set[int]() for at, when in enumerate(written) if when is not known[at]}
        asked = [one for one in (*known, *shown) if not one.is_constant]
        held: dict[Term, int] = {}

        def combination() -> Combination:
            values = [
                (one.value if one.is_constant else held[one], when.value if when.is_constant else held[when])
                for one, when in zip(shown, known, strict=True)
            ]
            return tuple(value if is_known else None for value, is_known in values)

        if not asked:
            if condition is bv.TRUE or self.prover.model(condition, self.left()) is not None:
                yield combination()
            return
        library = self.prover.library
        solver = self.prover.solver(min(SECONDS_FOR_ONE, self.left()), "PRODUCE_MODELS")
        solver.assert_formula(self.prover.translated(condition))
        translated = [self.prover.translated(one) for one in asked]
        while True:
            self.left()
            answer = solver.check_sat()
            if answer == library.Result.UNSAT:
                return
            if answer != library.Result.SAT:
                raise TimeoutError
            for one, term in zip(asked, translated, strict=True):
                value = self.prover.value(solver.get_value(term), one.sort)
                assert isinstance(value, int)
                held[one] = value
            found = combination()
            for at, values in guessed.items():
                values.add(found[at] or 0)
                if len(values) > MOST_GUESSED:
                    raise TooManyOfOne(at)
            yield found
            same = bv.all_of(_is(one, value) for one, value in held.items())
            solver.assert_formula(self.prover.translated(bv.negated(same)))

    def left(self) -> float:
        seconds = self.deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds

    def invariants(self) -> dict[int, Term]:
        return {at: _one_of(self.followed, list(found)) for at, found in self.seen.items()}


class Path:
    """Blocks one after the other, each over variables of its own, and what links them. Of what is followed
    the values are known, which makes little of a block that is a large switch."""

    def __init__(
        self,
        flow: ControlFlow,
        parts: Sequence[Block],
        followed: Sequence[Term],
        path: Sequence[tuple[Combination | None, Block]],
    ) -> None:
        self.flow, self.parts = flow, parts
        self.conditions: list[Term] = []
        self.links: list[
            tuple[Term, Term]
        ] = []  # a variable, and that it is what it became one block earlier
        known: dict[Term, Term] = dict(flow.initial_values)  # what variables are where a block begins
        for depth, (here, block) in enumerate(path):
            if depth:
                self._enter(depth, block, dict(zip(followed, here or (), strict=here is not None)), known)
            choices = {one: at_depth(one, depth) for one in choices_of(block)}
            there = Substitution({**known, **choices})
            self.conditions.append(there(block.condition))
            known = {**known, **{name: there(value) for name, value in block.values.items()}}

    def _enter(
        self, depth: int, block: Block, values: Mapping[Term, int | None], known: dict[Term, Term]
    ) -> None:
        """Gives variables new names, or the numbers that they are known to be."""
        tests = [one for one in values if one.operator != "variable"]
        read = bv.variables_of(block.condition, *block.values.values(), *known, *tests)
        for name in sorted(read & set(self.flow.variables), key=lambda one: one.name):
            if not isinstance(name.sort, Bits):
                continue
            before, value = known.get(name, name), values.get(name)
            if value is not None:
                known[name] = _constant(name, value)
                self.conditions.append(bv.equal(before, known[name]))
            else:
                known[name] = bv.variable(f"{name.name}!{depth}", name.sort)
                self.links.append((name, bv.equal(known[name], before)))
        there = Substitution(known)
        self.conditions += [there(_is(one, values[one])) for one in tests]

    def whole(self) -> Term:
        return bv.all_of([*self.conditions, *(link for _, link in self.links)])

    def needed(self, prover: Prover, seconds: float) -> set[Term]:
        """Variables without whose links the path might be taken."""
        given = [*self.conditions, *(link for _, link in self.links)]
        core = prover.core(given, seconds)
        if core is None:
            raise TimeoutError
        first = len(self.conditions)
        return {self.links[at - first][0] for at in core if at >= first}

    def run(self, model: Mapping[Term, Value]) -> Choices:
        return Bounded(self.flow, self.parts).run_of(model)


def _constant(term: Term, value: int) -> Term:
    return bv.constant(value, term.width) if isinstance(term.sort, Bits) else bv.truth(bool(value))


def _is(term: Term, value: int | None) -> Term:
    if value is None:
        return bv.TRUE
    if isinstance(term.sort, Bits):
        return bv.equal(term, bv.constant(value, term.width))
    return term if value else bv.negated(term)


def _one_of(terms: Sequence[Term], combinations: Sequence[Combination]) -> Term:
    """That one of the combinations holds, the first term on the outside."""
    if not combinations:
        return bv.FALSE
    if not terms:
        return bv.TRUE
    rest: dict[int | None, list[Combination]] = {}
    for one in combinations:
        rest.setdefault(one[0], []).append(one[1:])
    inner: dict[Term, list[int | None]] = {}  # what the others may be, and for which values of this one
    for value, others in rest.items():
        inner.setdefault(_one_of(terms[1:], others), []).append(value)
    return bv.any_of(
        bv.all_of((bv.any_of(_is(terms[0], value) for value in values), others))
        for others, values in inner.items()
    )
