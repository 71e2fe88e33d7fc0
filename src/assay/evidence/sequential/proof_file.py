"""A proof about a sequential program as JSON, and back: the body of its certificate.

    {"bound": 0, "rounds": 0, "nodes": [...], "locations": [
        {"at": 7, "line": 10, "column": 3, "function": "main", "holds": [12, 15], "text": ["x <= n", ...]}]}

`nodes` are those of `term_file`; `holds` are positions of them, conjuncts that hold whenever a run is at that
location of the graph. `line`, `column`, `function` and `text` are for people, and must be what this Assay
would write. With a `bound` there are no locations: no run passes cut points more often. `rounds` is that
of an induction over rounds. No obligation is in the file: whoever reads it makes them from the text of the
program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.evidence.sequential.obligations import NoProof, Obligation, obligations
from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential import term_file
from assay.transition_system.sequential.bitvectors import BOOLEAN, TRUE, Term, all_of
from assay.transition_system.sequential.c_text import as_c
from assay.transition_system.sequential.control_flow import ControlFlow
from assay.transition_system.sequential.unrolling import unrolled

KEYS = {"bound", "rounds", "nodes", "locations"}
LOCATION_KEYS = {"at", "line", "column", "function", "holds", "text"}
MOST_BOUND = 1_000_000
MOST_READINGS = 4


@dataclass(frozen=True, slots=True)
class Proof:
    """Invariants at cut points, which may need the rounds before a failure; or, without any, a bound."""

    invariants: Mapping[int, Term]
    rounds: int = 0
    bound: int | None = None

    def obligations(self, flow: ControlFlow) -> Iterator[Obligation]:
        """Raises NoProof where it is of another form than a proof has."""
        if self.bound is None:
            yield from obligations(flow, self.invariants, self.rounds)
            return
        try:
            flat = unrolled(flow, self.bound)
        except UnsupportedConstruct as problem:
            raise NoProof(str(problem)) from None
        text = f"nothing fails and every run ends within {self.bound} rounds"
        yield from (Obligation(text, one.refutation) for one in obligations(flat, {}))


def conjuncts(term: Term) -> tuple[Term, ...]:
    if term is TRUE:
        return ()
    return term.operands if term.operator == "and" else (term,)


def as_json(proof: Proof, flow: ControlFlow) -> dict[str, Any]:
    """As its reader will see it: reading simplifies terms, and texts are those of what was read."""
    written = _once(proof, flow)
    for _ in range(MOST_READINGS):
        again = _once(_read(written, flow), flow)
        if again == written:
            break
        written = again
    return written


def _once(proof: Proof, flow: ControlFlow) -> dict[str, Any]:
    places = sorted(proof.invariants)
    parts = [conjuncts(proof.invariants[at]) for at in places]
    dumped = term_file.dump([one for each in parts for one in each])
    positions = iter(dumped["terms"])
    return {
        "bound": proof.bound,
        "rounds": proof.rounds,
        "nodes": dumped["nodes"],
        "locations": [
            {
                **_place(flow, at),
                "holds": [next(positions) for _ in each],
                "text": [as_c(one) for one in each],
            }
            for at, each in zip(places, parts, strict=True)
        ],
    }


def _place(flow: ControlFlow, at: int) -> dict[str, Any]:
    edges = [*flow.outgoing[at], *flow.incoming[at]]
    place = edges[0].place if edges else None
    if place is None:
        return {"at": at, "line": 0, "column": 0, "function": ""}
    return {"at": at, "line": place.line, "column": place.column, "function": place.function}


def from_json(given: Any, flow: ControlFlow) -> Proof:
    """What a stranger wrote. Raises NoProof."""
    proof = _read(given, flow)
    told = [{**one, "holds": []} for one in given["locations"]]
    if told != [{**one, "holds": []} for one in _once(proof, flow)["locations"]]:
        raise NoProof("the places and texts of the proof do not follow from its terms")
    return proof


def _read(given: Any, flow: ControlFlow) -> Proof:
    if not isinstance(given, dict) or given.keys() != KEYS or not isinstance(given["locations"], list):
        raise NoProof("the proof is not written as proofs about sequential programs are")
    bound, rounds = given["bound"], given["rounds"]
    if type(rounds) is not int or not (bound is None or (type(bound) is int and 0 <= bound <= MOST_BOUND)):
        raise NoProof("the bound or the rounds of the proof are no numbers that a proof has")
    if bound is not None and (given["locations"] or rounds or given["nodes"]):
        raise NoProof("a proof by a bound has no invariants")
    wanted: list[Any] = []
    for one in given["locations"]:
        if not isinstance(one, dict) or one.keys() != LOCATION_KEYS or not isinstance(one["holds"], list):
            raise NoProof("a location of the proof is not written as locations are")
        if type(one["at"]) is not int or not 0 <= one["at"] < flow.locations:
            raise NoProof(f"the program has no location {str(one['at'])[:40]}")
        wanted += one["holds"]
    names = {one.name: one for one in flow.variables}
    try:
        terms = iter(term_file.load({"nodes": given["nodes"], "terms": wanted}, names))
    except term_file.TermProblem as problem:
        raise NoProof(f"the invariants cannot be read: {problem}") from None
    invariants: dict[int, Term] = {}
    for one in given["locations"]:
        found = [next(terms) for _ in one["holds"]]
        if one["at"] in invariants or any(each.sort != BOOLEAN for each in found):
            raise NoProof("a location has two invariants, or one that is no truth value")
        invariants[one["at"]] = all_of(found)
    return Proof(invariants, rounds, bound)
