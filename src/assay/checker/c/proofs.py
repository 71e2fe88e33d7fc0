"""The proof in a certificate about a C program, and what has to hold for it: obligations by strongest
postconditions.

A run is followed forwards from one cut point to the next, all ways at once: of each place there is a
condition under which a run comes there, and of each variable what it then holds; where ways meet, both
are chosen by the conditions of the ways.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.checker.c import terms as tm
from assay.checker.c.graph import Flow
from assay.checker.c.loops import Loops
from assay.checker.c.problems import CannotCheck, NoProof
from assay.checker.c.quantifiers import grounded, has_quantifier, require_sound
from assay.checker.c.reading import MAIN, Path, Program, Twice
from assay.checker.c.terms import Term
from assay.checker.records import dataclass, replace

KEYS = {"bound", "rounds", "recursion", "instances", "nodes", "locations"}
KEYS_BY_CONTRACTS = {"contracts", "instances", "nodes", "locations"}
CONTRACT_KEYS = {"function", "before", "after"}
LOCATION_KEYS = {"instance", "line", "column", "holds"}
MOST_NODES = 1_000_000
MOST_WIDTH = 4096
MOST_BOUND = 1_000_000
MOST_ROUNDS = 1_000
MOST_RECURSION = 1_000
MOST_CALLS = 10_000
MOST_STEPS = 2_000_000  # edges that are followed, with copies


def recursion_of(body: Any) -> int:
    if not isinstance(body, dict) or body.keys() not in (KEYS, KEYS_BY_CONTRACTS):
        raise NoProof("the proof does not have the keys of a proof about a C program")
    return _number(body["recursion"], 0, MOST_RECURSION) if body.keys() == KEYS else 0


def contracts_of(body: Any) -> list[str]:
    """The functions that have contracts."""
    found: list[str] = []
    for one in _list(body.get("contracts", [])):
        if not isinstance(one, dict) or one.keys() != CONTRACT_KEYS or not isinstance(one["function"], str):
            raise NoProof("a contract of the proof does not have the keys of contracts")
        found.append(one["function"])
    if len(set(found)) < len(found):
        raise NoProof("a function has two contracts")
    return found


def _number(value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise NoProof(f"a number of the proof is not in {low}..{high}: {str(value)[:40]}")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise NoProof("a list of the proof is none")
    return value


@dataclass(frozen=True)
class Point:
    """A cut point; `text` is how people call it."""

    node: int
    text: str
    invariant: Term


@dataclass(frozen=True)
class Obligation:
    text: str
    refutation: Term  # holds nowhere if the obligation is met


def obligation(text: str, *terms: Term) -> Obligation:
    """That these do not hold together."""
    return Obligation(text, grounded(tm.both(terms)))


class Proof:
    """`points`: by the graph in which they are, that of `main` or of a function with a contract."""

    def __init__(self, body: Any, program: Program) -> None:
        self.program = program
        self.flows: dict[str, Flow] = {}
        bound = body.get("bound")
        self.bound = None if bound is None else _number(bound, 0, MOST_BOUND)
        self.rounds = _number(body.get("rounds", 0), 0, MOST_ROUNDS)
        self.instances = _instances(body["instances"])
        for path in self.instances:
            if path not in program.paths:
                raise NoProof(f"the program has no call path {str(path)[:200]}")
        # Of what has no name here there is no term. Conjuncts about it are left out: what is left has to be a
        # proof by itself.
        self.terms: list[Term | None] = []
        self.left_out = ""
        nodes = _list(body["nodes"])
        if len(nodes) > MOST_NODES:
            raise NoProof(f"the proof has more than {MOST_NODES} nodes")
        for node in nodes:
            self.terms.append(self._term(_list(node)))
        self.points: dict[str, dict[int, Point]] = {name: {} for name in program.graphs}
        for one in _list(body["locations"]):
            self._add_point(one)
        self._settle({one["function"]: one for one in _list(body.get("contracts", []))})
        if self.bound is not None and (self.rounds > self.bound or nodes):
            raise NoProof("a proof by a bound has invariants, or a loop with more rounds than all together")

    # --- what is written ---

    def _add_point(self, given: Any) -> None:
        if not isinstance(given, dict) or given.keys() != LOCATION_KEYS:
            raise NoProof("a location of the proof does not have the keys of locations")
        path = self.instances[_number(given["instance"], 0, len(self.instances) - 1)]
        line, column = _number(given["line"], 0, 1 << 31), _number(given["column"], 0, 1 << 31)
        node = self.program.points.get((path, line, column))
        if isinstance(node, Twice):
            raise CannotCheck(f"two loops or labels at {line}:{column}")
        if node is None and (line, column) in self.program.copies:
            self.left_out = f"what holds while bytes are copied at {line}:{column}"
            return
        if node is None:
            raise NoProof(f"the program has no loop and no label at {line}:{column}{_called(path)}")
        held = self._readable(given["holds"])
        require_sound(held)
        if any(one.sort != tm.BOOL for one in held):
            raise NoProof("a location has a condition that is no truth value")
        points = self.points[self._graph_of(path)]
        if node in points:
            raise NoProof("a location stands in the proof twice")
        points[node] = Point(node, f"{line}:{column}{_called(path)}", tm.both(held))

    def _graph_of(self, path: Path) -> str:
        is_of_contract = path[:1] and path[0][:2] == (0, 0) and path[0][2] in self.program.contracts
        return path[0][2] if is_of_contract else MAIN

    def _settle(self, contracts: Mapping[str, Mapping[str, Any]]) -> None:
        """Puts contracts where the program demands or assumes them."""
        halves: dict[tuple[str, bool], Term] = {}
        for name, one in contracts.items():
            for is_before in (True, False):
                held = self._readable(one["before" if is_before else "after"])
                if any(each.sort != tm.BOOL or has_quantifier(each) for each in held):
                    raise NoProof(f"the contract of {name[:80]!a} is no truth value, or has a quantifier")
                known = self._spoken_of(name, is_before=is_before)
                for each in tm.ordered(held):
                    if each.op == "var" and each not in known:
                        half = "what holds before" if is_before else "what is left by"
                        raise NoProof(f"{half} {name[:80]!a} cannot speak of {str(each)[:80]}")
                halves[name, is_before] = tm.both(held)
        for name, graph in self.program.graphs.items():
            graph.settle(
                {
                    one.name: tm.Replacing(one.means)(halves[one.function, one.is_before])
                    for one in self.program.demands
                }
            )
            self.flows[name] = Flow(graph)

    def _spoken_of(self, name: str, *, is_before: bool) -> set[Term]:
        spoken = self.program.spoken[name]
        known = {one for each in spoken.arguments for one in each} | set(self.program.at_first.values())
        if not is_before:
            known |= {*self.program.shared, *(() if spoken.result is None else (spoken.result,))}
        return known

    def _readable(self, positions: Any) -> list[Term]:
        return [one for one in map(self._at, _list(positions)) if one is not None]

    def _at(self, position: Any) -> Term | None:
        return self.terms[_number(position, 0, len(self.terms) - 1)]

    def _term(self, node: list[Any]) -> Term | None:
        kind = node[0] if node else None
        if kind in ("g", "s", "l", "r", "m", "p", "o", "x"):
            return self._named(node)
        if kind == "c" and len(node) == 3:
            width = _number(node[2], 0, MOST_WIDTH)
            if width == 0:
                return tm.truth(bool(_number(node[1], 0, 1)))
            return tm.const(_number(node[1], 0, (1 << width) - 1), width)
        if kind == "e" and len(node) == 2:
            return tm.bound(_number(node[1], 1, MOST_WIDTH))
        if not isinstance(kind, str) or len(node) != 3:
            raise NoProof("a node of the proof is none")
        operands = [self._at(one) for one in _list(node[2])]
        readable = [one for one in operands if one is not None]
        return applied(kind, _list(node[1]), readable) if len(readable) == len(operands) else None

    def _named(self, node: list[Any]) -> Term | None:
        if node[0] == "m" or node[:2] == ["o", "m"]:
            self.left_out = "a proof that speaks of memory which pointers reach"
            return None
        name = list(node)
        if name[0] in ("l", "r"):
            if len(name) < 2:
                raise NoProof("a variable of the proof is not written as variables are")
            name[1] = self.instances[_number(name[1], 0, len(self.instances) - 1)]
        if not all(type(one) in (int, str, tuple) for one in name):
            raise NoProof("a variable of the proof is not written as variables are")
        found = self.program.variables.get(tuple(name))
        if isinstance(found, Twice):
            self.left_out = (
                f"a proof that speaks of {str(node)[:80]}, which has no term of its own or another"
            )
            return None
        if found is None:
            raise NoProof(f"the program has no variable {str(node)[:80]}")
        return found

    # --- obligations ---

    def obligations(self) -> Iterator[Obligation]:
        for name, flow in self.flows.items():
            points = self.points[name]
            order = flow.order(points)
            if order is None:
                raise NoProof("a cycle of the program has no cut point in the proof")
            start = self.program.initial if name == MAIN else {}
            part = Part(flow, points, start, Ways(flow, order, set(points)))
            wanted = part.of_rounds(self.rounds)
            if self.bound is not None:
                wanted = part.of_loops(self.rounds, self.bound) if self.rounds else part.of_bound(self.bound)
            for one in wanted:
                yield one if name == MAIN else replace(one, text=f"in {name[:40]} {one.text}")


class Part:
    """One graph, what holds at its cut points, and with what variables it starts."""

    def __init__(
        self, flow: Flow, points: Mapping[int, Point], initial: Mapping[Term, Term], ways: Ways
    ) -> None:
        self.flow, self.points, self.initial, self.ways = flow, points, initial, ways

    def of_rounds(self, rounds: int) -> Iterator[Obligation]:
        yield from self._inductive(with_failures=rounds == 0)
        if rounds:
            yield from self._of_rounds(rounds)

    def _start(self) -> dict[int, State]:
        return {self.flow.entry: State(tm.TRUE, dict(self.initial))}

    def _inductive(self, *, with_failures: bool) -> Iterator[Obligation]:
        sources: list[tuple[str, Term, Mapping[int, State]]] = []
        first = "from the start"
        if self.flow.entry in self.points:  # a loop may begin at once
            point = self.points[self.flow.entry]
            holds = tm.Replacing(self.initial)(point.invariant)
            yield obligation(f"{first} to the cut point {point.text}", tm.negate(holds))
        else:
            sources.append((first, tm.TRUE, self._start()))
        sources += [
            (f"from {point.text}", point.invariant, {point.node: State(tm.TRUE, {})})
            for point in self.points.values()
        ]
        for text, assumed, start in sources:
            arrived, failed = self.ways.followed(start)
            for node, state in arrived.items():
                held = tm.Replacing(state.values)(self.points[node].invariant)
                yield obligation(
                    f"{text} to the cut point {self.points[node].text}",
                    assumed,
                    state.condition,
                    tm.negate(held),
                )
            if with_failures:
                for node, condition in failed.items():
                    yield obligation(f"{text} without {self.flow.failures[node]}", assumed, condition)

    def of_bound(self, bound: int) -> Iterator[Obligation]:
        states = self._start()
        for passed in range(bound + 1):
            states, failed = self.ways.followed(states)
            for node, condition in failed.items():
                yield Obligation(f"{self.flow.failures[node]} after {passed} rounds", condition)
        for node, state in states.items():
            yield Obligation(f"{self.points[node].text} is not passed after {bound} rounds", state.condition)

    def of_loops(self, rounds: int, bound: int) -> Iterator[Obligation]:
        """No loop has more than so many rounds, and all together no more than the bound."""
        following = {node: self.ways.next_from(node) for node in {self.flow.entry, *self.points}}
        loops = Loops(following, self.flow.entry)
        arriving = {loops.first: [State(tm.TRUE, dict(self.initial))]}
        passed = {loops.first: 0}
        waiting = [loops.first.rank]
        visits = {loops.first.rank: loops.first}
        while waiting:
            visit = visits.pop(heapq.heappop(waiting))
            arrived, failed = self.ways.followed({visit.node: met(arriving.pop(visit))})
            for node, condition in failed.items():
                yield Obligation(f"{self.flow.failures[node]} after {passed[visit]} rounds", condition)
            for node, state in arrived.items():
                after = loops.after(visit, node)
                if after.rounds and after.rounds[-1] > rounds:
                    text = f"{self.points[node].text} is not passed after {rounds} rounds"
                    yield Obligation(text, state.condition)
                    continue
                if passed[visit] == bound:
                    raise NoProof(f"loops of {rounds} rounds have more than {bound} rounds together")
                if after not in arriving:
                    heapq.heappush(waiting, after.rank)
                    visits[after.rank] = after
                arriving.setdefault(after, []).append(state)
                passed[after] = max(passed.get(after, 0), passed[visit] + 1)

    def _of_rounds(self, rounds: int) -> Iterator[Obligation]:
        states = self._start()
        for passed in range(rounds + 1):
            states, failed = self.ways.followed(states)
            for node, condition in failed.items():
                yield Obligation(f"{self.flow.failures[node]} after {passed} rounds", condition)
        for point in self.points.values():
            states, assumed = {point.node: State(tm.TRUE, {})}, [point.invariant]
            for passed in range(rounds + 1):
                states, failed = self.ways.followed(states)
                if passed < rounds:
                    assumed += [self._held_there(node, state) for node, state in states.items()]
                    continue
                for node, condition in failed.items():
                    text = f"{self.flow.failures[node]} {passed} rounds after {point.text}"
                    yield obligation(text, *assumed, condition)

    def _held_there(self, node: int, state: State) -> Term:
        """If a run passes a cut point, what that holds is true."""
        held = tm.Replacing(state.values)(self.points[node].invariant)
        return tm.either((tm.negate(state.condition), held))


def _instances(given: Any) -> list[Path]:
    found: list[Path] = []
    calls = 0
    for path in _list(given):
        calls += len(_list(path))
        for one in path:
            if not isinstance(one, list) or [type(each) for each in one] != [int, int, str]:
                raise NoProof("an instance of the proof is no list of calls")
        found.append(tuple(tuple(one) for one in path))
    if len(set(found)) < len(found) or calls > MOST_CALLS:
        raise NoProof("an instance stands in the proof twice, or there are too many calls")
    return found


def _called(path: Path) -> str:
    return "".join(
        f", in {name[:40]} as called at {line}:{column}" for line, column, name in path[-1:] if line
    )


def applied(op: str, params: Sequence[Any], args: Sequence[Term]) -> Term:
    """What a node means, if its operator can be applied to such operands."""
    sorts = [one.sort for one in args]
    is_same = len(set(sorts)) == 1
    are_bits = all(isinstance(one, int) and one > 0 for one in sorts)
    two = len(args) == 2 and not params
    if two and is_same and are_bits and op in tm.BINARY:
        return tm.binary(op, *args)
    if two and is_same and are_bits and op in tm.COMPARED:
        return tm.compared(op, *args)
    if two and is_same and op == "=":
        return tm.equal(*args)
    if args and not params and op in ("and", "or") and set(sorts) == {tm.BOOL}:
        return tm.both(args) if op == "and" else tm.either(args)
    if op == "forall" and sorts == [tm.BOOL] and len(params) == 1:
        if has_quantifier(args[0]):
            raise NoProof("a quantifier of the proof is below another")
        return tm.forall(_number(params[0], 1, MOST_WIDTH), args[0])
    if op == "not" and sorts == [tm.BOOL] and not params:
        return tm.negate(args[0])
    if op == "ite" and len(args) == 3 and sorts[0] == tm.BOOL and sorts[1] == sorts[2] and not params:
        return tm.choice(*args)
    if op in ("bvnot", "bvneg") and len(args) == 1 and are_bits and not params:
        return tm.unary(op, args[0])
    if op == "concat" and two and are_bits and sum(one.width for one in args) <= MOST_WIDTH:
        return tm.concat(*args)
    if op == "extract" and len(args) == 1 and are_bits and len(params) == 2:
        high = _number(params[0], 0, args[0].width - 1)
        return tm.extract(high, _number(params[1], 0, high), args[0])
    if op in ("zero_extend", "sign_extend") and len(args) == 1 and are_bits and len(params) == 1:
        more = _number(params[0], 1, MOST_WIDTH - args[0].width)
        return tm.extend(args[0], args[0].width + more, is_signed=op == "sign_extend")
    return _of_arrays(op, params, args, sorts)


def _of_arrays(op: str, params: Sequence[Any], args: Sequence[Term], sorts: Sequence[tm.Sort]) -> Term:
    if op == "const" and len(args) == 1 and isinstance(sorts[0], int) and sorts[0] and len(params) == 1:
        return tm.filled((_number(params[0], 1, 64), sorts[0]), args[0])
    if args and isinstance(sorts[0], tuple) and not params:
        index, element = sorts[0]
        if op == "select" and list(sorts[1:]) == [index]:
            return tm.select(*args)
        if op == "store" and list(sorts[1:]) == [index, element]:
            return tm.store(*args)
    raise NoProof(f"the operator {op[:40]!a} of the proof is not applied to such operands")


@dataclass(frozen=True)
class State:
    """When a run is at a place, and what variables then hold; the others hold what they held at first."""

    condition: Term
    values: Mapping[Term, Term]


class Ways:
    """All ways from some places to the next cut points."""

    def __init__(self, flow: Flow, order: Sequence[int], cut: set[int]) -> None:
        self.flow, self.order, self.cut = flow, order, cut
        self.steps = self.chosen = 0

    def next_from(self, start: int) -> list[int]:
        """The cut points that edges lead to from there, with no other in between."""
        seen, waiting, found = {start}, [start], set()
        while waiting:
            for edge in self.flow.outgoing[waiting.pop()]:
                if edge.target in self.cut:
                    found.add(edge.target)
                elif edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)
        return sorted(found)

    def followed(self, start: Mapping[int, State]) -> tuple[dict[int, State], dict[int, Term]]:
        """Where runs arrive at cut points, and under which condition they fail."""
        arriving: dict[int, list[State]] = {node: [state] for node, state in start.items()}
        ended: dict[int, list[State]] = {}
        failed: dict[int, list[Term]] = {}
        for node in self.order:
            given = arriving.pop(node, None)
            if given is None:
                continue
            state = met(given)
            now = tm.Replacing(state.values)
            for edge in self.flow.outgoing[node]:
                self.steps += 1
                if self.steps > MOST_STEPS:
                    raise CannotCheck(f"a proof for which more than {MOST_STEPS} edges are followed")
                condition = tm.both((state.condition, now(edge.condition)))
                if condition is tm.FALSE:
                    continue
                if edge.target in self.flow.failures:
                    failed.setdefault(edge.target, []).append(condition)
                    continue
                values = state.values
                if edge.values:
                    values = {**values, **{one: now(value) for one, value in edge.values.items()}}
                elif edge.chosen is not None:
                    self.chosen += 1
                    any_value = tm.var(f"any#{self.chosen}", edge.chosen.sort)
                    values = {**values, edge.chosen: any_value}
                where = ended if edge.target in self.cut else arriving
                where.setdefault(edge.target, []).append(State(condition, values))
        return (
            {node: met(states) for node, states in ended.items()},
            {node: tm.either(conditions) for node, conditions in failed.items()},
        )


def met(states: Sequence[State]) -> State:
    """One state of several that exclude each other."""
    if len(states) == 1:
        return states[0]
    values: dict[Term, Term] = {}
    for name in {one: None for state in states for one in state.values}:
        held = [state.values.get(name, name) for state in states]
        found = held[-1]
        for state, one in zip(states[-2::-1], held[-2::-1], strict=True):
            found = tm.choice(state.condition, one, found)
        values[name] = found
    return State(tm.either(state.condition for state in states), values)
