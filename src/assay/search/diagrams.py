"""Reachability by binary decision diagrams, over the symbolic form of a program (Burch et al. 1990).

A set of states is one diagram, and a step takes all states of a set at once, so time and memory are those of
the diagrams and not of the states: few for many loosely coupled parts, many for counters that count far.
Exact: every reachable state is seen when it ends by itself. Goes breadth first, from one state of the program
to the next, so a counterexample is as short as any; what happens inside of a sequence that nobody interrupts
is one step. By turns with that, saturation looks for all states without their distance, which is often much
less: if none of them fails there is nothing left to do, and if one does, the layers lead to it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from assay.records import dataclass
from assay.search.diagram_numbers import Blaster, TooWide, value_of
from assay.search.saturation import MOST_BITS, Interrupted, Saturation
from assay.transition_system.interface import SourceProblem
from assay.transition_system.symbolic import At, State, Step, SymbolicModel, SymbolicSystem
from assay.transition_system.terms import (
    Integer,
    Number,
    Term,
    Variable,
    bounds,
    stored,
    substituted,
    variables_of,
)

MISSING = "search: symbolic needs oxidd; install it with: pip install 'assay-mc[c]'"
BYTES_OF_A_NODE = 40  # with its share of tables
MOST_NODES = 1 << 26
FEWEST_NODES = 1 << 18
USUAL_NODES = 1 << 22
MOST_VARIABLE_BITS = 4096
SMALL = 2  # bits of a variable that stays in one piece
ROUNDS = 40
FIRST_TURN = 1.0  # seconds; each turn is twice as long as the one before it


def near(names: Sequence[str], groups: Sequence[set[str]]) -> list[str]:
    """An order in which members of a group lie near each other: each goes again and again to the middle of
    its groups, and groups to the middle of their members (Aloul et al. 2003, FORCE). Who is in most groups
    would draw all to one place, and does not count."""
    often = Counter(name for group in groups for name in group)
    groups = [{name for name in group if often[name] <= max(8, len(groups) // 4)} for group in groups]
    place = {name: float(at) for at, name in enumerate(names)}
    best, shortest = list(names), _span(groups, place)
    for _ in range(ROUNDS):
        middles = [sum(place[name] for name in group) / len(group) for group in groups if group]
        drawn: dict[str, list[float]] = {name: [] for name in names}
        for group, middle in zip((one for one in groups if one), middles, strict=True):
            for name in group:
                drawn[name].append(middle)
        order = sorted(
            names, key=lambda name: sum(drawn[name]) / len(drawn[name]) if drawn[name] else place[name]
        )
        place = {name: float(at) for at, name in enumerate(order)}
        span = _span(groups, place)
        if span < shortest:
            best, shortest = order, span
    return best


def _span(groups: Sequence[set[str]], place: Mapping[str, float]) -> float:
    return sum(
        max(place[name] for name in group) - min(place[name] for name in group) for group in groups if group
    )


def widths_needed(system: SymbolicSystem) -> dict[str, int]:
    """Bits of each variable: as few as hold what it begins with and what is ever assigned to it, as far as
    that can be seen. A `bool` is a byte to the program."""
    whole = {one.name: int(one.type.bits or 0) for one in system.variables}
    widths = {
        one.name: value.bit_length() if value >= 0 else whole[one.name]
        for one, value in zip(system.variables, system.initial_values, strict=True)
    }
    assigned = [
        (name, stored(term, system.by_name[name].type))
        for step in system.steps
        for name, term in step.assignments
    ]
    while True:
        narrow = {
            one.name: Variable(one.name, Integer(max(1, widths[one.name]), signed=False))
            for one in system.variables
            if widths[one.name] < whole[one.name]
        }
        grown = False
        for name, term in assigned:
            if widths[name] == whole[name]:
                continue
            low, high = bounds(substituted(term, narrow))
            is_known = low is not None and high is not None and low >= 0
            wanted = min(whole[name], high.bit_length()) if is_known and high is not None else whole[name]
            if wanted > widths[name]:
                widths[name], grown = wanted, True
        if not grown:
            return widths


class NotFinite(Exception):
    """The form has a part of which nobody can say how many bits it has."""


@dataclass(frozen=True, slots=True)
class Explored:
    """`states` of the program that were reached; `violation` is the code of what fails (0: a deadlock) and
    `run` the states of the form on the way to it. `saturated`: all states are known, and `depth` is only how
    many layers were gone through; if they are not `complete` then, one of them fails and no run was found."""

    states: int
    transitions: int
    depth: int
    nodes: int
    complete: bool
    stopped_by: str = ""
    saturated: bool = False
    violation: int | None = None
    run: tuple[State, ...] = ()


@dataclass(frozen=True, slots=True)
class _Move:
    step: Step
    enabled: Any
    relation: Any
    old: Any  # what is forgotten
    rename: Any
    values: dict[str, list[Any]]  # of what it sets


class Diagrams:
    """Of bit n, variable 2n is its value before a step and 2n + 1 its value after it."""

    def __init__(self, system: SymbolicSystem, memory_bytes: int) -> None:
        try:
            from oxidd.bdd import BDDFunction, BDDManager
            from oxidd.util import BooleanOperator
        except ImportError:
            raise SourceProblem(MISSING) from None
        self.system = system
        self.conjunction, self.substitution = BooleanOperator.AND, BDDFunction.make_substitution
        self.widths = {**self._controls(), **self._variables()}
        self.places = self._order()
        count = sum(self.widths.values())
        if count > MOST_VARIABLE_BITS:
            raise NotFinite(f"a state has more than {MOST_VARIABLE_BITS} bits")
        self.count = count
        nodes = min(MOST_NODES, memory_bytes // BYTES_OF_A_NODE) if memory_bytes else USUAL_NODES
        self.manager = BDDManager(max(FEWEST_NODES, nodes), max(FEWEST_NODES, nodes // 4), 1)
        self.manager.add_vars(2 * count)
        self.blaster = Blaster(self.manager, self.bits)
        self.moves = [self._move(step) for step in system.steps]
        self.visible = self.at(system.visible)

    def _controls(self) -> dict[str, int]:
        values: dict[int, set[int]] = {at: {one.initial} for at, one in enumerate(self.system.controls)}
        for step in self.system.steps:
            for at, value in (*step.source, *step.target):
                values[at].add(value)
        for control_values in values.values():
            if min(control_values) < 0:
                raise NotFinite("a control has a negative value")
        return {one.name: max(values[at]).bit_length() for at, one in enumerate(self.system.controls)}

    def _variables(self) -> dict[str, int]:
        for one in self.system.variables:
            if one.type.bits is None:
                raise NotFinite(f"{one.name} may hold any integer")
        return widths_needed(self.system)

    def _order(self) -> dict[str, list[int]]:
        """Controls and small variables in an order in which those lie near that a step speaks of together;
        then the lowest bits of all others, the next ones, and so on: what is copied from one to the other,
        and added, lies near, too."""
        names = near(list(self.widths), [self._spoken_of(step) for step in self.system.steps])
        controls = {one.name for one in self.system.controls}
        small = [name for name in names if name in controls or self.widths[name] <= SMALL]
        large = [name for name in names if name not in set(small)]
        bits = [name for name in small for _ in range(self.widths[name])]
        for at in range(max((self.widths[name] for name in large), default=0)):
            bits += [name for name in large if at < self.widths[name]]
        found: dict[str, list[int]] = {name: [] for name in self.widths}
        for number, name in enumerate(bits):
            found[name].append(number)
        return found

    def _spoken_of(self, step: Step) -> set[str]:
        found = {self.system.controls[at].name for at, _ in (*step.source, *step.target)}
        for term in (step.guard, *(value for _, value in step.assignments)):
            found |= {one.name for one in variables_of(term)}
        return found | {name for name, _ in step.assignments}

    def bits(self, name: str) -> list[Any]:
        """As a number of the blaster: with a sign."""
        own = self._own(name, 0)
        is_signed = self._is_signed(name)
        return own if is_signed and own else [*own, self.manager.false()]

    def _is_signed(self, name: str) -> bool:
        """A variable in which fewer bits than it has are enough never holds a negative number."""
        one = self.system.by_name.get(name)
        return one is not None and one.type.signed and self.widths[name] == one.type.bits

    def _own(self, name: str, after: int) -> list[Any]:
        return [self.manager.var(2 * place + after) for place in self.places[name]]

    def at(self, at: At) -> Any:
        found = self.manager.true()
        for control, value in at:
            found &= self._is(self.system.controls[control].name, value)
        return found

    def _is(self, name: str, value: int) -> Any:
        found = self.manager.true()
        for number, bit in enumerate(self._own(name, 0)):
            found &= bit if value >> number & 1 else ~bit
        return found

    def _move(self, step: Step) -> _Move:
        assigned: dict[str, Term] = {
            self.system.controls[at].name: Number(value) for at, value in step.target
        }
        for name, term in step.assignments:
            assigned[name] = stored(term, self.system.by_name[name].type)
        enabled = self.at(step.source) & self.blaster.truth(step.guard)
        relation, old = enabled, self.manager.true()
        values: dict[str, list[Any]] = {}
        pairs = []
        for name, term in assigned.items():
            width = self.widths[name]
            bits = self.blaster.number(term)
            values[name] = [bits[at] if at < len(bits) else bits[-1] for at in range(width)]
            for at, (before, after) in enumerate(zip(self._own(name, 0), self._own(name, 1), strict=True)):
                relation &= after.equiv(values[name][at])
                old &= before
                pairs.append((2 * self.places[name][at] + 1, before))
        rename = self.substitution(pairs) if pairs else None
        return _Move(step, enabled, relation, old, rename, values)

    def image(self, move: _Move, states: Any) -> Any:
        if move.rename is None:
            return states & move.enabled
        return states.apply_exists(self.conjunction, move.relation, move.old).substitute(move.rename)

    def size(self, states: Any) -> int:
        return int(states.sat_count(2 * self.count)) >> self.count

    def initial(self) -> Any:
        names = [*(one.name for one in self.system.controls), *(one.name for one in self.system.variables)]
        return self.exactly(dict(zip(names, self.system.initial_state, strict=True)))

    def exactly(self, values: dict[str, int]) -> Any:
        found = self.manager.true()
        for name, value in values.items():
            found &= self._is(name, value)
        return found

    def one_of(self, states: Any) -> State:
        cube = states.pick_cube()
        found = []
        for name in (
            *(one.name for one in self.system.controls),
            *(one.name for one in self.system.variables),
        ):
            bits = [bool(cube[2 * place]) for place in self.places[name]]
            found.append(value_of(bits if self._is_signed(name) and bits else [*bits, False]))
        return tuple(found)

    def named(self, state: State) -> dict[str, int]:
        names = [*(one.name for one in self.system.controls), *(one.name for one in self.system.variables)]
        return dict(zip(names, state, strict=True))

    def before(self, state: State, states: Any) -> State:
        """One of the states from which a step leads to this one."""
        values = self.named(state)
        for move in self.moves:
            found = states & move.enabled
            for name, value in values.items():
                if not found.satisfiable():
                    break
                for at in range(self.widths[name]):
                    bit = move.values[name][at] if name in move.values else self._own(name, 0)[at]
                    found &= bit if value >> at & 1 else ~bit
            if found.satisfiable():
                return self.one_of(found)
        raise AssertionError("a state that was reached has one before it")


def explore(
    system: SymbolicSystem,
    *,
    memory_bytes: int,
    deadline: float | None,
    check_deadlock: bool,
    depth_limit: int,
    tell: Callable[[dict[str, Any]], None],
) -> Explored:
    """Raises NotFinite and TooWide."""
    diagrams = Diagrams(system, memory_bytes)
    return _Exploration(diagrams, deadline, check_deadlock, depth_limit, tell).run()


class _Exploration:
    def __init__(
        self,
        diagrams: Diagrams,
        deadline: float | None,
        check_deadlock: bool,
        depth_limit: int,
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self.diagrams, self.deadline, self.tell = diagrams, deadline, tell
        self.depth_limit = depth_limit
        system = diagrams.system
        blaster = diagrams.blaster
        codes = SymbolicModel(system).codes
        self.wrong: list[tuple[int, Any]] = []
        self.failing: list[tuple[int, Any]] = []
        for failure in system.failures:
            condition = diagrams.at(failure.source) & blaster.truth(failure.condition)
            (self.failing if failure.is_step else self.wrong).append((codes[failure.facts], condition))
        moving = diagrams.manager.false()
        for move in diagrams.moves:
            moving |= move.enabled
        for _, condition in self.failing:
            moving |= condition
        self.stuck = diagrams.manager.false()
        if check_deadlock:
            self.stuck = diagrams.visible & ~moving & ~self._ends()
        # Of each layer: the states of the program, and what is between them and the next.
        self.layers: list[list[Any]] = []

    def _ends(self) -> Any:
        diagrams = self.diagrams
        found = diagrams.manager.true()
        for control, ends in zip(diagrams.system.controls, diagrams.system.ends, strict=False):
            here = diagrams.manager.false()
            for value in ends:
                if value.bit_length() <= diagrams.widths[control.name]:
                    here |= diagrams._is(control.name, value)  # noqa: SLF001
            found &= here
        return found

    def run(self) -> Explored:
        self.reached = self.diagrams.initial()
        layers = self._layer_by_layer()
        saturation = self._saturation()
        turn, fails = FIRST_TURN, False
        while True:
            ends = time.monotonic() + turn
            while saturation is None or time.monotonic() < ends:
                try:
                    next(layers)
                except StopIteration as ended:
                    found: Explored = ended.value
                    return found
                if self._is_late():
                    return self._ended(self.reached, "time", saturated=fails)
            ends = time.monotonic() + turn
            try:
                everything = saturation.reached_from(
                    self.diagrams.initial(), ends if self.deadline is None else min(ends, self.deadline)
                )
            except Interrupted:
                turn *= 2
            except MemoryError:
                saturation = None  # the layers may need less
            else:
                saturation, fails = None, self._failing_in(everything, []) is not None
                if not fails:
                    return self._ended(everything & self.diagrams.visible, "", saturated=True)
            if self._is_late():
                return self._ended(self.reached, "time", saturated=fails)

    def _saturation(self) -> Saturation | None:
        """None: how far states are is asked for, or a state has too many bits."""
        diagrams = self.diagrams
        if self.depth_limit or diagrams.count > MOST_BITS:
            return None
        changing = [move.relation for move in diagrams.moves if move.rename is not None]
        return Saturation(diagrams.manager, diagrams.count, changing)

    def _layer_by_layer(self) -> Generator[None, None, Explored]:
        """Stops again and again, so that somebody can look at the clock: whoever goes on no more says that it
        is not complete."""
        diagrams = self.diagrams
        reached = layer = self.reached
        between = diagrams.manager.false()  # all that was seen inside of sequences
        told = time.monotonic()
        while True:
            found = self._failing_in(layer, [])
            if found is not None:
                return self._told(reached, *found)
            if self.depth_limit and len(self.layers) >= self.depth_limit:
                return self._ended(reached, "depth")
            inner: list[Any] = [layer]
            following = diagrams.manager.false()
            # After all that was reached comes nothing else that is new: the smaller set will do.
            new = yield from self._after(min(layer, reached, key=lambda states: states.node_count()))
            while True:
                following |= new & diagrams.visible
                inside = new & ~diagrams.visible & ~between
                if not inside.satisfiable():
                    break
                between |= inside
                found = self._failing_in(inside, inner)
                if found is not None:
                    return self._told(reached, *found)
                inner.append(inside)
                new = yield from self._after(inside)
            self.layers.append(inner)
            layer = following & ~reached
            if not layer.satisfiable():
                return self._ended(reached, "")
            reached |= layer
            self.reached = reached
            if time.monotonic() - told > 0.2:
                told = time.monotonic()
                self.tell(
                    {
                        "states": diagrams.size(reached),
                        "depth": len(self.layers),
                        "nodes": diagrams.manager.approx_num_inner_nodes(),
                    }
                )

    def _is_late(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def _after(self, states: Any) -> Generator[None, None, Any]:
        found = self.diagrams.manager.false()
        for move in self.diagrams.moves:
            found |= self.diagrams.image(move, states)
            yield
        return found

    def _failing_in(self, states: Any, inner: Sequence[Any]) -> tuple[int, Any, Sequence[Any]] | None:
        """The code, the states that fail, and what was between the last layer and them."""
        for code, condition in (*self.wrong, (0, self.stuck), *self.failing):
            bad = states & condition
            if bad.satisfiable():
                return code, bad, inner
        return None

    def _told(self, reached: Any, code: int, bad: Any, inner: Sequence[Any]) -> Explored:
        diagrams = self.diagrams
        state = diagrams.one_of(bad)
        run = [state]
        for inside in reversed(inner):
            state = diagrams.before(state, inside)
            run.append(state)
        for layer in reversed(self.layers):
            state = self._back_through(state, layer, run)
        return self._ended(reached, "violation", code, tuple(reversed(run)))

    def _back_through(self, state: State, layer: Sequence[Any], run: list[State]) -> State:
        """From a state of the program to one of the layer before it, through what is between them."""
        diagrams = self.diagrams
        for at, states in enumerate(layer):
            try:
                before = diagrams.before(state, states)
            except AssertionError:
                continue
            run.append(before)
            for inside in reversed(layer[:at]):
                before = diagrams.before(before, inside)
                run.append(before)
            return before
        raise AssertionError("a state that was reached has one before it")

    def _ended(
        self,
        reached: Any,
        why: str,
        violation: int | None = None,
        run: tuple[State, ...] = (),
        *,
        saturated: bool = False,
    ) -> Explored:
        diagrams = self.diagrams
        transitions = sum(diagrams.size(reached & move.enabled) for move in diagrams.moves)
        return Explored(
            diagrams.size(reached),
            transitions,
            max(0, len(self.layers) - (not why and not saturated)),
            diagrams.manager.approx_num_inner_nodes(),
            complete=not why,
            stopped_by=why,
            saturated=saturated,
            violation=violation,
            run=run,
        )


def as_json(found: Explored) -> dict[str, Any]:
    return {
        "states": str(found.states),  # it may have hundreds of digits
        "transitions": str(found.transitions),
        "depth": found.depth,
        "nodes": found.nodes,
        "complete": found.complete,
        "stopped_by": found.stopped_by,
        "saturated": found.saturated,
        "violation": found.violation,
        "run": [list(state) for state in found.run],
    }


def from_json(given: dict[str, Any]) -> Explored:
    return Explored(
        int(given["states"]),
        int(given["transitions"]),
        int(given["depth"]),
        int(given["nodes"]),
        bool(given["complete"]),
        str(given["stopped_by"]),
        bool(given["saturated"]),
        given["violation"],
        tuple(tuple(map(int, state)) for state in given["run"]),
    )


def why_not(problem: Exception) -> str:
    if isinstance(problem, TooWide):
        return "a number in it has more bits than diagrams are made for"
    return str(problem)
