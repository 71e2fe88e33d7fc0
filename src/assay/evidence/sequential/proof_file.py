"""A proof about a sequential program as JSON, and back: the body of its certificate.

    {"bound": null, "rounds": 0, "recursion": 0,
     "instances": [[], [[14, 7, "send"]]],
     "nodes": [["l", 1, "n", 5, 14], ["c", 7, 32], ["bvsle", [], [0, 1]]],
     "locations": [{"instance": 1, "line": 8, "column": 3, "holds": [2]}]}

Whoever reads the program by other means has other graphs and other names than ours, so all is called as the
text calls it: a copy of a function by the calls that lead to it, a location by the place of its loop or
label, a variable by its name and the place of its declaration. `nodes` are those of `term_file`, but for
variables; `holds` are positions of them, conjuncts that hold whenever a run is at that location. With a
`bound` the locations have no conjuncts: no run passes them more often. `rounds` is that of an induction
over rounds. No obligation is in the file: whoever reads it makes them from the text of the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.evidence.sequential.obligations import NoProof, Obligation, obligations, where
from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential import term_file
from assay.transition_system.sequential.bitvectors import (
    BOOLEAN,
    TRUE,
    Substitution,
    Term,
    all_of,
    variable,
    variables_of,
)
from assay.transition_system.sequential.control_flow import ControlFlow
from assay.transition_system.sequential.quantifiers import is_quantified, is_removable
from assay.transition_system.sequential.unrolling import unrolled
from assay.transition_system.sequential.unwinding import unwound

KEYS = {"bound", "rounds", "recursion", "instances", "nodes", "locations"}
LOCATION_KEYS = {"instance", "line", "column", "holds"}
MOST_BOUND = 1_000_000
MOST_RECURSION = 1_000
MOST_CALLS = 10_000  # of all paths together
GLOBAL, STATIC, LOCAL, RETURNED, MEMORY = "g", "s", "l", "r", "m"
VARIABLES = {GLOBAL, STATIC, LOCAL, RETURNED, MEMORY}


@dataclass(frozen=True, slots=True)
class Proof:
    """Invariants at cut points, which may need the rounds before a failure; or cut points and a bound, with
    the rounds that each loop has at most where that is known."""

    invariants: Mapping[int, Term]
    rounds: int = 0
    bound: int | None = None

    def obligations(self, flow: ControlFlow) -> Iterator[Obligation]:
        """Raises NoProof where it is of another form than a proof has."""
        if self.bound is None:
            yield from obligations(flow, self.invariants, self.rounds)
            return
        if not flow.cuts_every_cycle(self.invariants):
            raise NoProof("a cycle of the program has no cut point")
        try:
            flat = self._unwound(flow) if self.rounds else unrolled(flow, self.bound, self.invariants)
        except UnsupportedConstruct as problem:
            raise NoProof(str(problem)) from None
        text = f"nothing fails and every run ends within {self.bound} rounds"
        yield from (Obligation(text, one.refutation) for one in obligations(flat, {}))

    def _unwound(self, flow: ControlFlow) -> ControlFlow:
        assert self.bound is not None
        copies = unwound(flow, self.rounds, self.invariants)
        if copies.longest > self.bound:
            raise NoProof(f"loops of {self.rounds} rounds have more than {self.bound} rounds together")
        return copies.flow


def conjuncts(term: Term) -> tuple[Term, ...]:
    if term is TRUE:
        return ()
    return term.operands if term.operator == "and" else (term,)


class Names:
    """What the variables and locations of a graph are called in a file; None for those that have no name."""

    def __init__(self, flow: ControlFlow) -> None:
        self.flow = flow
        self.numbers: dict[Any, int] = {}
        for number, path in enumerate(flow.instances):
            self.numbers.setdefault(path, number)
        selected = [one for one in flow.names if one.operator != "variable"]
        self.variables = _only((self._variable(one), one) for one in (*flow.variables, *selected))
        self.points = _only((at, location) for location, at in flow.points.items())
        self.of_variables = {one: key for key, one in self.variables.items()}
        self.of_points = {location: key for key, location in self.points.items()}
        # Scalars in memory that have a name are variables in a file.
        self.shown = {
            one: variable(f"named!{number}", one.sort)
            for number, one in enumerate(self.of_variables)
            if one.operator != "variable"
        }
        self.of_shown = {self.shown.get(one, one).name: key for one, key in self.of_variables.items()}

    def _variable(self, one: Term) -> Any:
        found = self.flow.names.get(one)
        if found is None:  # memory that pointers reach; what is left are temporaries
            is_memory = "::" not in one.name
            return (MEMORY, one.name) if is_memory else None
        instance, name = found
        if instance is not None:
            if name.position is None:
                return None
            kind = (LOCAL, instance, name.name) if name.name else (RETURNED, instance)
            return (*kind, *name.position)
        if name.function and name.position is not None:
            return (STATIC, name.name, name.function, *name.position)
        return (GLOBAL, name.name)


def _only(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Without keys that stand there twice: they name nothing."""
    found: dict[Any, Any] = {}
    twice: set[Any] = {None}
    for key, value in pairs:
        if key in found:
            twice.add(key)
        found[key] = value
    return {key: value for key, value in found.items() if key not in twice}


def sayable(proof: Proof, flow: ControlFlow) -> Proof:
    """Without conjuncts about what has no name in a file (values in the middle of an expression). Raises
    NoProof where a location has none."""
    names = Names(flow)
    for at in proof.invariants:
        if at not in names.of_points:
            raise NoProof(f"there is an invariant at {where(flow, at)}, which is no loop and no label")
    return Proof(
        {
            at: all_of(
                each for each in conjuncts(one) if all(v in names.of_variables for v in variables_of(each))
            )
            for at, one in proof.invariants.items()
        },
        proof.rounds,
        proof.bound,
    )


def as_json(proof: Proof, flow: ControlFlow) -> dict[str, Any]:
    """Of a proof that is `sayable`."""
    names = Names(flow)
    places = sorted(proof.invariants, key=lambda at: names.of_points[at])
    shown = Substitution(names.shown)
    parts = [[shown(one) for one in conjuncts(proof.invariants[at])] for at in places]
    dumped = term_file.dump([one for each in parts for one in each])
    keys = {one[1]: names.of_shown[one[1]] for one in dumped["nodes"] if one[0] == "v"}
    used = {names.of_points[at][0] for at in places}
    used |= {key[1] for key in keys.values() if key[0] in (LOCAL, RETURNED)}
    numbers = {instance: number for number, instance in enumerate(sorted(used))}
    positions = iter(dumped["terms"])
    return {
        "bound": proof.bound,
        "rounds": proof.rounds,
        "recursion": flow.recursion,
        "instances": [[list(site) for site in flow.instances[one]] for one in numbers],
        "nodes": [_with_instance(keys[one[1]], numbers) if one[0] == "v" else one for one in dumped["nodes"]],
        "locations": [
            {
                "instance": numbers[instance],
                "line": line,
                "column": column,
                "holds": [next(positions) for _ in each],
            }
            for (instance, (line, column)), each in zip(
                (names.of_points[at] for at in places), parts, strict=True
            )
        ],
    }


def _with_instance(key: tuple[Any, ...], numbers: Mapping[int, int]) -> list[Any]:
    return [key[0], numbers[key[1]], *key[2:]] if key[0] in (LOCAL, RETURNED) else list(key)


def recursion_of(given: Any) -> int:
    """The depth to which the graph must be copied that a proof is about. Raises NoProof."""
    if not isinstance(given, dict) or given.keys() != KEYS:
        raise NoProof("the proof is not written as proofs about sequential programs are")
    found = given["recursion"]
    if type(found) is not int or not 0 <= found <= MOST_RECURSION:
        raise NoProof("the recursion of the proof is no number that a proof has")
    return found


def from_json(given: Any, flow: ControlFlow) -> Proof:
    """What a stranger wrote. Raises NoProof."""
    if recursion_of(given) != flow.recursion or not isinstance(given["locations"], list):
        raise NoProof("the proof is not written as proofs about sequential programs are")
    bound, rounds = given["bound"], given["rounds"]
    if type(rounds) is not int or not (bound is None or (type(bound) is int and 0 <= bound <= MOST_BOUND)):
        raise NoProof("the bound or the rounds of the proof are no numbers that a proof has")
    names = Names(flow)
    instances = _instances(given["instances"], names)
    places: list[int] = []
    wanted: list[Any] = []
    for one in given["locations"]:
        if not isinstance(one, dict) or one.keys() != LOCATION_KEYS or not isinstance(one["holds"], list):
            raise NoProof("a location of the proof is not written as locations are")
        places.append(_place(one, instances, names))
        wanted += one["holds"]
    if bound is not None and (wanted or given["nodes"] or not 0 <= rounds <= bound):
        raise NoProof("a proof by a bound has invariants, or a loop with more rounds than all together")
    if len(set(places)) < len(places):
        raise NoProof("a location of the proof stands there twice")
    terms = _terms(given["nodes"], wanted, instances, names)
    if any(one.sort != BOOLEAN for one in terms):
        raise NoProof("a location has an invariant that is no truth value")
    if any(is_quantified(one) and not is_removable(one) for one in terms):
        raise NoProof("a quantifier of the proof stands where none may")
    left = iter(terms)
    held = {
        at: all_of([next(left) for _ in one["holds"]])
        for at, one in zip(places, given["locations"], strict=True)
    }
    return Proof(held, rounds, bound)


def _instances(given: Any, names: Names) -> list[int]:
    found: list[int] = []
    if not isinstance(given, list) or not all(isinstance(path, list) for path in given):
        raise NoProof("the instances of the proof are no lists of calls")
    if sum(map(len, given)) > MOST_CALLS:
        raise NoProof(f"the instances of the proof have more than {MOST_CALLS} calls")
    for path in given:
        if not all(isinstance(one, list) and [type(x) for x in one] == [int, int, str] for one in path):
            raise NoProof("the instances of the proof are no lists of calls")
        number = names.numbers.get(tuple(tuple(one) for one in path))
        if number is None:
            raise NoProof(f"the program has no call path {_shown(path)}")
        found.append(number)
    if len(set(found)) < len(found):
        raise NoProof("an instance of the proof stands there twice")
    return found


def _shown(path: list[Any]) -> str:
    return " to ".join(f"{str(name)[:40]!a} ({line}:{column})" for line, column, name in path[:20])[:400]


def _place(one: dict[str, Any], instances: list[int], names: Names) -> int:
    instance, line, column = one["instance"], one["line"], one["column"]
    if not all(type(each) is int for each in (instance, line, column)) or not 0 <= instance < len(instances):
        raise NoProof("a location of the proof is not written as locations are")
    found = names.points.get((instances[instance], (line, column)))
    if found is None:
        raise NoProof(f"the program has no loop and no label at {str(line)[:20]}:{str(column)[:20]}")
    return int(found)


def _terms(nodes: Any, wanted: list[Any], instances: list[int], names: Names) -> list[Term]:
    if not isinstance(nodes, list) or len(nodes) > term_file.MOST_NODES:
        raise NoProof("the nodes of the proof are no list, or too long")
    read: list[Any] = []
    variables: dict[str, Term] = {}
    for node in nodes:
        if isinstance(node, list) and node and node[0] in ("v", *VARIABLES):
            name = f"read!{len(read)}"
            variables[name] = _named(node, instances, names)
            read.append(["v", name])
        else:
            read.append(node)
    try:
        return term_file.load({"nodes": read, "terms": wanted}, variables)
    except term_file.TermProblem as problem:
        raise NoProof(f"the invariants cannot be read: {problem}") from None


def _named(node: list[Any], instances: list[int], names: Names) -> Term:
    key = list(node)
    if key[0] in (LOCAL, RETURNED):
        if len(key) < 2 or type(key[1]) is not int or not 0 <= key[1] < len(instances):
            raise NoProof("a variable of the proof belongs to no instance")
        key[1] = instances[key[1]]
    if not all(type(one) in (int, str) for one in key):
        raise NoProof("a variable of the proof is not written as variables are")
    found = names.variables.get(tuple(key))
    if found is None:
        raise NoProof(f"the program has no variable {' '.join(map(str, node[1:]))[:80]!a}")
    return found  # type: ignore[no-any-return]
