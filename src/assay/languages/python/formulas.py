"""Temporal formulas over a Python program.

An atom is an expression over the globals of the main module, as invariants have them, or the name of a label:
`assay.label("served")` stands for a place, and the label is true in the states in which some thread stands
there, about to go on.

Expressions are evaluated by functions that are added to the text of the program behind its imports and told
to the machine at once (`_assay.set_atoms`). A formula is read from the first state on in which all names of
its atoms are bound; a run in which they never are violates it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING

from assay.automata import MOST_ATOMS
from assay.languages.python.invariants import globals_of, require_usable
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem, TemporalProperty

if TYPE_CHECKING:  # imported where there are formulas
    from assay.automata.formula import Formula
    from assay.automata.parser import AtomPlace

# What joins a step because it only helps others. That a thread can move now and not then is what fairness is
# about, and an atom may ask a lock: with formulas, everything is a step of its own.
EARLY = frozenset({"releases of locks", "ends of threads"})
BEGUN = "all its names are bound"  # an atom of ours in automata; no text of a user's
PREFIX = "__assay_atom"
MOST_THREADS = MOST_ATOMS  # for which there can be fairness


@dataclass(frozen=True, slots=True)
class Asked:
    """One formula."""

    text: str
    formula: Formula
    expressions: tuple[AtomPlace, ...]
    labels: Mapping[str, AtomPlace]  # text of the atom -> where it stands; the name is `label_name(text)`
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stated:
    """What the program itself says, by `assay.eventually` and its relatives: from then on it must hold."""

    site: int
    place: str
    name: str
    text: str
    formula: str
    predicates: int

    @property
    def title(self) -> str:
        return f"{self.name}: {self.text}" if self.name else self.text


@dataclass(frozen=True)
class Formulas:
    """What is asked, and what has to be added to the program for it."""

    asked: tuple[Asked, ...] = ()
    names: frozenset[str] = frozenset()  # globals of the program
    terminates: bool = False
    stated: tuple[Stated, ...] = ()
    match: tuple[str, ...] = ()  # what states are compared by: atoms with values, the last ones
    match_anywhere: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.asked and not self.terminates and not self.stated and not self.match

    @property
    def expressions(self) -> list[AtomPlace]:
        """Each once, in their order."""
        return list({place.text: place for one in self.asked for place in one.expressions}.values())

    @property
    def labels(self) -> list[str]:
        return list(dict.fromkeys(label_name(text) for one in self.asked for text in one.labels))

    @property
    def atoms(self) -> list[str]:
        """What the machine calls its atoms in sentences: expressions, and of formulas that have some whether
        their names are bound."""
        told = [f"formula:{one.line}:{one.column}: the atom {one.text}" for one in self.expressions]
        told += [f"formula:1:1: {one.text}" for one in self.asked if one.expressions]
        told += [f"{one.place}: {one.text}" for one in self.stated for _ in range(one.predicates + 1)]
        return told + [f"--match: {text}" for text in self.match]

    def lines(self) -> Iterator[str]:
        """To be added to the program."""
        functions = []
        for number, place in enumerate(self.expressions):
            functions.append(f"{PREFIX}_{number}")
            yield from self._function(functions[-1], place.text, [place])
        for number, one in enumerate(self.asked):
            if one.expressions:
                functions.append(f"{PREFIX}s_of_{number}")
                yield from self._function(functions[-1], "True", one.expressions)
        for stated in self.stated:
            for number in range(stated.predicates + 1):
                functions.append(f"{PREFIX}_{number}_stated_{stated.site}")
                yield f"def {functions[-1]}():"
                yield f"    found = __assay_package._stated.get({stated.site})"
                if number < stated.predicates:
                    yield f"    return found is not None and found[{number}]()"
                else:
                    yield "    return found is not None"
        for number, text in enumerate(self.match):
            functions.append(f"{PREFIX}_match_{number}")
            yield f"def {functions[-1]}():"
            read = sorted(names_in(text) & self.names)
            if read:
                yield from (
                    "    try:",
                    f"        {', '.join(read)}",
                    "    except NameError:",
                    "        return ''",
                )
            yield f"    return repr(({ast.unparse(ast.parse(text.strip(), mode='eval'))}))"
        if functions:
            yield "import assay as __assay_package"
            yield f"__assay_package._set_atoms({', '.join(functions)})"

    def _function(self, name: str, expression: str, places: Iterable[AtomPlace]) -> Iterator[str]:
        yield f"def {name}():"
        read = sorted({name for place in places for name in names_in(place.text)} & self.names)
        if read:
            yield "    try:"
            yield f"        {', '.join(read)}"
            yield "    except NameError:"
            yield "        return False"
        yield f"    return ({ast.unparse(ast.parse(expression, mode='eval'))})"

    def properties(self) -> Iterator[TemporalProperty]:
        """Numbers of labels are those of the machine: labels, then atoms, then whether it is over."""
        if self.is_empty:
            return
        from assay.automata.parser import parse
        from assay.automata.translation import violating
        from assay.languages.python.formula_reading import after_the_beginning
        from assay.transition_system.termination import termination

        labels, expressions = self.labels, [place.text for place in self.expressions]
        begins = [one for one in self.asked if one.expressions]
        first = len(labels) + len(expressions)
        for one in self.asked:
            automaton = violating(one.formula)
            numbers = {
                **{text: labels.index(label_name(text)) for text in one.labels},
                **{place.text: len(labels) + expressions.index(place.text) for place in one.expressions},
            }
            if one.expressions:
                automaton = after_the_beginning(automaton)
                numbers[BEGUN] = first + begins.index(one)
            yield TemporalProperty(
                "ltl",
                "",
                one.text,
                automaton,
                tuple(numbers[atom] for atom in automaton.atoms),
                warnings=one.warnings,
            )
        number = first + len(begins)
        for stated in self.stated:
            automaton = after_the_beginning(violating(parse(stated.formula).formula), it_must_begin=False)
            numbers = {
                **dict(zip("pq", range(number, number + 2), strict=True)),
                BEGUN: number + stated.predicates,
            }
            number += stated.predicates + 1
            yield TemporalProperty(
                "ltl", stated.name, stated.text, automaton, tuple(numbers[atom] for atom in automaton.atoms)
            )
        if self.terminates:
            yield termination(number, fair=True)

    def require_labels(self, texts: Mapping[str, str]) -> None:
        """Refuses labels that no module has; `texts` are those of the user's modules, by file."""
        known: set[str] = set()
        for text in texts.values():
            found, are_all = labels_in(text)
            if not are_all:
                return  # some are made up while it runs
            known |= found
        for one in self.asked:
            for text, place in one.labels.items():
                if label_name(text) not in known:
                    raise unknown(label_name(text), place, self.names, known)


def read_formulas(
    path: Path,
    text: str,
    ltl: Sequence[str],
    *,
    terminates: bool,
    own: Sequence[Stated] = (),
    match: Sequence[str] = (),
    match_anywhere: bool = False,
) -> Formulas:
    """`own` are those of the program; if `ltl` names some or has others, only these are meant."""
    for one in match:
        require_usable(one, globals_of(path, text), "--match")
    if not ltl and not own and not match:
        return Formulas(terminates=terminates)
    from assay.languages.python import formula_reading

    by_name = {one.name: one for one in own if one.name}
    formulas_asked = [one for one in ltl if one not in by_name]
    stated = tuple(by_name[one] for one in ltl if one in by_name) if ltl else tuple(own)
    names = frozenset(globals_of(path, text)) if formulas_asked or match else frozenset()
    own_labels, _ = labels_in(text) if formulas_asked else (set(), True)
    asked = tuple(formula_reading.read(formula, names, own_labels) for formula in formulas_asked)
    formulas = Formulas(asked, names, terminates, stated, tuple(match), match_anywhere)
    count = len(formulas.labels) + len(formulas.atoms) + 1
    if count > MOST_ATOMS:
        raise SourceProblem(
            f"at most {MOST_ATOMS - 1} labels and atoms in all formulas, got {count - 1}",
            hint="check the formulas one after the other",
        )
    read = {name for place in formulas.expressions for name in names_in(place.text)} & names
    for line, name in unbinding(text, read) if read else ():
        raise SourceProblem(
            f"a formula speaks of {name!r}, which is unbound again here",
            where=f"{path}:{line}",
            hint="set it to None instead",
        )
    return formulas


def unknown(name: str, place: AtomPlace, names: AbstractSet[str], labels: AbstractSet[str]) -> SourceProblem:
    known = sorted({one for one in names if not one.startswith("_")} | labels)
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    shown = ", ".join(known[:12])
    return SourceProblem(
        f"{name!r} is no global of the main module and no label of the program"
        + (f"; did you mean {close[0]!r}?" if close else ""),
        where=f"formula:{place.line}:{place.column}",
        hint=f"there are {shown}" if shown else 'mark a place with assay.label("name")',
    )


def label_name(text: str) -> str:
    """An atom that is a label is its name, or a text with it."""
    return str(ast.literal_eval(text)) if text[0] in "'\"" else text


def labels_in(text: str) -> tuple[set[str], bool]:
    """The labels of a module, and whether these are all: names may be made up while it runs."""
    found: set[str] = set()
    are_all = True
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Attribute(attr="label") | ast.Name(id="label"), args=[argument]):
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    found.add(argument.value)
                else:
                    are_all = False
    return found, are_all


def names_in(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


def unbinding(text: str, names: AbstractSet[str]) -> Iterator[tuple[int, str]]:
    """Where one of these names may cease to be bound."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Name(id=name, ctx=ast.Del()) if name in names:
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)) if name in names:
                yield node.lineno, name


STATEMENTS = {  # function of `assay` -> formula over its predicates, and how many these are
    "always": ("[] p", 1),
    "eventually": ("<> p", 1),
    "leads_to": ("[] (p -> <> q)", 2),
}


def statements_of(path: Path, text: str) -> tuple[tuple[Stated, ...], str]:
    """What a program states of its runs, and its text with a number in each statement: by that the machine is
    told which one was made."""
    if not any(name in text for name in STATEMENTS):
        return (), text
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (), text  # told by the compiler
    modules, functions = _names_of_assay(tree)
    of_models = {
        id(node) for one in ast.walk(tree) if isinstance(one, ast.ClassDef) for node in ast.walk(one)
    }
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found: list[Stated] = []
    places: list[tuple[int, int, int]] = []  # line and column behind the name of the function, and the number
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or id(node) in of_models:
            continue
        match node.func:
            case ast.Attribute(value=ast.Name(id=module), attr=called) if module in modules:
                pass
            case ast.Name(id=local) if local in functions:
                called = functions[local]
            case _:
                continue
        if called not in STATEMENTS:
            continue
        where = f"{path}:{node.lineno}:{node.col_offset + 1}"
        formula, predicates = STATEMENTS[called]
        if id(node) not in alone:
            raise SourceProblem(
                f"assay.{called} states what runs must do: it is a statement of its own", where=where
            )
        if len(node.args) != predicates or any(keyword.arg != "name" for keyword in node.keywords):
            raise SourceProblem(f"assay.{called} takes {predicates} function(s), and a name", where=where)
        names = [keyword.value for keyword in node.keywords]
        if not all(isinstance(name, ast.Constant) and isinstance(name.value, str) for name in names):
            raise SourceProblem(f"the name of assay.{called} is a text that is written out", where=where)
        shown = [ast.unparse(one.body if isinstance(one, ast.Lambda) else one) for one in node.args]
        words = {"always": "[] ({})", "eventually": "<> ({})", "leads_to": "[] (({}) -> <> ({}))"}[called]
        name = str(ast.literal_eval(names[0])) if names else ""
        place = f"{path}:{node.lineno}"
        found.append(Stated(len(found), place, name, words.format(*shown), formula, predicates))
        places.append((node.func.end_lineno or 0, node.func.end_col_offset or 0, len(found) - 1))
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    for line, column, number in sorted(places, reverse=True):
        start, rest = lines[line - 1][:column], lines[line - 1][column:]
        if not rest.lstrip().startswith(b"("):
            raise SourceProblem("the parenthesis stands on another line than the name before it", where=path)
        opening = rest.index(b"(") + 1
        lines[line - 1] = start + rest[:opening] + f"{number}, ".encode() + rest[opening:]
    return tuple(found), b"".join(lines).decode()


def _names_of_assay(tree: ast.Module) -> tuple[set[str], dict[str, str]]:
    """Names of the module `assay`, and names that were imported from it."""
    modules: set[str] = set()
    functions: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {one.asname or one.name for one in node.names if one.name == "assay"}
        elif isinstance(node, ast.ImportFrom) and node.module == "assay":
            functions |= {one.asname or one.name: one.name for one in node.names}
    return modules, functions
