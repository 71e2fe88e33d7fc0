"""The embedded C of a model, as it was written: declarations, pieces of code, tracked data.

C sees the variables of the model as `now.x` and `Pproc->x`. Which of them a piece of C may read or change is
decided by names alone, generously: what a function that it calls could name counts too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from assay.languages.promela.operations import Fragment, Process, Symbol
from assay.languages.promela.syntax import EmbeddedCDeclaration, EmbeddedText, Location
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem

_WORD = re.compile(r"[A-Za-z_]\w*")
_AS_A_WHOLE = re.compile(r"\bnow\b(?!\s*\.)|\b_this\b|\bP\d+\b")
_INCLUDES_OWN = re.compile(r'^\s*\\?#\s*include\s*"', re.MULTILINE)
_OF_STATE = re.compile(r"\bnow\b|\bP\w+\s*->")
_OF_OTHERS = re.compile(r"\b(pptr|q_len|q_full)\b")
_SCOPES = ("Global", "Hidden", "Local")
_KINDS = ("Matched", "UnMatched", "StackOnly")


@dataclass(frozen=True, slots=True)
class StateVariable:
    """c_state "int x" "Global" "3"."""

    declaration: str
    scope: str  # Global, Hidden, Local
    proctype: str  # of a Local one
    initial: str
    where: Location

    @property
    def depends_on_the_state(self) -> bool:
        return _OF_STATE.search(self.initial) is not None

    @property
    def name(self) -> str:
        """Without its type: the last word before brackets, a width or the end."""
        head = re.split(r"[\[:=]", self.declaration, maxsplit=1)[0]
        words = _WORD.findall(head)
        return words[-1] if words else self.declaration


@dataclass(frozen=True, slots=True)
class TrackedData:
    """c_track "address" "size" "Matched"."""

    address: str
    size: str
    kind: str  # Matched, UnMatched, StackOnly
    where: Location


@dataclass(eq=False, slots=True)
class EmbeddedCode:
    """All of it, in the order of the source."""

    declarations: list[tuple[str, EmbeddedText]] = field(default_factory=list)  # c_decl, c_code
    variables: list[StateVariable] = field(default_factory=list)
    tracked: list[TrackedData] = field(default_factory=list)
    fragments: list[Fragment] = field(default_factory=list)

    @property
    def locals(self) -> list[StateVariable]:
        """Those of processes."""
        return [variable for variable in self.variables if variable.scope == "Local"]

    @property
    def looks_at_others(self) -> bool:
        """Does it ask for processes other than its own, or for channels?"""
        return any(_OF_OTHERS.search(text) is not None for text, _ in self.texts())

    def texts(self) -> Iterator[tuple[str, Location]]:
        """All that its users wrote."""
        for code in [code for _, code in self.declarations] + [each.code for each in self.fragments]:
            yield code.text, code.where
        yield from ((each.precondition, each.where) for each in self.fragments if each.precondition)
        yield from ((f"{each.declaration} {each.initial}", each.where) for each in self.variables)
        yield from ((f"{each.address} {each.size}", each.where) for each in self.tracked)

    def __bool__(self) -> bool:
        return bool(self.declarations or self.variables or self.tracked or self.fragments)

    def add(
        self, keyword: str, text: str, precondition: str | None, code: EmbeddedText | None, where: Location
    ) -> Fragment:
        """A piece of C that is executed in steps, or asked about states."""
        code = code or EmbeddedText(where, text)
        fragment = Fragment(len(self.fragments), keyword, text, precondition, code, where)
        self.fragments.append(fragment)
        return fragment

    def declare(self, declaration: EmbeddedCDeclaration) -> None:
        where, arguments = declaration.where, declaration.arguments
        if declaration.keyword == "c_state":
            self.variables.append(_state_variable(arguments, where))
        elif declaration.keyword == "c_track":
            kind = arguments[2] if len(arguments) > 2 else "Matched"
            if kind not in _KINDS:
                raise SourceProblem(
                    f"expected {', '.join(_KINDS[:-1])} or {_KINDS[-1]} after the size, got '{kind}'",
                    where=where,
                )
            self.tracked.append(TrackedData(arguments[0], arguments[1], kind, where))
        else:
            code = declaration.code or EmbeddedText(where, declaration.text)
            self.declarations.append((declaration.keyword, code))

    def find_symbols(self, globals_: Sequence[Symbol], processes: Iterable[Process]) -> None:
        """Finds out which variables of the model each piece of C may use, and keeps room for them."""
        shared = "\n".join(code.text for _, code in self.declarations)
        tracks = "\n".join(f"{each.address} {each.size}" for each in self.tracked)
        for fragment in self.fragments:
            text = f"{fragment.precondition or ''}\n{fragment.code.text}\n{shared}\n{tracks}"
            everything = _AS_A_WHOLE.search(text) is not None or _INCLUDES_OWN.search(text) is not None
            words = set(_WORD.findall(text))
            if "now" in words or everything:
                fragment.symbols += [s for s in globals_ if everything or s.identifier in words]
            for process in processes:
                if f"P{process.name}" in words or everything:
                    fragment.symbols += [s for s in process.symbols if everything or s.identifier in words]
            for symbol in fragment.symbols:
                symbol.assigned = symbol.read = True


def _state_variable(arguments: Sequence[str], where: Location) -> StateVariable:
    scope, _, proctype = arguments[1].strip().partition(" ")
    if scope not in _SCOPES or (scope == "Local") != bool(proctype.strip()):
        raise SourceProblem(
            f'expected "Global", "Hidden" or "Local proctype" after the declaration, got \'{arguments[1]}\'',
            where=where,
        )
    initial = arguments[2] if len(arguments) > 2 else ""
    return StateVariable(arguments[0].strip(), scope, proctype.strip(), initial.strip(), where)
