"""A proof by contracts of procedures as JSON, and back: the other body of a certificate about a C program.

    {"contracts": [{"function": "add", "before": [], "after": [5]}],
     "instances": [[[0, 0, "add"]]],
     "nodes": [["p", "add", "m", 3, 13], ["p", "add", "n", 3, 20], ["x", "add"], ...],
     "locations": []}

It has all that `proof_file` has but for bounds and depths. A copy of a procedure is named by the calls that
lead to it from `main` or from a procedure with a contract, whose own path is `[[0, 0, name]]`. Contracts
speak of arguments (`p`), of what was there at first (`o` before the name of a variable), of what is there
when the procedure returns, and of its result (`x`). Who has to have a contract follows from the program, and
so does what a call may change: neither is in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.evidence.sequential.obligations import NoProof, Obligation, obligations, where
from assay.evidence.sequential.proof_file import (
    LOCAL,
    LOCATION_KEYS,
    MOST_CALLS,
    RETURNED,
    Names,
    conjuncts,
)
from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential import term_file
from assay.transition_system.sequential.bitvectors import (
    BOOLEAN,
    Substitution,
    Term,
    all_of,
    variable,
    variables_of,
)
from assay.transition_system.sequential.contracts import (
    Contract,
    before,
    changed_by,
    given,
    modules,
    recursive_procedures,
    variables_after,
    variables_before,
)
from assay.transition_system.sequential.control_flow import ControlFlow, SequentialProgram
from assay.transition_system.sequential.quantifiers import is_quantified, is_removable

KEYS = {"contracts", "instances", "nodes", "locations"}
CONTRACT_KEYS = {"function", "before", "after"}
ARGUMENT, AT_FIRST, RESULT = "p", "o", "x"
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ContractProof:
    """`invariants`: of each procedure that is looked at by itself, those at its cut points."""

    contracts: Mapping[str, Contract]
    invariants: Mapping[str, Mapping[int, Term]]

    def obligations(self, program: SequentialProgram) -> Iterator[Obligation]:
        """Raises NoProof where it is of another form than a proof has."""
        require_contracts(program, self.contracts)
        try:
            for name, flow in modules(program, self.contracts):
                for one in obligations(flow, self.invariants.get(name, {})):
                    yield replace(one, text=f"{name} and its contract: {one.text}")
        except UnsupportedConstruct as problem:
            raise NoProof(str(problem)) from None


def require_contracts(program: SequentialProgram, named: Iterable[str]) -> None:
    """All that call themselves have one, and nobody else."""
    wanted, found = set(recursive_procedures(program)), set(named)
    for one in sorted(found - wanted):
        raise NoProof(f"{one[:80]!a} has a contract, and is no function of the program that calls itself")
    for one in sorted(wanted - found):
        raise NoProof(f"{one} calls itself and has no contract")


class Module:
    """What may be said of one procedure that is looked at by itself, by the names of the file."""

    def __init__(self, program: SequentialProgram, name: str, flow: ControlFlow) -> None:
        self.name, self.flow = name, flow
        self.names = Names(flow)
        self.paths = flow.instances
        contract = dict(contract_names(program, name))
        # What is kept at the places of calls has no name.
        known = {*flow.names, *program.globals}
        self.variables: dict[Key, Term] = {
            **{self._with_path(key): one for key, one in self.names.variables.items() if one in known},
            **contract,
        }
        self.keys = {one: key for key, one in self.variables.items()}
        self.points = {
            (self.paths[instance], *position): at for (instance, position), at in self.names.points.items()
        }
        self.of_points = {at: key for key, at in self.points.items()}

    def _with_path(self, key: Key) -> Key:
        return (key[0], self.paths[key[1]], *key[2:]) if key[0] in (LOCAL, RETURNED) else key

    def can_say(self, term: Term) -> bool:
        return all(one in self.keys for one in variables_of(term))


def contract_names(program: SequentialProgram, name: str) -> Iterator[tuple[Key, Term]]:
    """Of what a contract may speak of besides variables that are there when the procedure returns."""
    procedure = program.procedures[name]
    for one in procedure.parameters:
        found = procedure.names.get(one)
        if found is not None and found.position is not None:
            yield (ARGUMENT, name, found.name, *found.position), given(one)
    for key, one in global_names(program):
        yield (AT_FIRST, *key), before(one)
    if procedure.result is not None:
        yield (RESULT, name), procedure.result


def global_names(program: SequentialProgram) -> Iterator[tuple[Key, Term]]:
    for one in program.globals:
        found = program.names.get(one)
        if found is None:
            yield ("m", one.name), one
        elif found.function and found.position is not None:
            yield ("s", found.name, found.function, *found.position), one
        else:
            yield ("g", found.name), one


def _halves(program: SequentialProgram, name: str) -> tuple[dict[Key, Term], dict[Key, Term]]:
    """What each half of a contract may speak of. What a call does not change is at its end what it was."""
    procedure = program.procedures[name]
    own = dict(contract_names(program, name))
    first, last = (set(each(program, procedure)) for each in (variables_before, variables_after))
    changed = set(changed_by(program, name))
    there = {key: one if one in changed else before(one) for key, one in global_names(program)}
    return (
        {key: one for key, one in own.items() if one in first},
        {**{key: one for key, one in own.items() if one in last}, **there},
    )


def read_modules(program: SequentialProgram, contracts: Mapping[str, Contract]) -> dict[str, Module]:
    try:
        return {name: Module(program, name, flow) for name, flow in modules(program, contracts)}
    except UnsupportedConstruct as problem:
        raise NoProof(str(problem)) from None


# --- writing ---


def sayable(proof: ContractProof, program: SequentialProgram) -> ContractProof:
    """Without conjuncts about what has no name in a file. Raises NoProof where a location has none."""
    contracts = {}
    for name, one in proof.contracts.items():
        first, last = (set(half.values()) for half in _halves(program, name))
        contracts[name] = Contract(_only_about(one.before, first), _only_about(one.after, last))
    found = read_modules(program, proof.contracts)
    invariants: dict[str, dict[int, Term]] = {}
    for name, held in proof.invariants.items():
        for at in held:
            if at not in found[name].of_points:
                place = where(found[name].flow, at)
                raise NoProof(f"there is an invariant at {place}, which is no loop and no label")
        invariants[name] = {
            at: all_of(each for each in conjuncts(one) if found[name].can_say(each))
            for at, one in held.items()
        }
    return ContractProof(contracts, invariants)


def _only_about(term: Term, known: set[Term]) -> Term:
    return all_of(one for one in conjuncts(term) if variables_of(one) <= known)


def as_json(proof: ContractProof, program: SequentialProgram) -> dict[str, Any]:
    """Of a proof that is `sayable`."""
    found = read_modules(program, proof.contracts)
    names = sorted(proof.contracts)
    writing = Writing()
    contracts = []
    for name in names:
        keys = [{one: key for key, one in half.items()} for half in _halves(program, name)]
        contract = proof.contracts[name]
        contracts.append(
            {
                "function": name,
                "before": [writing.position(one, keys[0]) for one in conjuncts(contract.before)],
                "after": [writing.position(one, keys[1]) for one in conjuncts(contract.after)],
            }
        )
    locations = []
    for name, module in found.items():
        for at, held in sorted(proof.invariants.get(name, {}).items()):
            path, line, column = module.of_points[at]
            holds = [writing.position(one, module.keys) for one in conjuncts(held)]
            locations.append(
                {"instance": writing.instance(path), "line": line, "column": column, "holds": holds}
            )
    return {
        "contracts": contracts,
        "instances": [[list(site) for site in path] for path in writing.instances],
        "nodes": writing.nodes,
        "locations": locations,
    }


class Writing:
    """Nodes of terms whose variables have different names in different places."""

    def __init__(self) -> None:
        self.nodes: list[list[Any]] = []
        self.known: dict[str, int] = {}
        self.instances: dict[Any, int] = {}

    def instance(self, path: Any) -> int:
        return self.instances.setdefault(path, len(self.instances))

    def position(self, term: Term, keys: Mapping[Term, Key]) -> int:
        shown = {
            one: variable(f"named!{number}", one.sort)
            for number, one in enumerate(keys)
            if one.operator != "variable"
        }
        written = {shown.get(one, one).name: key for one, key in keys.items()}
        dumped = term_file.dump([Substitution(shown)(term)])  # its last node is the term
        positions: list[int] = []
        for node in dumped["nodes"]:
            if node[0] == "v":
                made = self._named(written[node[1]])
            elif len(node) == 3 and node[0] != "c":
                made = [node[0], node[1], [positions[at] for at in node[2]]]
            else:
                made = node
            positions.append(self.known.setdefault(repr(made), len(self.nodes)))
            if positions[-1] == len(self.nodes):
                self.nodes.append(made)
        return positions[-1]

    def _named(self, key: Key) -> list[Any]:
        return [key[0], self.instance(key[1]), *key[2:]] if key[0] in (LOCAL, RETURNED) else list(key)


# --- reading ---


def is_by_contracts(given_: Any) -> bool:
    return isinstance(given_, dict) and given_.keys() == KEYS


def from_json(written: Any, program: SequentialProgram) -> ContractProof:
    """What a stranger wrote. Raises NoProof."""
    if not is_by_contracts(written) or not all(isinstance(written[key], list) for key in KEYS):
        raise NoProof("the proof is not written as proofs by contracts are")
    reading = Reading(written)
    contracts: dict[str, Contract] = {}
    for one in written["contracts"]:
        if (
            not isinstance(one, dict)
            or one.keys() != CONTRACT_KEYS
            or not isinstance(one["function"], str)
            or not all(isinstance(one[half], list) for half in ("before", "after"))
        ):
            raise NoProof("a contract of the proof is not written as contracts are")
        if one["function"] in contracts:
            raise NoProof(f"{one['function'][:80]!a} has two contracts")
        contracts[one["function"]] = Contract()
    require_contracts(program, contracts)
    for one in written["contracts"]:
        name = one["function"]
        first, last = _halves(program, name)
        contracts[name] = Contract(
            reading.conjunction(one["before"], first, f"what holds before {name}", has_quantifiers=False),
            reading.conjunction(one["after"], last, f"what {name} leaves", has_quantifiers=False),
        )
    found = read_modules(program, contracts)
    roots = {((0, 0, name),): name for name in contracts}
    invariants: dict[str, dict[int, Term]] = {name: {} for name in found}
    for one in written["locations"]:
        if not isinstance(one, dict) or one.keys() != LOCATION_KEYS or not isinstance(one["holds"], list):
            raise NoProof("a location of the proof is not written as locations are")
        path = reading.path(one["instance"])
        name = roots.get(path[:1], program.main)
        line, column = one["line"], one["column"]
        if type(line) is not int or type(column) is not int:
            raise NoProof("a location of the proof is not written as locations are")
        at = found[name].points.get((path, line, column))
        if at is None:
            raise NoProof(f"{name} has no loop and no label at {str(line)[:20]}:{str(column)[:20]}")
        if at in invariants[name]:
            raise NoProof("a location of the proof stands there twice")
        invariants[name][at] = reading.conjunction(
            one["holds"], found[name].variables, f"what holds at {line}:{column}", has_quantifiers=True
        )
    for path in reading.paths:
        if path not in found[roots.get(path[:1], program.main)].paths:
            raise NoProof(f"the program has no call path {str(path)[:200]}")
    return ContractProof(contracts, invariants)


class Reading:
    def __init__(self, written: Mapping[str, Any]) -> None:
        self.nodes: Sequence[Any] = written["nodes"]
        if len(self.nodes) > term_file.MOST_NODES:
            raise NoProof("the nodes of the proof are too many")
        given_ = written["instances"]
        if not all(
            isinstance(path, list)
            and all(isinstance(one, list) and [type(x) for x in one] == [int, int, str] for one in path)
            for path in given_
        ):
            raise NoProof("the instances of the proof are no lists of calls")
        self.paths: list[Any] = [tuple(tuple(one) for one in path) for path in given_]
        if sum(map(len, self.paths)) > MOST_CALLS or len(set(self.paths)) < len(self.paths):
            raise NoProof("an instance of the proof stands there twice, or they have too many calls")

    def path(self, number: Any) -> Any:
        if type(number) is not int or not 0 <= number < len(self.paths):
            raise NoProof("something of the proof belongs to no instance")
        return self.paths[number]

    def conjunction(
        self, wanted: Sequence[Any], known: Mapping[Key, Term], what: str, *, has_quantifiers: bool
    ) -> Term:
        """`known` are the variables that may be spoken of here."""
        needed = self._needed(wanted)
        places = {at: number for number, at in enumerate(needed)}
        variables: dict[str, Term] = {}
        nodes: list[Any] = []
        for at in needed:
            node = self.nodes[at]
            if _is_applied(node):
                nodes.append([node[0], node[1], [places[one] for one in node[2]]])
            elif isinstance(node, list) and node and node[0] in ("c", "e"):
                nodes.append(node)
            else:
                name = f"read!{len(nodes)}"
                variables[name] = self._named(node, known, what)
                nodes.append(["v", name])
        try:
            terms = term_file.load({"nodes": nodes, "terms": [places[at] for at in wanted]}, variables)
        except term_file.TermProblem as problem:
            raise NoProof(f"{what} cannot be read: {problem}") from None
        if any(one.sort != BOOLEAN for one in terms):
            raise NoProof(f"{what} is no truth value")
        if any(is_quantified(one) and not (has_quantifiers and is_removable(one)) for one in terms):
            raise NoProof(f"a quantifier stands where none may: in {what}")
        return all_of(terms)

    def _needed(self, wanted: Sequence[Any]) -> list[int]:
        """Positions of nodes that these are made of, in order."""
        found: set[int] = set()
        waiting = [(one, len(self.nodes)) for one in wanted]
        while waiting:
            at, below = waiting.pop()
            if type(at) is not int or not 0 <= at < below:
                raise NoProof(f"there is no node {str(at)[:40]} yet")
            if at not in found:
                found.add(at)
                node = self.nodes[at]
                waiting += [(one, at) for one in node[2]] if _is_applied(node) else []
        return sorted(found)

    def _named(self, node: Any, known: Mapping[Key, Term], what: str) -> Term:
        if not isinstance(node, list) or not all(type(one) in (int, str) for one in node):
            raise NoProof("a variable of the proof is not written as variables are")
        key = tuple(node)
        if key[:1] in ((LOCAL,), (RETURNED,)):
            key = (key[0], self.path(key[1] if len(key) > 1 else None), *key[2:])
        if key not in known:
            raise NoProof(f"{what} cannot speak of {' '.join(map(str, node))[:80]!a}")
        return known[key]


def _is_applied(node: Any) -> bool:
    return isinstance(node, list) and len(node) == 3 and isinstance(node[2], list)
