"""Invariants about all elements of an array: for all i from l to u, a[i] is as the text says of some element.

What to say of an element is read off the text (Flanagan and Qadeer 2002 quantify predicates in this way): a
test of `a[x]`, or what is stored there, with the index that the loop moves replaced by any. From where to
where it holds is a pair of what the index is compared with: variables, their neighbours and numbers of the
text.
Runs of the program with small numbers (`shrinking`) refute most pairs, and Houdini keeps what is inductive,
together with the template invariants of the other variables. Its questions have no quantifiers: they
speak of one element, and of those that a block reads and writes (`quantifiers`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, permutations

from assay.records import dataclass
from assay.search.sequential.explicit import plain_tests
from assay.search.sequential.findings import Finding, Invariants, Status
from assay.search.sequential.houdini import Houdini
from assay.search.sequential.integers import signs_of
from assay.search.sequential.predicates import atoms
from assay.search.sequential.sampling import SECONDS, Sample, sampled
from assay.search.sequential.shrinking import Shrinking
from assay.search.sequential.templates import constants_of, distinct, inductive, live_at
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Array, Bits, Term
from assay.transition_system.sequential.blocks import Block, live_blocks
from assay.transition_system.sequential.compiled_terms import compiled
from assay.transition_system.sequential.control_flow import ControlFlow

NAME = "quantified"
MOST_BODIES = 60
MOST_BOUNDS = 14
MOST_GUARDS = 6
MOST_TESTED = 10  # facts about an element on which another may depend
MOST_CANDIDATES = 160  # of a cut point
MOST_SAMPLES = 60  # of which elements are looked at
ELEMENTS = range(-2, 48)  # that are looked at in runs with small numbers
MOST_OF_SUMS = 200  # facts about a place that hold only if something holds of elements
FEW_VALUES = 2  # of a variable on which it may depend what elements are
MOST_PREMISES = 8
MOST_NODES = 30  # of what is said about an element


def search(flow: ControlFlow, *, deadline: float, say: Callable[[str], None]) -> Finding:
    parts = live_blocks(flow)
    live = live_at(flow, parts)
    if not any(isinstance(one.sort, Array) for names in live.values() for one in names):
        return Finding(NAME, Status.UNKNOWN, "no array is read after a loop")
    try:
        known = inductive(flow, parts, deadline=deadline, say=say)
        if known.excludes_failures():
            return Finding(NAME, Status.SAFE, "inductive", invariants=Invariants(known.needed()))
        summed = _guessed_of_sums(known, parts)
        for dependent, everything in ((False, False), (True, False), (True, True)):
            found = quantified(
                flow, parts, live, deadline=deadline, dependent=dependent, everything=everything
            )
            say(f"{sum(map(len, found.values()))} candidates about elements")
            together = {at: [*held, *summed[at], *found.get(at, ())] for at, held in known.candidates.items()}
            weeded = Houdini(flow, parts, together, deadline)
            weeded.run(say)
            if weeded.excludes_failures():
                return Finding(NAME, Status.SAFE, invariants=Invariants(weeded.needed()))
    except TimeoutError:
        return Finding(NAME, Status.UNKNOWN, "out of time")
    return Finding(NAME, Status.UNKNOWN, "what is inductive about elements does not exclude every failure")


def _guessed_of_sums(known: Houdini, parts: Iterable[Block]) -> dict[int, list[Term]]:
    """Candidates about variables that are computed from elements, which were removed because nothing was
    known of the elements: a sum of ones is how many there are."""
    computed = {
        name
        for block in parts
        for name, value in block.values.items()
        if isinstance(name.sort, Bits) and any(one.operator == "select" for one in bv.in_order((value,)))
    }
    return {
        at: [one for one in guessed if one not in kept and bv.variables_of(one) & computed][:MOST_OF_SUMS]
        for at, guessed, kept in (
            (at, guessed, set(known.candidates[at])) for at, guessed in known.guessed.items()
        )
    }


def quantified(
    flow: ControlFlow,
    parts: Sequence[Block],
    live: Mapping[int, Sequence[Term]],
    *,
    deadline: float,
    dependent: bool,
    everything: bool,
) -> dict[int, list[Term]]:
    """Candidates of each cut point; `dependent`: also those that depend on tests."""
    shrinking = Shrinking(flow)
    numbers = {width: sorted(found) for width, found in constants_of(shrinking.flow).items()}
    seconds = min(SECONDS, max(0.1, (deadline - time.monotonic()) / 10))
    samples = sampled(
        shrinking.flow, live, numbers, seed=1, seconds=seconds, with_arrays=True, visits=ELEMENTS.stop
    )
    bodies = list(_linked(list(distinct(_bodies(flow, parts)))[:MOST_BODIES]))[: 2 * MOST_BODIES]
    bodies += _old_pointers(flow, parts)
    guards = list(distinct(_guards(flow, parts)))[:MOST_GUARDS]
    tests: list[Term] = []
    if dependent:
        guards += _tested(bodies, parts)[:MOST_TESTED]
        tests = [one for one in plain_tests(flow, parts) if one.operator in (*bv.COMPARISONS, "=")]
    is_signed = signs_of(parts)
    compared = _compared(parts)
    found = {}
    for at, names in live.items():
        rows = _spread(samples.get(at, []))
        if rows:
            table = Elements(names, rows, shrinking)
            some = _of_place(table, bodies, guards, tests, compared, is_signed, everything=everything)
            found[at] = list(islice((one for one in distinct(some) if one is not bv.TRUE), MOST_CANDIDATES))
    return found


def _spread(rows: Sequence[Sample]) -> list[Sample]:
    """Some of them, from all over."""
    return list(rows[:: 1 + len(rows) // MOST_SAMPLES])


# --- what to say of an element ---


def _bodies(flow: ControlFlow, parts: Sequence[Block]) -> Iterator[Term]:
    """Tests of elements and what elements become, about any element."""
    moving, known = _moving(parts), set(flow.variables)
    for fact in _facts(parts):
        nodes = list(bv.in_order((fact,)))
        if len(nodes) > MOST_NODES or not bv.variables_of(fact) <= known:
            continue
        indices = [one.operands[1] for one in nodes if one.operator == "select"]
        for name in sorted(bv.variables_of(*indices) & moving, key=lambda one: one.name):
            any_element = bv.substituted(fact, {name: bv.each(name.width)})
            yield any_element
            yield bv.negated(any_element)


def _old_pointers(flow: ControlFlow, parts: Iterable[Block]) -> list[Term]:
    """That a pointer which is an element leads to an object with a smaller number than the next one that is
    made: nothing that is written there changes what it points to."""
    counters = _counters(parts)
    found = []
    for array in flow.variables:
        if not isinstance(array.sort, Array):
            continue
        for counter in sorted(counters, key=lambda one: one.name):
            low = array.sort.element - counter.width
            if low > 0:
                element = bv.select(array, bv.each(array.sort.index))
                number = bv.extract(array.sort.element - 1, low, element)
                found.append(bv.compare("bvult", number, counter))
    return found


def _counters(parts: Iterable[Block]) -> set[Term]:
    """Variables that are the upper half of pointers to what is made next."""
    return {
        one.operands[0]
        for block in parts
        for one in bv.in_order((block.condition, *block.values.values()))
        if one.operator == "concat" and one.operands[0].operator == "variable"
    }


def _moving(parts: Sequence[Block]) -> set[Term]:
    """Numbers that become other ones of themselves, as an index does."""
    return {
        name
        for block in parts
        for name, value in block.values.items()
        if isinstance(name.sort, Bits) and value is not name and name in bv.variables_of(value)
    } - _counters(parts)


def _guards(flow: ControlFlow, parts: Sequence[Block]) -> Iterator[Term]:
    """Equations about an index: what may hold of those elements only of which they hold, or of the others."""
    moving, known = _moving(parts), set(flow.variables)
    for block in parts:
        conditions = [one.operands[0] for one in bv.in_order(block.values.values()) if one.operator == "ite"]
        for one in (each for condition in (block.condition, *conditions) for each in atoms(condition)):
            nodes = list(bv.in_order((one,)))
            is_plain = not any(isinstance(each.sort, Array) for each in nodes)
            names = bv.variables_of(one)
            if one.operator == "=" and is_plain and len(nodes) <= MOST_NODES and names <= known:
                for name in sorted(names & moving, key=lambda each: each.name):
                    of_index = bv.substituted(one, {name: bv.each(name.width)})
                    yield of_index
                    yield bv.negated(of_index)


def _tested(bodies: Sequence[Term], parts: Iterable[Block]) -> list[Term]:
    """Of the facts about any element, those that the program tests of some, and their opposites."""
    tests = {
        one.operator
        for block in parts
        for one in atoms(block.condition)
        if any(each.operator == "select" for each in bv.in_order((one,)))
    }
    return [one for one in bodies if _plainly(one).operator in tests] if tests else []


def _plainly(term: Term) -> Term:
    return term.operands[0] if term.operator == "not" else term


def _linked(bodies: Sequence[Term]) -> Iterator[Term]:
    """The bodies, and what becomes of them when an element is replaced by what is stored there: `a[i] == 1`
    and `b[i] == a[i]` give `b[i] == 1`."""
    equal = [
        (one, other)
        for body in bodies
        if body.operator == "="
        for one, other in permutations(body.operands)
        if one.operator == "select" and one not in set(bv.in_order((other,)))
    ]
    found = dict.fromkeys(bodies)
    for body in bodies:
        yield body
    waiting = list(bodies)
    while waiting and len(found) < 4 * MOST_BODIES:
        body = waiting.pop(0)
        inside = set(bv.in_order((body,)))
        for one, other in equal:
            new = bv.substituted(body, {one: other}) if one in inside else body
            if new not in found and not new.is_constant and len(list(bv.in_order((new,)))) <= MOST_NODES:
                found[new] = None
                waiting.append(new)
                yield new


def _facts(parts: Iterable[Block]) -> Iterator[Term]:
    for block in parts:
        yield from map(_of_before, atoms(block.condition))
        for value in block.values.values():
            for one in bv.in_order((value,)):
                if one.operator == "store":
                    array, index, element = map(_of_before, one.operands)
                    yield bv.equal(bv.select(array, index), element)
                elif one.operator == "ite":
                    yield from map(_of_before, atoms(one.operands[0]))


def _of_before(term: Term) -> Term:
    """With arrays as they are before anything is stored."""
    done: dict[Term, Term] = {}
    for one in bv.in_order((term,)):
        if one.operator == "store":
            done[one] = done[one.operands[0]]
        elif one.operator == "ite" and isinstance(one.sort, Array):
            done[one] = done[one.operands[1]]
        elif one.operands:
            done[one] = bv.remade(one, tuple(done[each] for each in one.operands))
        else:
            done[one] = one
    return done[term]


# --- from where to where ---


def _compared(parts: Sequence[Block]) -> dict[int, set[Term]]:
    """Numbers and variables that stand in comparisons, and those that move in indices, by width: what may
    bound a range."""
    found: dict[int, set[Term]] = {}
    moving, counters = _moving(parts), _counters(parts)
    for block in parts:
        for one in bv.in_order((block.condition, *block.values.values())):
            if one.operator in bv.COMPARISONS or one.operator == "=":
                for side in one.operands:
                    is_bound = side.is_constant or (side.operator == "variable" and side not in counters)
                    if isinstance(side.sort, Bits) and is_bound:
                        found.setdefault(side.width, set()).add(side)
            elif one.operator in ("select", "store"):
                for name in bv.variables_of(one.operands[1]) & moving:
                    found.setdefault(name.width, set()).add(name)
    return found


@dataclass(frozen=True, slots=True)
class Range:
    low: Term
    high: Term  # the first that is not in it
    is_signed: bool

    def holds(self, body: Term) -> Term:
        index = bv.each(self.low.width)
        less, at_most = ("bvslt", "bvsle") if self.is_signed else ("bvult", "bvule")
        inside = bv.all_of((bv.compare(at_most, self.low, index), bv.compare(less, index, self.high)))
        return bv.forall(index.width, bv.implies(inside, body))


class Elements:
    """What runs with small numbers say of elements at a cut point."""

    def __init__(self, names: Sequence[Term], rows: Sequence[Sample], shrinking: Shrinking) -> None:
        self.names, self.rows, self.shrinking = list(names), rows, shrinking

    def values(self, terms: Sequence[Term]) -> list[list[int]]:
        """Of numbers, in each row; with their signs."""
        small = [self.shrinking.small(one) for one in terms]
        evaluate = compiled(small, self.names)
        return [
            [bv.signed(value, one.width) for value, one in zip(evaluate(row), terms, strict=True)]
            for row in self.rows
        ]

    def premises(self, tests: Sequence[Term]) -> list[tuple[Term, list[int]]]:
        """That a variable has one of its few values, or that a test holds or not, and the rows where so."""
        found = []
        for position, name in enumerate(self.names):
            held = [row[position] for row in self.rows]
            few = {value for value in held if isinstance(value, int)}
            if isinstance(name.sort, Bits) and 1 < len(few) <= FEW_VALUES:
                for value in sorted(few):
                    rows = [row for row, one in enumerate(held) if one == value]
                    found.append((bv.equal(name, bv.constant(value, name.width)), rows))
        known = [one for one in tests if bv.variables_of(one) <= set(self.names)]
        evaluate = compiled([self.shrinking.small(one) for one in known], self.names)
        table = [evaluate(row) for row in self.rows]
        by_test = []
        for position, one in enumerate(known):
            for term, wanted in ((one, True), (bv.negated(one), False)):
                rows = [row for row, values in enumerate(table) if bool(values[position]) is wanted]
                if 0 < len(rows) < len(self.rows):
                    by_test.append((term, rows))
        return [*found[:MOST_PREMISES], *by_test[:MOST_PREMISES]]

    def false_at(self, body: Term, width: int) -> list[list[int]]:
        """In each row, the elements of which it is false."""
        evaluate = compiled([self.shrinking.small(body)], [*self.names, bv.each(width)])
        mask = (1 << width) - 1
        return [[one for one in ELEMENTS if not evaluate([*row, one & mask])[0]] for row in self.rows]


Spans = tuple[tuple[int, int], ...]  # of a range, in each row: the first, and the first that is not in it


def _of_place(
    table: Elements,
    bodies: Sequence[Term],
    guards: Sequence[Term],
    tests: Sequence[Term],
    compared: Mapping[int, set[Term]],
    is_signed: Callable[[Term], bool],
    *,
    everything: bool,
) -> Iterator[Term]:
    """Without `everything`, of ranges in which the same holds only those that no other contains."""
    names = set(table.names)
    for width in sorted({one.width for one in names if isinstance(one.sort, Bits)}):
        index = bv.each(width)
        about = [
            one for one in bodies if index in bv.variables_of(one) and bv.variables_of(one) <= names | {index}
        ]
        if not about:
            continue
        bounds = list(_bounds(names, compared.get(width, set()), width))[:MOST_BOUNDS]
        values = table.values(bounds)
        wrong = {one: table.false_at(one, width) for one in about}
        every_row = range(len(values))
        premises = [(bv.TRUE, every_row), *table.premises(tests)]
        ranges: dict[Spans, Range] = {}
        for low, high in permutations(range(len(bounds)), 2):
            spans = tuple((row[low], row[high]) for row in values)
            if all(first <= last for first, last in spans) and spans not in ranges:
                variables = bv.variables_of(bounds[low], bounds[high])
                ranges[spans] = Range(bounds[low], bounds[high], all(map(is_signed, variables)))
        unmet: dict[Term, list[set[int]]] = {}  # of a guard, the elements of which it does not hold
        met_at: dict[Term, list[list[int]]] = {}  # and those of which it does
        for body in about:
            held: set[Spans] = set()  # where the body holds whatever else holds
            for premise, rows in premises:
                seen = [spans for spans in ranges if _is_seen(spans, wrong[body], rows)]
                for spans in seen:
                    is_part = any(_contains(one, spans) for one in seen if one is not spans)
                    if spans not in held and (everything or not is_part):
                        yield ranges[spans].holds(bv.implies(premise, body))
                if premise is bv.TRUE:
                    held.update(seen)
            for guard in guards:
                if len(held) < len(ranges) and bv.variables_of(guard) <= names | {index}:
                    if guard not in unmet:
                        unmet[guard] = [set(found) for found in table.false_at(guard, width)]
                        met_at[guard] = table.false_at(bv.negated(guard), width)
                    some = [
                        [one for one in found if one not in without]
                        for found, without in zip(wrong[body], unmet[guard], strict=True)
                    ]
                    met = met_at[guard]
                    seen = [
                        spans
                        for spans in ranges
                        if spans not in held
                        and _is_seen(spans, some, every_row)
                        and not _is_seen(spans, met, every_row)
                    ]
                    for spans in seen:
                        if everything or not any(_contains(one, spans) for one in seen if one is not spans):
                            yield ranges[spans].holds(bv.implies(guard, body))


def _contains(outer: Spans, inner: Spans) -> bool:
    return all(
        first >= last or (least <= first and last <= most)
        for (least, most), (first, last) in zip(outer, inner, strict=True)
    )


def _is_seen(spans: Sequence[tuple[int, int]], wrong: Sequence[list[int]], rows: Iterable[int]) -> bool:
    """Whether some of these rows have elements in the range, and none has a wrong one."""
    inside = [(*spans[row], wrong[row]) for row in rows]
    return any(first < last for first, last, _ in inside) and not any(
        first <= one < last for first, last, found in inside for one in found
    )


def _bounds(names: set[Term], compared: set[Term], width: int) -> Iterator[Term]:
    yield bv.constant(0, width)
    variables = sorted((one for one in compared if one in names), key=lambda one: one.name)
    yield from variables
    half = 1 << (width - 1)
    numbers = sorted({one.value for one in compared if one.is_constant and 0 < one.value < half})
    yield from (bv.constant(one, width) for one in numbers)
    for one in variables:
        yield bv.arithmetic("bvadd", one, bv.constant(1, width))
