"""Template invariants from data (Ernst et al. 2007: Daikon; Sharma et al. 2013), weeded by Houdini.

The program is run with many inputs (`sampling`); what its variables held at each cut point is a table. Its
columns give the candidates: constants, small sets of values and bounds; linear equations (the null space
of the table, and of pairs and triples), orders and small differences; what one variable is when another has
one of few values; parities; and the tests in the text of the program. The solver then keeps what is
inductive (`houdini`). It is a proof if that excludes every failure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, islice, permutations
from math import lcm
from operator import le, lt, mul, or_

from assay.records import dataclass
from assay.search.sequential.findings import Finding, Invariants, Status
from assay.search.sequential.houdini import Houdini
from assay.search.sequential.predicates import atoms
from assay.search.sequential.sampling import SECONDS, Sample, sampled
from assay.search.sequential.shrinking import Shrinking
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Array, Bits, Term
from assay.transition_system.sequential.blocks import Block, live_blocks
from assay.transition_system.sequential.compiled_terms import compiled
from assay.transition_system.sequential.control_flow import Assign, Assume, ControlFlow

NAME = "templates"
MOST_VARIABLES = 40  # of which pairs are looked at
MOST_OF_THREE = 12
MOST_TESTS = 400
MOST_MULTIPLIED = 4
FEW_VALUES = 8
MOST_FEW = 12  # variables with few values of which implications are made
MOST_CANDIDATES = 2500  # of a cut point
SMALL = 16  # differences
MOST_NODES = 30  # of a test
MOST_VISITS = 40  # of a place in a run with small numbers
MOST_CASES = 10  # tests by which data is divided
MOST_EQUATED = 12  # of their literals, for equations
MOST_IN_CASES = 5  # variables of such an equation
MOST_COMPUTED = 3
COMPARED = ("bvslt", "bvult", "bvsle", "bvule", "=")
COMPUTED = ("bvmul", "bvsdiv", "bvudiv", "bvshl", "bvlshr", "bvashr", "bvadd", "bvsub")


def search(flow: ControlFlow, *, deadline: float, say: Callable[[str], None], seed: int = 1) -> Finding:
    try:
        found = inductive(flow, live_blocks(flow), deadline=deadline, say=say, seed=seed)
        if found.excludes_failures():
            return Finding(NAME, Status.SAFE, invariants=Invariants(found.needed()))
    except TimeoutError:
        return Finding(NAME, Status.UNKNOWN, "out of time")
    return Finding(NAME, Status.UNKNOWN, "what is inductive does not exclude every failure")


def inductive(
    flow: ControlFlow,
    parts: Sequence[Block],
    *,
    deadline: float,
    say: Callable[[str], None],
    seed: int = 1,
) -> Houdini:
    """The inductive part of the candidates. Raises TimeoutError."""
    say("running the program for data")
    live = live_at(flow, parts)
    numbers = constants_of(flow)
    around = {width: sorted(found) for width, found in numbers.items()}
    seconds = min(SECONDS, max(0.1, (deadline - time.monotonic()) / 10))
    samples = sampled(flow, live, around, seed=seed, seconds=seconds)
    plain = list(distinct(chain(tests_of(flow), tests_in(parts))))
    tests = list(islice(distinct(chain(plain, nearly(plain), orders_of(flow))), MOST_TESTS))
    candidates = {}
    guess = Guess(flow, live, seed, seconds)
    for at in sorted(flow.cut_points):
        table = Table(live[at], samples.get(at, []), around)
        found = chain(candidates_of(table, tests), guess.candidates(at, table, tests))
        candidates[at] = list(islice(distinct(found), MOST_CANDIDATES))
    say(f"{sum(map(len, candidates.values()))} candidates")
    weeded = Houdini(flow, parts, candidates, deadline)
    weeded.run(say)
    return weeded


def live_at(flow: ControlFlow, parts: Iterable[Block]) -> dict[int, list[Term]]:
    """Variables that are read after a cut point before they are set, in the order of the program."""
    own = set(flow.variables)
    live: dict[int, set[Term]] = {at: set() for at in flow.cut_points}
    inner = [block for block in parts if block.source in live]
    read = {id(block): bv.variables_of(block.condition) & own for block in inner}
    of_value: dict[Term, set[Term]] = {}
    changed = True
    while changed:
        changed = False
        for block in inner:
            wanted = set(read[id(block)])
            for name in live.get(block.target, ()):
                value = block.values.get(name, name)
                if value not in of_value:
                    of_value[value] = bv.variables_of(value) & own
                wanted |= of_value[value]
            if not wanted <= live[block.source]:
                live[block.source] |= wanted
                changed = True
    order = {one: position for position, one in enumerate(flow.variables)}
    return {at: sorted(found, key=lambda one: order[one]) for at, found in live.items()}


class Guess:
    """Candidates from runs with small numbers, for places and numbers to which no run came."""

    def __init__(
        self, flow: ControlFlow, live: Mapping[int, Sequence[Term]], seed: int, seconds: float
    ) -> None:
        self.shrinking = Shrinking(flow)
        found = constants_of(self.shrinking.flow)
        self.numbers = {width: sorted(values) for width, values in found.items()}
        self.samples = {}
        if self.shrinking.changes_anything:
            self.samples = sampled(
                self.shrinking.flow, live, self.numbers, seed=seed, seconds=seconds, visits=MOST_VISITS
            )

    def candidates(self, at: int, seen: Table, tests: Sequence[Term]) -> Iterator[Term]:
        """Without those that runs of the program itself refute."""
        if at not in self.samples:
            return
        table = Table(seen.variables, self.samples[at], self.numbers)
        small = [self.shrinking.small(one) for one in tests]
        found = list(
            islice(distinct(map(self.shrinking.restored, candidates_of(table, small))), MOST_CANDIDATES)
        )
        plain = [
            one for one in found if not any(isinstance(each.sort, Array) for each in bv.in_order((one,)))
        ]
        rows = list(map(compiled(plain, seen.variables), seen.samples)) if plain else []
        yield from (one for position, one in enumerate(plain) if all(row[position] for row in rows))


# --- candidates ---


@dataclass(frozen=True, slots=True)
class Column:
    name: Term
    values: list[int]  # as numbers without a sign
    flipped: list[int]  # in the order of signed numbers

    @property
    def width(self) -> int:
        return self.name.width

    @property
    def is_constant(self) -> bool:
        return min(self.values) == max(self.values)


class Table:
    def __init__(
        self, variables: Sequence[Term], samples: Sequence[Sample], numbers: Mapping[int, Sequence[int]]
    ) -> None:
        self.variables, self.samples, self.numbers = variables, samples, numbers
        self.columns = []
        for position, name in enumerate(variables):
            if isinstance(name.sort, Bits) and samples:
                values: list[int] = [sample[position] for sample in samples]  # type: ignore[misc]
                flip = 1 << (name.width - 1)
                self.columns.append(Column(name, values, [value ^ flip for value in values]))


def distinct(terms: Iterable[Term]) -> Iterator[Term]:
    seen: set[Term] = set()
    for one in terms:
        if one not in seen and one is not bv.TRUE:
            seen.add(one)
            yield one


def candidates_of(table: Table, tests: Sequence[Term]) -> Iterator[Term]:
    """Those that no sample refutes. A place that no run reached may never be reached."""
    if not table.samples:
        yield bv.FALSE
    yield from of_tests(table, tests)
    yield from of_cases(table, tests)
    for one in table.columns:
        yield from of_one(one, table.numbers.get(one.width, ()))
    near = table.columns[:MOST_VARIABLES]
    for one, other in combinations(near, 2):
        if one.width == other.width:
            yield from of_two(one, other)
    computed = computed_columns(table, tests)
    for one in computed:
        for other in near[:MOST_OF_THREE]:
            if one.width == other.width and other.name not in bv.variables_of(one.name):
                yield from of_two(one, other)
    yield from of_few(near)
    yield from equations(near)
    if any(is_product(one) for test in tests for one in bv.in_order((test,))):
        yield from equations_of_products(near)
    moving = [one for one in near if not one.is_constant][:MOST_OF_THREE]
    for three in permutations(moving, 3):
        if len({one.width for one in three}) == 1:
            yield from of_three(*three)
    yield from equations_of_cases(table, tests, [*moving, *computed])
    for one, other in combinations(moving, 2):
        if one.width == other.width:
            yield from of_distance(one, other, table.numbers.get(one.width, ()))


def of_tests(table: Table, tests: Sequence[Term]) -> Iterator[Term]:
    known = set(table.variables)
    about = [one for one in tests if bv.variables_of(one) <= known]
    plain = [one for one in about if not any(isinstance(each.sort, Array) for each in bv.in_order((one,)))]
    yield from (one for one in about if one not in plain)
    rows = list(map(compiled(plain, table.variables), table.samples))
    for position, one in enumerate(plain):
        found = {bool(row[position]) for row in rows}
        if found != {False}:
            yield from () if False in found else (one,)
        if found != {True}:
            yield from () if True in found else (bv.negated(one),)


def of_cases(table: Table, tests: Sequence[Term]) -> Iterator[Term]:
    """What holds where a test does, and pairs of tests of which one always holds."""
    literals = cases_of(table, tests)
    for (one, left), (other, right) in combinations(literals, 2):
        if all(map(or_, left, right)) and other is not bv.negated(one):
            yield bv.any_of((one, other))
    for test, held in literals:
        for column in (one for one in table.columns if not one.is_constant):
            values = {value for value, holds in zip(column.values, held, strict=True) if holds}
            if len(values) == 1:
                yield bv.implies(test, bv.equal(column.name, bv.constant(values.pop(), column.width)))
                continue
            is_mixed = len({value & 1 for value in column.values}) > 1
            if is_mixed and column.width > 1 and len({value & 1 for value in values}) == 1:
                low = bv.constant(min(values) & 1, 1)
                yield bv.implies(test, bv.equal(bv.extract(0, 0, column.name), low))


def cases_of(table: Table, tests: Sequence[Term]) -> list[tuple[Term, list[bool]]]:
    """Tests that hold in some rows and not in others, and what they say of each; both signs."""
    known = set(table.variables)
    mixed: list[tuple[Term, list[bool]]] = []
    about = [one for one in tests if bv.variables_of(one) <= known]
    plain = [one for one in about if not any(isinstance(each.sort, Array) for each in bv.in_order((one,)))]
    rows = list(map(compiled(plain, table.variables), table.samples)) if plain else []
    for position, one in enumerate(plain):
        held = [bool(row[position]) for row in rows]
        if any(held) and not all(held) and all(held != other for _, other in mixed):
            mixed.append((one, held))
    return [
        each
        for one, held in mixed[:MOST_CASES]
        for each in ((one, held), (bv.negated(one), [not value for value in held]))
    ]


def computed_columns(table: Table, tests: Sequence[Term]) -> list[Column]:
    """What variables are compared with, where that is computed from others: `j < n / 2`."""
    known = set(table.variables)
    found: dict[Term, None] = {}
    for test in tests:
        for one in test.operands if test.operator in COMPARED else ():
            is_plain = all(isinstance(each.sort, Bits) for each in bv.in_order((one,)))
            if one.operator in COMPUTED and is_plain and bv.variables_of(one) <= known:
                found[one] = None
    terms = list(found)[:MOST_COMPUTED]
    rows = list(map(compiled(terms, table.variables), table.samples)) if terms else []
    columns = []
    for position, term in enumerate(terms if rows else ()):
        values = [int(row[position]) for row in rows]
        columns.append(Column(term, values, [value ^ (1 << (term.width - 1)) for value in values]))
    return columns


def equations_of_cases(table: Table, tests: Sequence[Term], columns: Sequence[Column]) -> Iterator[Term]:
    """Linear equations that hold where a test does: a counter of every second round is half of the rounds, or
    half of one more."""
    for width in sorted({one.width for one in columns}):
        same = [one for one in columns if one.width == width][:MOST_IN_CASES]
        for test, held in cases_of(table, tests)[:MOST_EQUATED]:
            rows = [row for row, holds in enumerate(held) if holds]
            if len(rows) < 2:
                continue
            some = [
                Column(one.name, [one.values[row] for row in rows], [one.flipped[row] for row in rows])
                for one in same
            ]
            some = [one for one in some if not one.is_constant]
            for size in (2, 3):
                for few in combinations(some, size):
                    for found in null_space(few):
                        yield bv.implies(test, found)


def of_one(one: Column, numbers: Sequence[int]) -> Iterator[Term]:
    name, width = one.name, one.width
    flip = 1 << (width - 1)
    values = sorted(set(one.values))
    if len(values) <= FEW_VALUES:
        yield bv.any_of(bv.equal(name, bv.constant(value, width)) for value in values)
    for order, least, most, turn in (
        ("bvule", min(one.values), max(one.values), 0),
        ("bvsle", min(one.flipped), max(one.flipped), flip),
    ):
        known = sorted({number ^ turn for number in numbers})
        for limit in [most, *[number for number in known if number > most][:2]]:
            if limit == (1 << width) - 1:
                continue
            yield bv.compare(order, name, bv.constant(limit ^ turn, width))
        for limit in [least, *[number for number in known if number < least][-2:]]:
            if limit == 0:
                continue
            yield bv.compare(order, bv.constant(limit ^ turn, width), name)
    if 0 not in values:
        yield bv.negated(bv.equal(name, bv.constant(0, width)))
    for power in (1, 2, 3):
        if width > power and len({value & ((1 << power) - 1) for value in values}) == 1:
            yield bv.equal(bv.extract(power - 1, 0, name), bv.constant(values[0], power))


def of_two(one: Column, other: Column) -> Iterator[Term]:
    if one.values == other.values:
        yield bv.equal(one.name, other.name)
    for first, second in ((one, other), (other, one)):
        for order, strict, left, right in (
            ("bvule", "bvult", first.values, second.values),
            ("bvsle", "bvslt", first.flipped, second.flipped),
        ):
            if all(map(le, left, right)):
                yield bv.compare(order, first.name, second.name)
                if all(map(lt, left, right)):
                    yield bv.compare(strict, first.name, second.name)
    if one.is_constant and other.is_constant:
        return
    parities = {(a ^ b) & 1 for a, b in zip(one.values, other.values, strict=True)}
    if len(parities) == 1 and one.width > 1 and len({value & 1 for value in one.values}) > 1:
        same = bv.equal(bv.extract(0, 0, one.name), bv.extract(0, 0, other.name))
        yield bv.negated(same) if parities.pop() else same
    mask = (1 << one.width) - 1
    differences = {(a - b) & mask for a, b in zip(one.values, other.values, strict=True)}
    near = {bv.signed(value, one.width) for value in differences}
    apart = bv.arithmetic("bvsub", one.name, other.name)
    if len(near) == 1:
        yield bv.equal(apart, bv.constant(near.pop(), one.width))
    elif max(map(abs, near)) <= SMALL:
        yield bv.compare("bvsle", apart, bv.constant(max(near), one.width))
        yield bv.compare("bvsle", bv.constant(min(near), one.width), apart)
    elif -SMALL <= min(near) < 0:
        yield bv.compare(
            "bvsle", bv.arithmetic("bvadd", other.name, bv.constant(min(near), one.width)), one.name
        )
    elif 0 < max(near) <= SMALL:
        yield bv.compare(
            "bvsle", one.name, bv.arithmetic("bvadd", other.name, bv.constant(max(near), one.width))
        )


def of_distance(one: Column, other: Column, numbers: Sequence[int]) -> Iterator[Term]:
    """How far two variables are apart, by numbers of the text: where both grow and one of them began anywhere
    below a limit, this is what keeps it from wrapping."""
    width = one.width
    mask = (1 << width) - 1
    near = [bv.signed((a - b) & mask, width) for a, b in zip(one.values, other.values, strict=True)]
    apart = bv.arithmetic("bvsub", one.name, other.name)
    found = {bv.signed(number, width) for number in numbers}
    known = sorted(found | {-number for number in found})
    above = next((number for number in known if number >= max(near) and number > SMALL), None)
    below = next((number for number in reversed(known) if number <= min(near) and number < -SMALL), None)
    if above is not None and above < mask >> 1:
        yield bv.compare("bvsle", apart, bv.constant(above, width))
    if below is not None and -below <= mask >> 1:
        yield bv.compare("bvsle", bv.constant(below, width), apart)


def of_few(columns: Sequence[Column]) -> Iterator[Term]:
    """What others are when a variable has one of its few values."""
    few = [one for one in columns if 1 < len(set(one.values)) <= FEW_VALUES][:MOST_FEW]
    for one in few:
        for value in sorted(set(one.values)):
            rows = [row for row, held in enumerate(one.values) if held == value]
            premise = bv.equal(one.name, bv.constant(value, one.width))
            for other in columns:
                held = {other.values[row] for row in rows}
                if other is not one and len(held) == 1 and not other.is_constant:
                    conclusion = bv.equal(other.name, bv.constant(held.pop(), other.width))
                    yield bv.implies(premise, conclusion)


def of_three(whole: Column, left: Column, right: Column) -> Iterator[Term]:
    mask = (1 << whole.width) - 1
    if (
        left.name.name < right.name.name
        and [value & mask for value in map(mul, left.values, right.values)] == whole.values
    ):
        yield bv.equal(whole.name, bv.arithmetic("bvmul", left.name, right.name))


def equations(columns: Sequence[Column]) -> Iterator[Term]:
    """Linear equations that hold in every row: of all that move, and of pairs and triples of them, because
    some may be inductive where those of all are not."""
    for width in sorted({one.width for one in columns}):
        same = [one for one in columns if one.width == width]
        moving = [one for one in same if not one.is_constant]
        yield from null_space(same[:MOST_OF_THREE] if len(same) <= MOST_OF_THREE else moving[:MOST_OF_THREE])
        for size in (2, 3):
            for some in combinations(moving[:MOST_OF_THREE], size):
                yield from null_space(some)


def is_product(term: Term) -> bool:
    return term.operator == "bvmul" and not term.operands[1].is_constant


def equations_of_products(columns: Sequence[Column]) -> Iterator[Term]:
    """Polynomials of the second degree (Sharma et al. 2013), where the program tests products."""
    for width in sorted({one.width for one in columns}):
        moving = [one for one in columns if one.width == width and not one.is_constant][:MOST_MULTIPLIED]
        products = [multiplied(one, other) for at, one in enumerate(moving) for other in moving[at:]]
        yield from null_space([*products, *moving])
        for product in products:
            for some in combinations(moving, 2):
                yield from null_space([product, *some])


def multiplied(one: Column, other: Column) -> Column:
    mask, flip = (1 << one.width) - 1, 1 << (one.width - 1)
    values = [a * b & mask for a, b in zip(one.values, other.values, strict=True)]
    return Column(bv.arithmetic("bvmul", one.name, other.name), values, [value ^ flip for value in values])


def null_space(columns: Sequence[Column]) -> Iterator[Term]:
    if len(columns) < 2:
        return
    width = columns[0].width
    half = 1 << (width // 2)
    rows = list(zip(*([bv.signed(value, width) for value in one.values] for one in columns), strict=True))
    small = [row for row in rows if all(-half < value < half for value in row)]
    for weights, constant in solutions([(*row, 1) for row in small], len(columns)):
        if all((sum(map(mul, weights, row)) + constant) % (1 << width) == 0 for row in rows):
            yield equation(columns, weights, constant, width)


def equation(columns: Sequence[Column], weights: Sequence[int], constant: int, width: int) -> Term:
    """What has a positive weight on the left, the others on the right."""
    sides = []
    for sign in (1, -1):
        terms = [
            bv.arithmetic("bvmul", one.name, bv.constant(abs(weight), width))
            for one, weight in zip(columns, weights, strict=True)
            if weight * sign > 0
        ]
        rest = bv.constant(max(0, constant * sign), width)
        for term in reversed(terms):
            rest = bv.arithmetic("bvadd", term, rest)
        sides.append(rest)
    return bv.equal(*sides)


MOST_WEIGHT = 1000
MOST_ROWS = 60


def solutions(rows: Sequence[Sequence[int]], columns: int) -> Iterator[tuple[list[int], int]]:
    """A basis of the null space of the rows, in whole numbers; the last of a solution is the constant."""
    size = columns + 1
    reduced: list[list[Fraction]] = []
    leads: list[int] = []
    for row in rows[:MOST_ROWS]:
        left = [Fraction(value) for value in row]
        for lead, other in zip(leads, reduced, strict=True):
            if left[lead]:
                factor = left[lead]
                left = [a - factor * b for a, b in zip(left, other, strict=True)]
        lead = next((at for at, value in enumerate(left) if value), -1)
        if lead < 0:
            continue
        left = [value / left[lead] for value in left]
        for at, other in enumerate(reduced):
            if other[lead]:
                factor = other[lead]
                reduced[at] = [a - factor * b for a, b in zip(other, left, strict=True)]
        reduced.append(left)
        leads.append(lead)
        if len(reduced) == size:
            return
    for free in (at for at in range(size) if at not in leads):
        vector = [Fraction(0)] * size
        vector[free] = Fraction(1)
        for lead, row_ in zip(leads, reduced, strict=True):
            vector[lead] = -row_[free]
        scale = lcm(*(value.denominator for value in vector))
        whole = [int(value * scale) for value in vector]
        if max(map(abs, whole[:-1])) <= MOST_WEIGHT and sum(map(bool, whole[:-1])) > 1:
            yield whole[:-1], whole[-1]


def tests_of(flow: ControlFlow) -> Iterator[Term]:
    for edge in flow.edges:
        if isinstance(edge.action, Assume):
            yield edge.action.condition


def tests_in(parts: Iterable[Block]) -> Iterator[Term]:
    """Tests in terms of what is known where a block begins: calls hide them from the edges."""
    for block in parts:
        for one in atoms(block.condition):
            if sum(1 for _ in islice(bv.in_order((one,)), MOST_NODES + 1)) <= MOST_NODES:
                yield one


def nearly(tests: Iterable[Term]) -> Iterator[Term]:
    """What is left of a test one step later: a counter that was below a limit has reached it at most."""
    for test in tests:
        for one in atoms(test):
            if one.operator not in ("bvslt", "bvult", "bvsle", "bvule"):
                continue
            lower, upper = one.operands
            is_signed = one.operator in ("bvslt", "bvsle")
            wide = "bvsle" if is_signed else "bvule"
            if one.operator in ("bvslt", "bvult"):
                yield bv.compare(wide, lower, upper)
            elif not lower.is_constant and not upper.is_constant:
                yield bv.compare(wide, lower, bv.arithmetic("bvadd", upper, bv.constant(1, upper.width)))


def orders_of(flow: ControlFlow) -> Iterator[Term]:
    """A variable that was set to what others say, and grows or falls from there."""
    for edge in flow.edges:
        if not isinstance(edge.action, Assign):
            continue
        for name, value in edge.action.values:
            if not isinstance(name.sort, Bits) or value.operator in ("variable", "ite", "constant"):
                continue
            found = bv.variables_of(value)
            if found and name not in found and sum(1 for _ in islice(bv.in_order((value,)), 8)) < 8:
                yield bv.compare("bvsle", value, name)
                yield bv.compare("bvsle", name, value)


def constants_of(flow: ControlFlow) -> dict[int, set[int]]:
    """Numbers in the text, by width, with those beside them."""
    terms: list[Term] = list(tests_of(flow))
    for edge in flow.edges:
        if isinstance(edge.action, Assign):
            terms += [value for _, value in edge.action.values]
    terms += [one for one in flow.initial_values.values() if isinstance(one.sort, Bits)]
    return numbers_in(terms)


def numbers_in(terms: Iterable[Term]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for one in bv.in_order(terms):
        if one.is_constant and isinstance(one.sort, Bits):
            mask = (1 << one.width) - 1
            found.setdefault(one.width, {0, 1}).update(
                {one.value, (one.value + 1) & mask, (one.value - 1) & mask}
            )
    return found
