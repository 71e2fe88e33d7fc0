"""What was found out about a C program as an SV-COMP witness.

A run becomes what its functions returned and what variables held that nobody had set, in order; a proof
becomes invariants of its loops, as far as C can say them exactly; what has no name in the text is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pycparser import c_ast

from assay import __version__
from assay.evidence.witness_file import (
    ASSERTIONS,
    NO_OVERFLOW,
    UNREACHABLE,
    Invariant,
    Location,
    Task,
    Waypoint,
    Witness,
    as_text,
)
from assay.languages.c.declared import NUMBER, declared
from assay.languages.c.landmarks import Landmark, Landmarks, NoPlace
from assay.languages.c.outline import Spot, spots_of
from assay.languages.c.program import CProgram
from assay.records import dataclass
from assay.search.sequential.findings import Finding
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential.bitvectors import TRUE, Bits, Term, all_of, any_of, variables_of
from assay.transition_system.sequential.c_expressions import Naming, NoExpression, as_exact_c
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow, Failure
from assay.transition_system.sequential.running import Moment
from assay.verification.sequential_runs import NAME

VERSION = "2.0"
SPECIFICATIONS = {"error": UNREACHABLE, "assertion": ASSERTIONS, "overflow": NO_OVERFLOW}


@dataclass(frozen=True, slots=True)
class WrittenWitness:
    path: str
    kind: str
    parts: int  # segments or invariants
    left_out: int = 0  # conjuncts that C cannot say

    def as_json(self) -> dict[str, object]:
        return {"path": self.path, "kind": self.kind, "parts": self.parts, "left_out": self.left_out}


def write_violation(
    program: CProgram, failure: Failure, moments: Sequence[Moment], path: Path
) -> WrittenWitness:
    if failure.kind not in SPECIFICATIONS:
        raise UnsupportedConstruct(f"SV-COMP has no specification for a failure of the kind {failure.kind}")
    landmarks = Landmarks(program.texts[0], str(program.files[0]))
    segments = [[one] for one in _waypoints(program, landmarks, failure, moments)]
    task = _task(program, SPECIFICATIONS[failure.kind])
    path.write_text(as_text(Witness(VERSION, task, "Assay", segments), __version__))
    return WrittenWitness(str(path), "violation_sequence", len(segments))


def write_invariants(program: CProgram, flow: ControlFlow, found: Finding, path: Path) -> WrittenWitness:
    landmarks = Landmarks(program.texts[0], str(program.files[0]))
    naming = _Naming(program, flow)
    said: dict[tuple[str, Spot], list[tuple[Landmark, Term]]] = {}
    left_out = 0
    for at, term in (found.invariants.at if found.invariants is not None else {}).items():
        place = _loop(landmarks, flow, at)
        if place is None:
            left_out += 1
            continue
        kind, landmark = place
        kept = []
        for part in term.operands if term.operator == "and" else (term,):
            try:
                as_exact_c(part, naming.within(landmark.spot, flow, at))
                kept.append(part)
            except NoExpression:
                left_out += 1
        said.setdefault((kind, landmark.spot), []).append((landmark, all_of(kept)))
    invariants = []
    for (kind, _), each in said.items():
        whole = any_of(term for _, term in each)  # one of the copies of the loop
        landmark = each[0][0]
        if whole is TRUE:
            continue
        text = as_exact_c(whole, naming.anywhere())
        invariants.append(
            Invariant(kind, _location(program, landmark, naming.function(landmark.spot, flow)), text)
        )
    checks = {"overflow"} & set(program.checks)
    task = _task(program, NO_OVERFLOW if checks else UNREACHABLE)
    path.write_text(as_text(Witness(VERSION, task, "Assay", (), tuple(invariants)), __version__))
    return WrittenWitness(str(path), "invariant_set", len(invariants), left_out)


def _task(program: CProgram, specification: str) -> Task:
    files = {Path(one.path).name: one.sha256 for one in program.sources[: len(program.files)]}
    return Task(files, specification, program.data_model)


def _location(program: CProgram, landmark: Landmark, function: str = "") -> Location:
    """The column, if the preprocessor left the line as it was."""
    file = program.files[0]
    column: int | None = landmark.column
    try:
        line = file.read_text(errors="replace").splitlines()[landmark.line - 1]
    except (OSError, IndexError):
        line = ""
    word = {c_ast.While: "while", c_ast.For: "for", c_ast.DoWhile: "do", c_ast.FuncCall: ")"}.get(
        type(landmark.node)
    )
    if word is not None and not line[landmark.column - 1 :].startswith(word):
        column = None
    return Location(landmark.line, column, file.name, function)


def _loop(landmarks: Landmarks, flow: ControlFlow, at: int) -> tuple[str, Landmark] | None:
    by_spot = {one.spot: one for one in landmarks.loops}
    for edge in flow.incoming[at]:
        spot = (edge.place.file, edge.place.line, edge.place.column)
        if spot not in by_spot or edge.text:
            continue
        loop = by_spot[spot]
        if not isinstance(loop.node, c_ast.DoWhile):
            return "loop_invariant", loop
        first = next((one for one in getattr(loop.node.stmt, "block_items", None) or ()), None)
        for one in landmarks.statements:  # holds where the body begins
            if one.node is first and one.is_item and not isinstance(first, c_ast.Decl):
                return "location_invariant", one
    return None


class _Naming:
    """Which names variables have in the text."""

    def __init__(self, program: CProgram, flow: ControlFlow) -> None:
        self.kinds = declared(program.texts)
        self.names: dict[Term, tuple[str, str]] = {}
        of: dict[tuple[str, str], set[str]] = {}
        for one in flow.variables:
            found = NAME.fullmatch(one.name)
            if found is None or found.group("path") or not isinstance(one.sort, Bits):
                continue
            function, name = found.group("function") or "", found.group("name")
            if (function, name) in self.kinds:
                self.names[one] = (function, name)
                of.setdefault((function, name), set()).add(one.name.partition("@")[0])
        self.ambiguous = {key for key, found in of.items() if len(found) > 1}

    def _named(self, one: Term, functions: set[str]) -> tuple[str, bool] | None:
        key = self.names.get(one)
        if key is None or key in self.ambiguous or (key[0] and key[0] not in functions):
            return None
        if not key[0] and any((function, key[1]) in self.kinds for function in functions):
            return None  # a local hides it
        kind = self.kinds.get(key, NUMBER)
        return None if kind.is_pointer else (key[1], kind.is_unsigned)

    def function(self, spot: Spot, flow: ControlFlow) -> str:
        for edge in flow.edges:
            if (edge.place.file, edge.place.line, edge.place.column) == spot:
                return edge.place.function
        return ""

    def within(self, spot: Spot, flow: ControlFlow, at: int) -> Naming:
        """Of one copy of the function: variables of other copies have the same names."""
        function = self.function(spot, flow)
        copies = {
            one.name.rpartition("@")[2] if "@" in one.name else "" for one in self._live(flow, at, function)
        }
        copy = next(iter(copies)) if len(copies) == 1 else None

        def naming(one: Term) -> tuple[str, bool] | None:
            key = self.names.get(one)
            if key is not None and key[0] and copy is not None:
                own = one.name.rpartition("@")[2] if "@" in one.name else ""
                if own != copy:
                    return None
            return self._named(one, {function})

        return naming

    def _live(self, flow: ControlFlow, at: int, function: str) -> Iterator[Term]:
        """Variables of the copy that the location belongs to: what is set or read next to it."""
        for edge in (*flow.incoming[at], *flow.outgoing[at]):
            action = edge.action
            terms: list[Term] = []
            if isinstance(action, Assume):
                terms = list(variables_of(action.condition))
            elif isinstance(action, Assign):
                terms = [one for one, _ in action.values]
            for one in terms:
                key = self.names.get(one)
                if key is not None and key[0] == function:
                    yield one

    def anywhere(self) -> Naming:
        functions = {function for function, _ in self.names.values() if function}

        def naming(one: Term) -> tuple[str, bool] | None:
            key = self.names.get(one)
            if key is None:
                return None
            kind = self.kinds.get(key, NUMBER)
            return (key[1], kind.is_unsigned) if not key[0] or key[0] in functions else None

        return naming


# --- runs ---


def _waypoints(
    program: CProgram, landmarks: Landmarks, failure: Failure, moments: Sequence[Moment]
) -> Iterator[Waypoint]:
    calls = {one.spot: one for one in landmarks.calls}
    statements = _statements(landmarks)
    kinds = declared(program.texts)
    for number, moment in enumerate(moments):
        action, place = moment.edge.action, moment.edge.place
        spot = (place.file, place.line, place.column)
        if not isinstance(action, Choose) or not isinstance(moment.chosen, int):
            continue
        width = action.variable.width
        if action.is_input and spot in calls:
            is_unsigned = "_u" in action.origin.removeprefix("__VERIFIER_nondet") or "size_t" in action.origin
            value = (
                moment.chosen
                if is_unsigned or not moment.chosen >> (width - 1)
                else moment.chosen - (1 << width)
            )
            yield Waypoint("function_return", _location(program, calls[spot]), f"\\result == {value}")
        elif not action.is_input and moment.chosen:
            kind = kinds.get((place.function, action.origin))
            after = _next_statement(moments[number + 1 :], statements, place.function)
            if kind is not None and not kind.is_pointer and after is not None and width in (8, 16, 32, 64):
                shown = kind.text(moment.chosen, width) if kind.names is None else moment.chosen
                yield Waypoint("assumption", _location(program, after), f"{action.origin} == {shown}")
    at = statements.get((failure.place.file, failure.place.line, failure.place.column))
    if at is None:
        at = landmarks.find("statements", failure.place.line, None)
    yield Waypoint("target", _location(program, at))


def _statements(landmarks: Landmarks) -> Mapping[Spot, Landmark]:
    """The innermost statement that has something at a place."""
    found: dict[Spot, Landmark] = {}
    for one in landmarks.statements:
        parts = [one.node]
        if isinstance(one.node, c_ast.If | c_ast.While | c_ast.DoWhile | c_ast.For | c_ast.Switch):
            parts = [each for name in ("init", "cond", "next") if (each := getattr(one.node, name, None))]
            found[one.spot] = one
        for part in parts:
            for spot in spots_of(part):
                found.setdefault(spot, one)
    return found


def _next_statement(
    moments: Sequence[Moment], statements: Mapping[Spot, Landmark], function: str
) -> Landmark | None:
    for moment in moments:
        place = moment.edge.place
        one = statements.get((place.file, place.line, place.column))
        is_declaration = one is not None and isinstance(one.node, c_ast.Decl) and one.node.init is None
        if one is not None and place.function == function and one.is_item and not is_declaration:
            return one
    return None


__all__ = ["NoPlace", "WrittenWitness", "write_invariants", "write_violation"]
