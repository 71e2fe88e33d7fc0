"""What `--show` shows of a C program and its proof: the program with rules woven in, what slicing left out,
the boolean programs of predicate abstraction, and the steps of engines.

Each is a `Shown`: a title and lines for people, and the facts for JSON.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from assay.evidence.result import Shown
from assay.languages.c.outline import SKIP, Spot, lines_of_tests, outline
from assay.languages.c.preprocessing import LINE_MARKER
from assay.languages.c.program import CProgram
from assay.languages.c.rules import REAL
from assay.search.sequential.boolean_program import Cube, Dnf, Statement, dnf, is_told, negated, updated
from assay.search.sequential.rounds import Round, beginnings, counted
from assay.transition_system.language_options import OptionProblem
from assay.transition_system.sequential.bitvectors import Term
from assay.transition_system.sequential.c_text import as_c, plain_name
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow, Edge
from assay.transition_system.sequential.slicing import sliced

WHAT = ("steps", "boolean-program", "instrumented", "slice")
BOOLEAN = "boolean-program"
MOST_DECIDED = 12  # predicates over which two conditions are compared by trying all values


def show_of(given: Sequence[str]) -> tuple[str, ...]:
    asked = [name.strip() for one in given for name in one.split(",") if name.strip()]
    unknown = [name for name in asked if name not in WHAT]
    if unknown:
        raise OptionProblem(f"show: expected some of {', '.join(WHAT)}, got {unknown[0]}")
    return tuple(dict.fromkeys(asked))


def without_prefixes(text: str, rules: Sequence[str]) -> str:
    """Names of a rule's state, as the rule calls them."""
    for rule in rules:
        text = text.replace(f"__{rule}_", "")
    return text


# --- the program with its rules ---


def instrumented(program: CProgram) -> Shown:
    """As gcc compiles it, without what system headers bring along."""
    lines: list[str] = []
    for text in program.texts:
        for line in _own_lines(text):
            if line.strip() or (lines and lines[-1].strip()):
                lines.append(line.rstrip())
    while lines and not lines[-1]:
        lines.pop()
    by = f"with {', '.join(program.rules)} woven in" if program.rules else "without a rule (--rule)"
    return Shown("instrumented", f"the program {by}", tuple(lines), {"rules": list(program.rules)})


def _own_lines(text: str) -> Iterator[str]:
    own = True
    for line in text.split("\n")[1:]:  # the first one is what gcc knows by itself
        marker = LINE_MARKER.match(line)
        if marker is None:
            if own:
                yield line
            continue
        name, flags = marker.group(2), marker.group(3).split()
        own = "3" not in flags and not name.startswith("<")
        if own and name.endswith(".rule"):
            yield f"/* {Path(name).name}:{marker.group(1)} */"


# --- slicing ---


def slice_of(program: CProgram, flow: ControlFlow, *, is_used: bool) -> Shown:
    """Statements that no failure depends on, and what they set."""
    kept = sliced(flow)
    left_out: dict[tuple[str, int], dict[str, None]] = {}
    variables: dict[str, None] = {}
    still: set[tuple[str, int]] = set()
    for before, after in zip(flow.edges, kept.edges, strict=True):
        place = (before.place.file, before.place.line)
        is_call = _callee(flow, before) is not None
        if before.action == after.action or not isinstance(before.action, Assign) or is_call:
            if is_told(before):
                still.add(place)
            continue
        remaining = dict(after.action.values) if isinstance(after.action, Assign) else {}
        gone = [name for name, _ in before.action.values if name not in remaining]
        variables.update(dict.fromkeys(_shown_variable(one) for one in gone))
        if before.text and not remaining:
            left_out.setdefault(place, {})[without_prefixes(before.text, program.rules)] = None
        elif is_told(before):
            still.add(place)
    # A line is left out if nothing of it is left but what finds out whether it can be executed at all.
    lines = [
        f"{Path(file).name}:{line}  {'; '.join(texts)}" for (file, line), texts in sorted(left_out.items())
    ]
    named = sorted(one for one in variables if not one.startswith(("old", "value", "input", "__")))
    facts = {
        "used": is_used,
        "statements_left_out": sum(map(len, left_out.values())),
        "variables": named,
        "lines": [{"file": file, "line": line} for file, line in sorted(left_out)],
    }
    title = f"slicing leaves out {len(lines) or 'no'} statement{'s' if len(lines) != 1 else ''}"
    if named:
        title += f"; no failure depends on {', '.join(named)}"
    if not is_used:
        title += " (it was switched off: engines saw everything)"
    return Shown("slice", title, tuple(lines), facts)


def _shown_variable(one: Term) -> str:
    return plain_name(re.sub(r"^memory#\d+:(at line \d+)?", "", one.name))


# --- boolean programs ---


class Abstracted:
    """What is left of a C program in a round (`outline.Remains`)."""

    def __init__(self, one: Round, names: Sequence[str]) -> None:
        self.program, self.names = one.program, names
        self.flow = one.program.flow
        self.entered = {
            id(edge): callee for edge in self.flow.edges if (callee := _callee(self.flow, edge)) is not None
        }
        self.kept = self._kept()

    def _kept(self) -> set[str]:
        does = {"main"}
        calls: dict[str, set[str]] = {}
        for statement in self.program.statements:
            edge = statement.edge
            if statement.updates or statement.impossible or edge.target in self.flow.failures:
                does.add(edge.place.function)
            if id(edge) in self.entered:
                calls.setdefault(edge.place.function, set()).add(self.entered[id(edge)])
        while more := {one for one, called in calls.items() if one not in does and called & does}:
            does |= more
        return does

    def is_kept(self, function: str) -> bool:
        return function in self.kept

    def statements(self, function: str, spots: Collection[Spot]) -> list[str]:
        found: dict[tuple[Any, ...], dict[str, None]] = {}
        for statement in self.program.statements:
            edge = statement.edge
            place = edge.place
            if place.function == function and (place.file, place.line, place.column) in spots:
                for text in self._of(statement):
                    found.setdefault((place, edge.text, isinstance(edge.action, Assume)), {})[text] = None
        return [text for texts in found.values() for text in texts]

    def _of(self, statement: Statement) -> Iterator[str]:
        edge = statement.edge
        is_declared = isinstance(edge.action, Choose) and not edge.action.is_input
        if statement.updates and not (is_declared and all(not u.yes and not u.no for u in statement.updates)):
            yield " ".join(self._updated(one) for one in statement.updates)
        if edge.target in self.flow.failures:
            yield "error;"
        if id(edge) in self.entered and self.is_kept(self.entered[id(edge)]):
            yield f"{self.entered[id(edge)]}();"
        if statement.impossible and len(self.flow.outgoing[edge.source]) == 1:
            yield f"assume({negated(statement.impossible, self.names)});"

    def _updated(self, update: Any) -> str:
        text = updated(update, self.names)
        if "choose" not in text:
            return text
        yes = f"{dnf(update.yes, self.names)} ? T : " if update.yes else ""
        no = f"{dnf(update.no, self.names)} ? F : " if update.no else ""
        return f"{text}  // {yes}{no}*"

    def condition(self, function: str, spot: Spot) -> str:
        sides: dict[int, dict[bool, Dnf]] = {}
        is_true = False
        for statement in self.program.statements:
            edge = statement.edge
            place = edge.place
            if (place.file, place.line, place.column) != spot or place.function != function:
                continue
            if isinstance(edge.action, Assume) and edge.text.startswith(("(", "!(")):
                sides.setdefault(edge.source, {})[edge.text.startswith("(")] = statement.impossible
                is_true |= edge.action.condition.is_constant
        if not sides:
            return "T" if is_true else "*"
        both = max(sides.values(), key=len)
        no, yes = both.get(True, ()), both.get(False, ())
        if len(both) == 1:
            return negated(no, self.names) if no else "T" if is_true else "*"
        if not yes and not no:
            return "*"
        if self._are_opposite(yes, no):
            return min(dnf(yes, self.names), negated(no, self.names), key=len)
        return f"choose({dnf(yes, self.names)}, {dnf(no, self.names)})"

    def _are_opposite(self, yes: Dnf, no: Dnf) -> bool:
        """In all states that there are."""
        about = sorted({at for cube in (*yes, *no) for at, _ in cube})
        if len(about) > MOST_DECIDED:
            return False
        excluded = [cube for cube in self.program.inconsistent if all(at in about for at, _ in cube)]

        def holds(cubes: Sequence[Cube], values: Mapping[int, bool]) -> bool:
            return any(all(values[at] == value for at, value in cube) for cube in cubes)

        every = (dict(zip(about, one, strict=True)) for one in product((False, True), repeat=len(about)))
        return all(holds(yes, one) != holds(no, one) for one in every if not holds(excluded, one))


def _callee(flow: ControlFlow, edge: Edge) -> str | None:
    """Who is called there, if the edge leads into a copy of a procedure."""
    if edge.text.endswith(" returns"):
        return None
    for one in flow.outgoing[edge.target]:
        if one.place.function != edge.place.function and not one.text.endswith(" returns"):
            return one.place.function
    return None


def boolean_program(program: CProgram, one: Round, number: int) -> Shown:
    names = [f"b{at + 1}" for at in range(len(one.program.predicates))]
    texts = [without_prefixes(as_c(each), program.rules) for each in one.program.predicates]
    lines = [f"bool {name};  // {text}" for name, text in zip(names, texts, strict=True)]
    flow = one.program.flow
    own = {str(file) for file in program.files}
    for function, file, body in outline(program.texts, Abstracted(one, names)):
        lines.append(f"{function}() {{  // {Path(file).name}")
        told = body if file in own else [line for line in body if line.text != SKIP]
        lines += [f"{line.line or '':>5}  {'  ' * (line.depth - 1)}{line.text}" for line in told]
        lines.append("}")
    states = counted(one.program, beginnings(one.program, own))
    total = None if states is None else sum(states.values())
    trace = [] if one.trace is None else list(_statements([flow.edges[at] for at in one.trace], own, program))
    how_many = (
        f"{total} states where its statements begin" if total is not None else "too many states to list"
    )
    if one.trace is None:
        lines.append(f"{how_many}, none fails")
    else:
        lines.append(f"{how_many} up to an error, which is reached by")
        lines += [f"{line:>5}  {text}" for line, text in trace]
        if one.is_feasible:
            lines.append("and the program itself can go this way")
        else:
            lines.append("but the program itself cannot go this way; what rules it out:")
            lines += [
                f"       {without_prefixes(text, program.rules)}" for text in one.new or ("nothing new",)
            ]
    facts = {
        "round": number,
        "predicates": texts,
        "states": total,
        "trace": None if one.trace is None else [{"line": line, "text": text} for line, text in trace],
        "feasible": one.is_feasible,
        "new": [without_prefixes(text, program.rules) for text in one.new],
    }
    return Shown(BOOLEAN, f"boolean program {number}", tuple(lines), facts)


def _statements(edges: Sequence[Edge], own: Collection[str], program: CProgram) -> Iterator[tuple[int, str]]:
    """As they stand in the program: one for all edges of a statement."""
    tests = lines_of_tests(program.texts)
    before: tuple[int, str] | None = None
    for edge in edges:
        place = edge.place
        if place.file not in own or not is_told(edge):
            continue
        line = tests.get((place.file, place.line, place.column), place.line)
        here = (line, without_prefixes(edge.text, program.rules).replace(REAL, ""))
        if before is not None and before[0] != line:
            yield before
        before = here
    if before is not None:
        yield before


class Showing:
    """Collects what is to be shown while engines work."""

    def __init__(self, program: CProgram, asked: Sequence[str]) -> None:
        self.program, self.asked = program, asked
        self.steps: list[str] = []
        self.rounds: list[Shown] = []

    @property
    def wants_rounds(self) -> bool:
        return BOOLEAN in self.asked

    def said(self, text: str) -> None:
        self.steps.append(without_prefixes(text, self.program.rules))

    def round(self, one: Round) -> None:
        self.rounds.append(boolean_program(self.program, one, len(self.rounds) + 1))

    def everything(self, flow: ControlFlow | None, *, slicing: bool) -> tuple[Shown, ...]:
        found: list[Shown] = []
        if "instrumented" in self.asked:
            found.append(instrumented(self.program))
        if "slice" in self.asked and flow is not None:
            found.append(slice_of(self.program, flow, is_used=slicing))
        found += self.rounds
        if "steps" in self.asked:
            found.append(Shown("steps", "what the engines did", tuple(self.steps), {}))
        return tuple(found)
