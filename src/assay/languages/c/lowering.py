"""From C to control flow: files, functions and statements. `lower` is the way in.

Files are linked as a linker does it: a name with external linkage is one thing in all of them, a static
one belongs to its file. Functions are read after all declarations of all files, since what a call means
depends on whether somebody defines the function.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

from pycparser import c_ast

from assay.languages.c import library, written_functions
from assay.languages.c import types as t
from assay.languages.c.declarations import (
    FunctionName,
    Object,
    Scope,
    TypeName,
    Types,
    place_of,
    position_of,
    width_of,
)
from assay.languages.c.expressions import NO_FLOATING, Expressions, string_codes
from assay.languages.c.graph import Graph
from assay.languages.c.memory import (
    BYTES,
    FIRST_OF_HEAP,
    HEAP,
    LARGEST,
    POINTER_BITS,
    SIZES,
    Initial,
    Memory,
    holds_union,
    number_of,
    pointer_to,
    root,
    scalars_in,
)
from assay.languages.c.packing import packings
from assay.languages.c.parsing import RANGE, ParseError, parse
from assay.languages.c.places import Effects, Known, Located, Lvalue, Value
from assay.languages.c.preprocessing import DataModel, Preprocessed
from assay.languages.c.rules import OF_A_WRAPPER, REAL
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Term
from assay.transition_system.sequential.control_flow import (
    Assign,
    Assume,
    Call,
    Edge,
    Failure,
    Place,
    Position,
    Procedure,
    SequentialProgram,
    VariableName,
)
from assay.transition_system.sequential.inlining import UNWINDING

MOST_INITIALISERS = 1 << 16
MOST_READINGS = 60
MOST_FRAMES = 12_000
MOST_CHOSEN = 64  # elements of a local array in memory that are chosen one by one


def is_small(kind: t.Type) -> bool:
    while isinstance(kind, t.ArrayOf):
        if kind.length is None or kind.length > MOST_CHOSEN:
            return False
        kind = kind.element
    return True


@dataclass(frozen=True, slots=True)
class Definition:
    node: c_ast.FuncDef
    scope: Scope  # of its file
    name: FunctionName


@contextmanager
def deep_nesting() -> Iterator[None]:
    """Trees of C are as deep as their expressions; whoever is deeper than this is refused."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, MOST_FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def parsed(files: Sequence[Preprocessed]) -> list[c_ast.FileAST]:
    trees = []
    for file in files:
        try:
            trees.append(parse(file.text, file.path))
        except ParseError as problem:
            raise UnsupportedConstruct(
                f"gcc accepts this, and our parser does not: {problem}", where=file.path
            ) from None
        except RecursionError:
            raise UnsupportedConstruct("an expression is nested too deeply", where=file.path) from None
    return trees


def lower(
    files: Sequence[Preprocessed], model: DataModel, checks: Iterable[str] = (), main: str = "main"
) -> SequentialProgram:
    with deep_nesting():
        return _lower(files, model, checks, main)


def _lower(
    files: Sequence[Preprocessed], model: DataModel, checks: Iterable[str], main: str
) -> SequentialProgram:
    """Read again until nothing new is learned about memory (`memory.Memory`)."""
    trees, memory, checks = parsed(files), Memory(model), frozenset(checks)
    missing = written_functions.wanted(trees, checks)
    if missing:
        trees.append(parse(written_functions.text_of(missing, model), written_functions.PATH))
    for _ in range(MOST_READINGS):
        memory.begin()
        try:
            where = ", ".join(one.path for one in files)
            lowering = Lowering(model, checks, memory)
            lowering.types.altered = {name for one in files for name in one.altered}
            found = lowering.program(trees, main, where)
        except RecursionError:
            raise UnsupportedConstruct("an expression is nested too deeply", where=files[0].path) from None
        memory.judge()
        if memory.is_settled:
            return found
    raise UnsupportedConstruct(f"pointers are not understood after {MOST_READINGS} readings")


@dataclass(frozen=True, slots=True)
class Numbers:
    """Of a case, without signs: one, or all from the first to the last."""

    first: int
    last: int
    is_signed: bool

    def contain(self, chosen: Term) -> Term:
        first, last = (bv.constant(one, chosen.width) for one in (self.first, self.last))
        if self.first == self.last:
            return bv.equal(chosen, first)
        order = "bvsle" if self.is_signed else "bvule"
        return bv.all_of((bv.compare(order, first, chosen), bv.compare(order, chosen, last)))

    def __str__(self) -> str:
        return f"== {self.first}" if self.first == self.last else f"is in {self.first} ... {self.last}"


class Lowering:
    def __init__(self, model: DataModel, checks: frozenset[str], memory: Memory) -> None:
        self.model = model
        self.memory = memory
        self.known = Known(model, checks, memory)
        self.types = Types(model, self.constant, self.type_of, memory.structs)
        self.external: dict[str, Object] = {}
        self.objects: dict[Term, None] = {}
        self.initial: dict[Term, Term] = {}
        self.initialised: set[str] = set()
        self.uncertain: list[str] = []  # objects that are declared and never defined
        self.defined_objects: set[str] = set()
        self.statics = 0
        self.internal: set[object] = set()  # keys of those that are static in a file
        self.names: dict[Term, VariableName] = {}
        # With their addresses, what they are called, and where that is kept.
        self.in_memory: list[tuple[Object, Term, VariableName, dict[Term, VariableName]]] = []

    def program(self, trees: Sequence[c_ast.FileAST], main: str, where: str) -> SequentialProgram:
        definitions: list[Definition] = []
        for number, tree in enumerate(trees):
            definitions += self.file(tree, number)
        unique: dict[str, Definition] = {}
        for one in definitions:  # an inline one may stand beside another, and C leaves open which is called
            if unique.setdefault(one.name.name, one) is not one:
                what = f"a second definition of '{one.name.name}' is not modelled"
                raise UnsupportedConstruct(what, where=place_of(one.node))
        self.known.defined = {one.name.name for one in definitions}
        self.known.types_of = {one.name.name: one.name.type for one in definitions}
        for name, kind in self.known.types_of.items():
            if not t.compatible(self.memory.pointed.get(name, kind), kind):
                what = f"the address of '{name.partition('@')[0]}', which is declared with another type"
                raise UnsupportedConstruct(f"{what} is not modelled", where=place_of(unique[name].node))
        if main not in self.known.defined:
            raise SourceProblem(f"there is no function '{main}'", where=where, hint="a program starts there")
        procedures = self._procedures({one.name.name: one for one in definitions}, main)
        for name in sorted(self.external):
            if name not in self.defined_objects:
                if name in self.known.of_the_linker:
                    what = f"'{name}', which the linker puts beside other variables, is not modelled"
                    raise UnsupportedConstruct(what, where=str(self.known.of_the_linker[name]))
                self._leave_open(self.external[name])
        self._name_what_is_in_memory()
        memory, bounds = self.memory, "bounds" in self.known.checks
        starts, first = memory.starts()
        self._require_no_addresses(procedures)
        self.objects |= dict.fromkeys(memory.arrays.values())
        self.initial[HEAP] = bv.constant(FIRST_OF_HEAP, 32)
        self.initial[SIZES] = memory.initial_sizes()
        self.objects |= dict.fromkeys((*memory.counters(has_sizes=bounds), *memory.never_set()))
        self._judge_orders(procedures)
        self.initial |= starts
        if first:
            if any(main in one.calls for one in self.known.effects.values()):
                raise UnsupportedConstruct(f"a call of '{main}' is not modelled")
            procedures[main] = begun(procedures[main], Assign(tuple(first)))
        assumed = bv.all_of(memory.assumed_of_initial)
        if assumed is not bv.TRUE:
            procedures[main] = begun(procedures[main], Assume(assumed))
        returned = [term for one in self.known.returned.values() for term in one.terms.values()]
        known = {one: value for one, value in self.initial.items() if one in self.objects}
        return SequentialProgram(
            procedures,
            main,
            (*self.objects, *returned),
            known,
            tuple(self._notes()),
            self.known.externals,
            tuple(self._granted()),
            self.names,
        )

    def _procedures(self, definitions: dict[str, Definition], main: str) -> dict[str, Procedure]:
        """Of the functions that may be called."""
        found: dict[str, Procedure] = {}
        waiting = [main]
        while waiting:
            name = waiting.pop()
            if name not in found and name in definitions:
                found[name] = Statements(self, definitions[name]).procedure()
                waiting += sorted(self.known.effects[name].calls, reverse=True)
            if not waiting:
                pointed = sorted(self.known.functions - set(found), reverse=True)
                waiting = [one for one in pointed if one in definitions]
        return found

    def _require_no_addresses(self, procedures: dict[str, Procedure]) -> None:
        """Integers that become pointers must be none that were made from pointers, on whatever way."""
        if not self.known.from_numbers:
            return
        memory = self.memory
        made = set(memory.never_set()) | {one for (_, key), one in memory.arrays.items() if key == BYTES}
        is_growing = True
        while is_growing:
            is_growing = False
            for target, value in _flows(procedures):
                if target not in made and made & bv.variables_of(value):
                    made.add(target)
                    is_growing = True
        for place, term in self.known.from_numbers:
            if made & bv.variables_of(term):
                raise UnsupportedConstruct("an integer that becomes a pointer is not modelled", where=place)

    def _name_what_is_in_memory(self) -> None:
        """Scalars of objects that are no elements of arrays, where memory is kept by kind or field."""
        arrays = self.memory.arrays
        for found, address, called, names in self.in_memory:
            assert found.region is not None
            region = root(found.region)
            for path, offset, owner, kind in () if region.is_by_bytes else scalars_in(found.type, self.model):
                array = arrays.get((region, self.memory.key(region, owner, kind)))
                if array is not None:
                    at = bv.arithmetic("bvadd", address, bv.constant(offset, POINTER_BITS))
                    names[bv.select(array, at)] = replace(called, name=".".join((called.name, *path)))

    def _leave_open(self, found: Object) -> None:
        self.uncertain.append(found.name)
        for leaf in found.leaves:
            self.initial.pop(found.terms[leaf.path], None)
            if isinstance(leaf.type, t.Pointer):
                self.memory.is_from_outside(self.memory.region("variable", found.key, leaf.path))
        if found.region is not None:
            self.memory.is_from_outside(found.region)
            self.memory.static_objects.pop(found.key, None)

    def _granted(self) -> Iterator[str]:
        if self.known.allocates and "allocation" not in self.known.checks:
            yield "malloc succeeds"
        if self.known.foreign_pointers:
            yield "pointers from outside point to nothing of the program"
        if self.known.misfits and "bounds" not in self.known.checks:
            names = ", ".join(f"{name.partition('@')[0]}()" for name in sorted(self.known.misfits))
            yield f"nobody calls {names} by a pointer of another type"

    def _notes(self) -> Iterator[str]:
        missing = self.known.without_body
        if missing:
            shown = {name.removesuffix(REAL): place for name, place in sorted(missing.items())}
            names = ", ".join(f"{name} ({place})" for name, place in shown.items())
            yield f"functions without a body are taken to return any value and to change nothing: {names}"
        if self.known.foreign_pointers:
            names = ", ".join(sorted(self.known.foreign_pointers))
            yield f"pointers from outside are taken to point to nothing that the program has: {names}"
        if self.known.from_numbers:
            yield "integers that become pointers are taken to be no addresses of objects, and below 2^32"
        if self.uncertain:
            yield f"variables that no file defines have any value: {', '.join(self.uncertain)}"

    # --- declarations of files ---

    def file(self, tree: c_ast.FileAST, number: int) -> list[Definition]:
        scope = Scope()
        found = []
        self.types.packings.update(packings(tree))
        for node in tree.ext:
            if isinstance(node, c_ast.FuncDef):
                name = self._function_name(node.decl, scope, number)
                found.append(Definition(node, scope, name))
            elif isinstance(node, c_ast.Decl):
                self.declare(node, scope, number)
            elif isinstance(node, c_ast.Typedef):
                scope.names[node.name] = self.types.named(node, scope)
            elif not isinstance(node, c_ast.Pragma | c_ast.StaticAssert):
                raise UnsupportedConstruct(
                    f"{type(node).__name__} outside of functions is not modelled", where=place_of(node)
                )
        return found

    def _function_name(self, node: c_ast.Decl, scope: Scope, number: int) -> FunctionName:
        kind = self.types.of(node.type, scope)
        assert isinstance(kind, t.Function)
        known = scope.find(node.name)
        # What is declared once more has the linkage that it had (C11 6.2.2).
        unique = f"{node.name}@{number}" if "static" in node.storage else node.name
        unique = known.name if isinstance(known, FunctionName) else unique
        if isinstance(known, FunctionName) and kind.parameters is None:
            kind = t.Function(kind.result, known.type.parameters, known.type.is_variadic)
        scope.names[node.name] = FunctionName(unique, kind)
        return FunctionName(unique, kind)

    def declare(self, node: c_ast.Decl, scope: Scope, number: int, function: str = "") -> None:
        """A declaration outside of functions, or a static or extern one in a function."""
        kind = self.types.of(node.type, scope)
        if node.name is None:
            return
        if isinstance(kind, t.Function):
            self._function_name(node, scope, number)
            return
        if isinstance(kind, t.ArrayOf) and kind.length is None and node.init is not None:
            kind = t.ArrayOf(kind.element, self.length(kind, node.init, scope))
        visible = scope.find(node.name)
        # What is declared once more has the linkage that it had (C11 6.2.2).
        is_again = "extern" in node.storage and getattr(visible, "key", None) in self.internal
        is_static = "static" in node.storage or is_again
        try:
            if is_static:
                found = visible if is_again else scope.names.get(node.name)
                if not isinstance(found, Object):
                    self.statics += 1
                    found = Object(f"{node.name}@{number}.{self.statics}", kind, ("static", id(node)))
                    if function:
                        self._global(found, node.name, position_of(node), function)
                    else:  # every file may have one of that name
                        self.internal.add(found.key)
                        self._global(found, f"{node.name}@{number}" if number else node.name, None, "")
            else:
                found = self.external.get(node.name)
                is_new = found is None
                is_longer = found is not None and isinstance(found.type, t.ArrayOf) and not found.type.length
                if found is None:
                    found = self.external[node.name] = Object(node.name, kind, ("external", node.name))
                self._require_one_type(found, kind)
                if is_new or is_longer:  # else it may have an initial value
                    found.type = kind
                    self._global(found, node.name, None, "")
        except (UnsupportedConstruct, NotImplementedError) as problem:
            if "extern" in node.storage:
                return  # nothing is said as long as nobody uses it
            raise UnsupportedConstruct(str(problem), where=place_of(node)) from None
        scope.names[node.name] = found
        if is_static or "extern" not in node.storage or node.init is not None:
            self.defined_objects.add(node.name if not is_static else found.name)
        if node.init is not None:
            reader = self.reader(node.name, scope)
            for steps, target, value in self.initialisers(found.type, node.init, scope):
                self._set_initial(reader, walked(reader, found, steps), target, value)

    @staticmethod
    def _require_one_type(found: Object, kind: t.Type) -> None:
        if not t.compatible(found.type, kind):
            raise UnsupportedConstruct(f"'{found.name}' with two types, {found.type} and {kind}")

    def _global(self, found: Object, name: str, position: Position | None, function: str) -> None:
        if found.key in self.memory.addressed or holds_union(found.type):
            region = self.memory.region("object", found.key)
            number = self.memory.static_number(found.key)
            self.memory.is_used_as(region, found.type)
            self.memory.add_static(found.key, number, region, found.type)
            found.is_in_memory(pointer_to(number), region)
            called = VariableName(name, position, function)
            self.in_memory.append((found, pointer_to(number), called, self.names))
            return
        found.is_made_of_variables(bv.variable)
        for leaf in found.leaves:
            term = found.terms[leaf.path]
            self.names[term] = VariableName(".".join((name, *leaf.path)), position, function)
            self.objects[term] = None
            zero = bv.constant(0, width_of(leaf.type))
            self.initial[term] = (
                bv.constant_array(term.sort, zero) if isinstance(term.sort, bv.Array) else zero
            )

    def _set_initial(
        self, reader: Expressions, place: Lvalue, target: t.Type, node: c_ast.Node | int
    ) -> None:
        if not isinstance(target, t.Integer | t.Pointer):
            assert not isinstance(node, int)
            raise reader.refuse(node, f"an initial value for {target}")
        if isinstance(node, int):
            value = Value(bv.constant(node, width_of(target)), target)
        else:
            value = reader.adapted(reader.value(node), target, node)
            if reader.graph.edges or not value.term.is_constant:
                raise reader.refuse(node, "an initial value that is not a constant")
        if isinstance(place, Located):
            _, term, index = reader.part(place, node)
            before = self.initial[term]
            self.initial[term] = value.term if index is None else bv.store(before, index, value.term)
            self.memory.unify(reader.points_of(place), value.points)
            return
        assert place.address.is_constant
        self.memory.initial.append(
            Initial(place.address.value, place.region, place.owner, target, value.term)
        )
        if isinstance(target, t.Pointer):
            key = self.memory.key(place.region, place.owner, target)
            self.memory.unify(self.memory.content(place.region, key), value.points)

    def initialisers(self, kind: t.Type, node: c_ast.Node, scope: Scope) -> list[Given]:
        """Which scalar gets which expression; what is not named is zero (C11 6.7.9)."""
        found = Initialisers(self, scope)
        found.fill(kind, (), node)
        return found.given

    def length(self, kind: t.ArrayOf, node: c_ast.Node, scope: Scope) -> int:
        found = Initialisers(self, scope)
        found.fill(kind, (), node)
        return found.length

    def reader(self, name: str, scope: Scope) -> Expressions:
        reader = Expressions(self.known, Graph(name), self.types)
        reader.scope = scope
        return reader

    def constant(self, node: c_ast.Node, scope: Scope) -> int:
        reader = self.reader("constant", scope)
        value = reader.value(node)
        if reader.graph.edges or not value.term.is_constant or not isinstance(value.type, t.Integer):
            raise UnsupportedConstruct(
                "a number is needed here that is known before the program runs", where=place_of(node)
            )
        number = value.term.value
        return bv.signed(number, value.type.width) if value.type.signed else number

    def type_of(self, node: c_ast.Node, scope: Scope) -> t.Type:
        """What `typeof` gives: the expression is read and not evaluated."""
        kind = self.reader("typeof", scope).type_of(node)
        inner = kind
        while isinstance(inner, t.ArrayOf):
            if inner.length is None:
                raise UnsupportedConstruct(
                    "'typeof' of an array whose length is not known here is not modelled",
                    where=place_of(node),
                )
            inner = inner.element
        return kind

    # --- the order of operands ---

    def _judge_orders(self, procedures: dict[str, Procedure]) -> None:
        whole = {name: self._transitive(name) for name in procedures}
        shared = set(self.objects)  # without what functions return, which is taken at once

        def all_of(one: Effects) -> tuple[set[Term], set[Term]]:
            reads, writes = set(one.reads), set(one.writes)
            for name in one.calls:
                reads |= whole[name].reads & shared
                writes |= whole[name].writes & shared
            return reads, writes

        for pair in self.known.unsequenced:
            reads, writes = all_of(pair.one)
            other_reads, other_writes = all_of(pair.other)
            conflict = (writes & (other_reads | other_writes)) | (other_writes & reads)
            if conflict:
                name = min(one.name for one in conflict).rpartition("::")[2]
                raise UnsupportedConstruct(
                    f"the result depends on the order of operands, which C leaves open ('{name}')",
                    where=pair.place,
                    hint="write two statements",
                )

    def _transitive(self, name: str) -> Effects:
        found, waiting, seen = Effects(), [name], set()
        while waiting:
            one = waiting.pop()
            if one in seen or one not in self.known.effects:
                continue
            seen.add(one)
            effects = self.known.effects[one]
            found.reads |= effects.reads
            found.writes |= effects.writes
            waiting += effects.calls
        return found


def _flows(procedures: dict[str, Procedure]) -> Iterator[tuple[Term, Term]]:
    """Which value gets into which variable."""
    for one in procedures.values():
        for edge in one.edges:
            action = edge.action
            if isinstance(action, Assign):
                yield from action.values
            elif isinstance(action, Call):
                called = procedures[action.procedure]
                yield from zip(called.parameters, action.arguments, strict=True)
                if action.result is not None and called.result is not None:
                    yield action.result, called.result


Given = tuple[tuple[str | int, ...], t.Type, "c_ast.Node | int"]


def walked(reader: Expressions, found: Object, steps: Sequence[str | int]) -> Lvalue:
    place = reader.place_of_object(found)
    for step in steps:
        if isinstance(step, int):
            place = place.element(bv.constant(step, 64), reader.model)
        else:
            place = place.field(step, reader.model)
    return place


def _living_within(scope: Scope | None, outer: Sequence[Scope]) -> list[Term]:
    """What lives there and not in the outer ones."""
    found: list[Term] = []
    while scope is not None and scope not in outer:
        found += scope.living
        scope = scope.outer
    return found


def begun(procedure: Procedure, action: Assign | Assume) -> Procedure:
    """With something that it does first."""
    start = 1 + max(max(edge.source, edge.target) for edge in procedure.edges)
    start = max(start, 1 + max(procedure.failures, default=0))
    edge = Edge(start, procedure.entry, action, procedure.edges[0].place, "initial values")
    return replace(procedure, entry=start, edges=(edge, *procedure.edges))


class Initialisers:
    """Walks through what an initialiser sets, with or without inner braces."""

    def __init__(self, lowering: Lowering, scope: Scope) -> None:
        self.lowering, self.scope = lowering, scope
        self.given: list[Given] = []
        self.length = 0
        # Parts that have a value or have some inside of them; of scalars, which.
        self._parts: dict[tuple[str | int, ...], c_ast.Node | int | None] = {}
        self._whole: set[tuple[str | int, ...]] = set()  # structs that are copied

    def _require_new(self, steps: tuple[str | int, ...], node: c_ast.Node | int) -> None:
        """What a part was given before is gone when it is given something as a whole, and gcc also drops a
        struct of which a part is given once more."""
        if steps in self._parts or any(steps[:size] in self._whole for size in range(len(steps))):
            where = place_of(node) if isinstance(node, c_ast.Node) else None
            raise UnsupportedConstruct(
                "an initial value in the place of others is not modelled", where=where, hint="write it once"
            )

    def fill(self, kind: t.Type, steps: tuple[str | int, ...], node: c_ast.Node) -> None:
        if isinstance(node, c_ast.InitList) and not isinstance(kind, t.Integer | t.Pointer):
            items = node.exprs
            self._require_new(steps, node)
            if len(items) == 1 and self._is_string(kind, items[0]):
                self._one(kind, steps, items, 0)
            else:
                self._braced(kind, steps, items)
        else:
            self._one(kind, steps, [node], 0)

    def _add(self, steps: tuple[str | int, ...], kind: t.Type, value: c_ast.Node | int) -> None:
        if len(self.given) >= MOST_INITIALISERS:
            raise UnsupportedConstruct(f"more than {MOST_INITIALISERS} initial values")
        is_number = isinstance(self._parts.get(steps), c_ast.Constant) and isinstance(value, c_ast.Constant)
        if not is_number:
            self._require_new(steps, value)
        self._parts[steps] = value
        for size in range(len(steps)):
            self._parts.setdefault(steps[:size], None)
        if isinstance(kind, t.Struct):
            self._whole.add(steps)
        self.given.append((steps, kind, value))

    def _braced(self, kind: t.Type, steps: tuple[str | int, ...], items: Sequence[c_ast.Node]) -> None:
        position, at = 0, 0
        while at < len(items):
            item = items[at]
            if isinstance(item, c_ast.NamedInitializer):
                position, inner, target = self._designated(kind, steps, item)
                following = items[at + 1] if at + 1 < len(items) else None
                if len(item.name) > 1 and not isinstance(following, c_ast.NamedInitializer | None):
                    raise UnsupportedConstruct(
                        "what follows this designator is not modelled", where=place_of(item)
                    )
                self.fill(target, inner, item.expr)
                at += 1
            else:
                inner, target = self._member(kind, steps, position, item)
                at = self._one(target, inner, items, at)
            position += 1
            if not steps:
                self.length = max(self.length, position)

    def _member(
        self, kind: t.Type, steps: tuple[str | int, ...], position: int, node: c_ast.Node
    ) -> tuple[tuple[str | int, ...], t.Type]:
        if isinstance(kind, t.ArrayOf):
            return (*steps, position), kind.element
        if isinstance(kind, t.Struct):
            names = members(kind)
            if position < len(names):
                return (*steps, names[position]), (kind.fields or {})[names[position]]
        raise _not_initialised(kind, node)

    def _designated(
        self, kind: t.Type, steps: tuple[str | int, ...], node: c_ast.NamedInitializer
    ) -> tuple[int, tuple[str | int, ...], t.Type]:
        first = 0
        for number, one in enumerate(node.name):
            if isinstance(kind, t.Struct) and isinstance(one, c_ast.ID):
                path = kind.path_to(one.name) or ()
                position = 0 if kind.is_union else members(kind).index(path[0])
                for name in path:
                    assert isinstance(kind, t.Struct)
                    if kind.is_union:
                        self._require_new(steps, node)
                    steps, kind = (*steps, name), (kind.fields or {})[name]
            elif isinstance(kind, t.ArrayOf):
                position = self.lowering.constant(
                    one.expr if isinstance(one, c_ast.ArrayDesignator) else one, self.scope
                )
                steps, kind = (*steps, position), kind.element
            else:
                raise UnsupportedConstruct("this designator is not modelled", where=place_of(node))
            first = position if number == 0 else first
        return first, steps, kind

    @staticmethod
    def _is_string(kind: t.Type, node: c_ast.Node) -> bool:
        is_text = (
            isinstance(kind, t.ArrayOf) and isinstance(kind.element, t.Integer) and kind.element.width == 8
        )
        return is_text and isinstance(node, c_ast.Constant) and node.type == "string"

    def _one(self, kind: t.Type, steps: tuple[str | int, ...], items: Sequence[c_ast.Node], at: int) -> int:
        """The next part of the items for this; what comes after it."""
        node = items[at]
        if isinstance(kind, t.Integer | t.Pointer):
            while isinstance(node, c_ast.InitList):
                if not node.exprs:
                    return at + 1
                node = node.exprs[0]
            self._add(steps, kind, node)
            return at + 1
        if isinstance(node, c_ast.InitList):
            self.fill(kind, steps, node)
            return at + 1
        if self._is_string(kind, node):
            assert isinstance(kind, t.ArrayOf)
            reader = self.lowering.reader("string", self.scope)
            codes = [*string_codes(node.value, node, reader), 0]
            if not steps:
                self.length = len(codes)
            for position, code in enumerate(codes[: kind.length]):
                self._add((*steps, position), kind.element, code)
            return at + 1
        if isinstance(kind, t.Struct) and self._is_struct(node):
            self._add(steps, kind, node)
            return at + 1
        count = len(members(kind)) if isinstance(kind, t.Struct) else getattr(kind, "length", None) or 0
        if count == 0:
            raise _not_initialised(kind, node)
        for position in range(count):
            if at >= len(items) or isinstance(items[at], c_ast.NamedInitializer):
                break
            inner, target = self._member(kind, steps, position, items[at])
            at = self._one(target, inner, items, at)
        return at

    def _is_struct(self, node: c_ast.Node) -> bool:
        reader = self.lowering.reader("initial", self.scope)
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
            found = self.scope.find(node.name.name)
            return isinstance(found, FunctionName) and isinstance(found.type.result, t.Struct)
        return reader.is_place(node) and isinstance(reader.locate(node).type, t.Struct)


def _not_initialised(kind: t.Type, node: c_ast.Node) -> UnsupportedConstruct:
    if isinstance(kind, t.Unmodelled) and kind.name in t.FLOATING:
        return UnsupportedConstruct(
            f"a floating-point number ({kind}) is not modelled", where=place_of(node), hint=NO_FLOATING
        )
    return UnsupportedConstruct(f"initialising {kind} with this is not modelled", where=place_of(node))


def members(kind: t.Struct) -> list[str]:
    """That an initialiser can set: of a union the first."""
    names = [
        name
        for name, one in (kind.fields or {}).items()
        if not name.startswith("<") or isinstance(one, t.Struct)
    ]
    return names[:1] if kind.is_union else names


@dataclass(frozen=True, slots=True)
class Jump:
    """A `goto`: from where, and what was there."""

    start: int | None
    node: c_ast.Goto
    scope: Scope
    existing: tuple[tuple[Object, c_ast.Decl], ...]


class Statements:
    """The body of one function."""

    def __init__(self, lowering: Lowering, definition: Definition) -> None:
        self.lowering, self.definition = lowering, definition
        self.name = definition.name
        self.graph = Graph(definition.name.name)
        self.reader = Expressions(lowering.known, self.graph, lowering.types)
        self.reader.run_statement = self._statement_expression
        self.scope = self.reader.scope = Scope(definition.scope)
        self.labels: dict[str, int] = {}
        self.defined_labels: set[str] = set()
        # Variables that exist where a run is, those of blocks around it first; of labels too, and of jumps.
        self.existing: list[tuple[Object, c_ast.Decl]] = []
        self.existing_at: dict[str, tuple[tuple[Object, c_ast.Decl], ...]] = {}
        self.scopes_of_labels: dict[str, Scope] = {}
        self.jumps: list[Jump] = []
        self.existing_in_switch: list[tuple[tuple[Object, c_ast.Decl], ...]] = []
        self.breaks: list[tuple[int, Scope]] = []
        self.continues: list[tuple[int, Scope]] = []
        self.cases: list[list[tuple[Numbers | None, int, Place]]] = []
        self.switched: list[t.Integer] = []
        self.result: Term | None = None
        self.count = 0
        self.all_living: list[Term] = []  # addresses of locals
        ends_lifetimes = "bounds" in lowering.known.checks
        self.leaving = self.graph.location() if ends_lifetimes else self.graph.exit

    def procedure(self) -> Procedure:
        kind = self.name.type.result
        if isinstance(kind, t.Integer | t.Pointer):
            self.result = self.graph.local("result", bv.Bits(width_of(kind)))
        elif not isinstance(kind, t.Void | t.Struct):
            raise self.reader.refuse(self.definition.node.decl, f"a function that returns {kind}")
        parameters = tuple(self._parameters())
        place = self.reader.place(self.definition.node.decl)
        if self.result is not None:
            self.graph.choose(self.result, "what a function returns without saying so", place, is_input=False)
        body = self.definition.node.body
        self._block(body)
        if self.name.name == "main" and self.result is not None:
            self.graph.assign(self.result, bv.constant(0, self.result.width), place)
        self.graph.jump(self.leaving, place)
        if self.leaving != self.graph.exit:
            self.graph.here = self.leaving
            self._end_lifetimes(self.all_living, place)
            self.graph.jump(self.graph.exit, place)
        missing = set(self.labels) - self.defined_labels
        if missing:
            raise self.reader.refuse(body, f"the label '{min(missing)}'")
        for jump in self.jumps:
            self._draw(jump)
        self.lowering.known.effects[self.name.name] = self.reader.effects
        return self.graph.procedure(parameters, self.result)

    def _parameters(self) -> Iterator[Term]:
        node = self.definition.node.decl.type
        if self.definition.node.param_decls:
            raise self.reader.refuse(node, "a function in the style of K&R", "write the types into the list")
        given = [] if node.args is None else node.args.params
        position = 0
        for one in given:
            if isinstance(one, c_ast.EllipsisParam):
                continue
            kind = self.lowering.types.parameter(one, self.scope)
            if isinstance(kind, t.Void):
                continue
            if not isinstance(kind, t.Integer | t.Pointer | t.Struct):
                raise self.reader.refuse(one, f"a parameter of type {kind}")
            name = getattr(one, "name", None) or f"unnamed{self.count}"
            key = ("parameter", self.name.name, position)
            position += 1
            if self.name.name == "main" and isinstance(kind, t.Pointer):
                self.lowering.memory.is_from_outside(self.lowering.memory.region("variable", key, ()))
            if holds_union(kind):
                yield from self._bytes_of_parameter(name, kind, one, key)
                continue
            if key not in self.lowering.memory.addressed:
                yield from self._object(name, kind, one, key).terms.values()
                continue
            self.count += 1
            given_here = Object(f"{name}#{self.count}", kind, key)
            given_here.is_made_of_variables(self.graph.local)
            yield from given_here.terms.values()
            found = self._object(name, kind, one, key)
            place = self.reader.place_of_object(found)
            if isinstance(kind, t.Struct):
                self.reader.copy(place, Located(given_here, kind), one)
            else:
                self.reader.write(place, self.reader.read(Located(given_here, kind), one), one)

    def _bytes_of_parameter(self, name: str, kind: t.Type, node: Any, key: Hashable) -> list[Term]:
        found = self._object(name, kind, node, key)
        sort = bv.Bits(8)
        size = self.reader.size(kind, node)
        cells = [self.graph.local(f"{found.name}.{number}", sort) for number in range(size)]
        place = self.reader.place_of_object(found)
        assert not isinstance(place, Located)
        self.reader.set_cells(place, cells, node)
        return cells

    def _object(self, name: str, kind: t.Type, node: Any, key: Hashable) -> Object:
        self.count += 1
        found = Object(f"{name}#{self.count}", kind, key)
        memory = self.lowering.memory
        if key in memory.addressed or holds_union(kind):
            region = memory.region("object", key)
            memory.is_used_as(region, kind)
            found.is_in_memory(self.graph.address(found.name), region)
            self._begin_lifetime(found, node)
        else:
            try:
                found.is_made_of_variables(self.graph.local)
            except UnsupportedConstruct as problem:
                raise UnsupportedConstruct(problem.message, where=self.reader.place(node)) from None
        called = VariableName(name, (0, 0) if OF_A_WRAPPER.fullmatch(name) else position_of(node))
        for path, term in found.terms.items():
            self.graph.names[term] = replace(called, name=".".join((name, *path)))
        if found.address is not None:
            self.lowering.in_memory.append((found, found.address, called, self.graph.names))
        self.scope.names[name] = found
        return found

    def _begin_lifetime(self, found: Object, node: Any) -> None:
        if "bounds" in self.lowering.known.checks:
            assert found.address is not None
            size = bv.constant(self.reader.size(found.type, node) + 1, 32)
            sizes = bv.store(SIZES, number_of(found.address), size)
            self.graph.assign(SIZES, sizes, self.reader.place(node))
            self.reader.effects.writes.add(SIZES)
            self._lives(found.address)

    def _lives(self, address: Term) -> None:
        self.scope.living.append(address)
        self.all_living.append(address)

    def _end_lifetimes(self, living: Sequence[Term], place: Place) -> None:
        if living:
            sizes: Term = SIZES
            for address in living:
                sizes = bv.store(sizes, number_of(address), bv.constant(0, 32))
            self.graph.assign(SIZES, sizes, place)
            self.reader.effects.writes.add(SIZES)

    def _enter(self) -> int:
        """A block; answers what `_leave` is to be told."""
        self.scope = self.reader.scope = Scope(self.scope)
        return len(self.existing)

    def _leave(self, existing: int, node: Any) -> None:
        self._end_lifetimes(self.scope.living, self.reader.place(node))
        assert self.scope.outer is not None
        self.scope = self.reader.scope = self.scope.outer
        del self.existing[existing:]

    def _jump_out(self, target: tuple[int, Scope], node: Any, text: str) -> None:
        location, outer = target
        self._end_lifetimes(_living_within(self.scope, [outer]), self.reader.place(node))
        self.graph.jump(location, self.reader.place(node), text)

    def _draw(self, jump: Jump) -> None:
        """Where labels are, is known when all was read."""
        label, place = jump.node.name, self.reader.place(jump.node)
        self.graph.here = jump.start
        around: Scope | None = self.scopes_of_labels[label]
        outer = []
        while around is not None:
            outer.append(around)
            around = around.outer
        self._end_lifetimes(_living_within(jump.scope, outer), place)
        self._enter_scopes(jump.existing, self.existing_at[label], jump.node)
        self.graph.jump(self.labels[label], place, f"goto {label}")

    # --- statements ---

    def run(self, node: c_ast.Node | None) -> None:
        if node is None:
            return
        read = getattr(self, "_" + type(node).__name__, None)
        if read is not None:
            read(node)
        else:
            self.reader.value(node)  # an expression, or refused

    def _block(self, node: c_ast.Compound) -> None:
        existing = self._enter()
        for one in node.block_items or ():
            self.run(one)
        self._leave(existing, node)

    def _enter_scopes(
        self,
        before: tuple[tuple[Object, c_ast.Decl], ...],
        after: tuple[tuple[Object, c_ast.Decl], ...],
        node: c_ast.Node,
    ) -> None:
        """A jump over declarations: their variables are new, and hold anything (C11 6.2.4)."""
        for found, declared in after:
            if any(found is one for one, _ in before):
                continue
            if found.address is not None and not is_small(found.type):
                raise self.reader.refuse(node, f"a jump over the declaration of '{declared.name}'")
            if found.address is not None:
                self._begin_lifetime(found, declared)
            self._set_to_anything(found, declared)

    def _statement_expression(self, node: c_ast.Node) -> Value | None:
        """`({ ...; value; })`"""
        assert isinstance(node, c_ast.Compound)
        existing = self._enter()
        value: Value | None = None
        items = node.block_items or []
        for one in items[:-1]:
            self.run(one)
        if items:
            last = items[-1]
            is_expression = getattr(self, "_" + type(last).__name__, None) is None
            if is_expression:
                value = self.reader.value(last)
            else:
                self.run(last)
        self._leave(existing, node)
        return value

    def _Compound(self, node: c_ast.Compound) -> None:  # noqa: N802
        self._block(node)

    def _EmptyStatement(self, node: c_ast.EmptyStatement) -> None:  # noqa: N802
        pass

    def _Pragma(self, node: c_ast.Pragma) -> None:  # noqa: N802
        pass

    def _StaticAssert(self, node: c_ast.StaticAssert) -> None:  # noqa: N802
        pass

    def _Typedef(self, node: c_ast.Typedef) -> None:  # noqa: N802
        self.scope.names[node.name] = TypeName(self.lowering.types.of(node.type, self.scope))

    def _DeclList(self, node: c_ast.DeclList) -> None:  # noqa: N802
        for one in node.decls:
            self.run(one)

    def _Decl(self, node: c_ast.Decl) -> None:  # noqa: N802
        if "static" in node.storage or "extern" in node.storage:
            number = self.name.name.rpartition("@")[2]
            self.lowering.declare(
                node, self.scope, int(number) if number.isdigit() else 0, self.definition.node.decl.name
            )
            return
        is_array = isinstance(node.type, c_ast.ArrayDecl) and node.type.dim is not None
        if is_array and node.init is None and not self._is_constant(node.type):
            self._array_of_any_length(node)
            return
        is_tag = isinstance(node.type, c_ast.Struct | c_ast.Union) and node.type.decls is None
        is_new = node.name is None and is_tag and node.type.name not in self.scope.tags
        if is_new and self.scope.find_tag(node.type.name) is not None:
            raise self.reader.refuse(node, f"'{node.type.name}', which hides an outer one,")
        kind = self.lowering.types.of(node.type, self.scope)
        if node.name is None:
            return
        if isinstance(kind, t.Function):
            outer = self.scope.find(node.name)
            self.scope.names[node.name] = (
                outer if isinstance(outer, FunctionName) else FunctionName(node.name, kind)
            )
            return
        if isinstance(kind, t.ArrayOf) and kind.length is None and node.init is not None:
            kind = t.ArrayOf(kind.element, self.lowering.length(kind, node.init, self.scope))
        found = self._object(node.name, kind, node, id(node))
        self.existing.append((found, node))
        if node.init is None:
            self._set_to_anything(found, node)
            return
        if isinstance(kind, t.Struct) and not isinstance(node.init, c_ast.InitList):
            source = self.reader.assigned(node.init)
            if isinstance(source, Value):
                raise self.reader.refuse(node, f"initialising {found.type} with this")
            self.reader.copy(self.reader.place_of_object(found), source, node)
            return
        if not isinstance(kind, t.Integer | t.Pointer):
            self._set_to_zero(found, node)
        for steps, target, one in self.lowering.initialisers(kind, node.init, self.scope):
            place = walked(self.reader, found, steps)
            if isinstance(one, int):
                self.reader.write(place, Value(bv.constant(one, 8), target), node)
            elif isinstance(target, t.Struct):
                source = self.reader.assigned(one)
                assert not isinstance(source, Value)
                self.reader.copy(place, source, node)
            else:
                value = self.reader.adapted(self.reader.value(one), target, node)
                self.reader.write(place, value, node)

    def _set_to_zero(self, found: Object, node: c_ast.Decl) -> None:
        place, text = self.reader.place(node), self.reader.text(node)
        if found.address is None:
            for leaf in found.leaves:
                term, zero = found.terms[leaf.path], bv.constant(0, width_of(leaf.type))
                empty = bv.constant_array(term.sort, zero) if isinstance(term.sort, bv.Array) else zero
                self.graph.assign(term, empty, place, text)
            return
        whole = self.reader.place_of_object(found)
        values: dict[Term, Term] = {}
        for one in self.reader.scalars(whole, node):
            assert isinstance(one.type, t.Integer | t.Pointer)
            nothing = Value(bv.constant(0, width_of(one.type)), one.type)
            name, new = self.reader.stored(one, nothing, node, values)
            values[name] = new
        self.graph.act(Assign(tuple(values.items())), place, text)

    def _set_to_anything(self, found: Object, node: c_ast.Decl) -> None:
        """Memory that nobody has set holds anything, and something else the next time."""
        place, memory = self.reader.place(node), self.lowering.memory
        if found.address is None:
            for term in found.terms.values():
                self.graph.choose(term, node.name, place, is_input=False)
            return
        assert found.region is not None
        whole = self.reader.place_of_object(found)
        few = list(islice(self.reader.scalars(whole, node), MOST_CHOSEN + 1)) if is_small(found.type) else []
        if is_small(found.type) and len(few) <= MOST_CHOSEN:
            for one in few:
                assert isinstance(one.type, t.Integer | t.Pointer)
                width = width_of(one.type)
                chosen = self.graph.temporary(bv.Bits(width), "memory")
                self.graph.choose(chosen, node.name, place, is_input=False)
                self.reader.write(one, Value(chosen, one.type), node)
            return
        memory.starts_with_anything(found.region)
        is_once = self.name.name == "main" and not self.continues and not self.defined_labels
        if not is_once:
            found.address = self._new_address(found, node)
            if "bounds" in self.lowering.known.checks:
                self._lives(found.address)

    def _new_address(self, found: Object, node: c_ast.Decl) -> Term:
        """An object that is another one each time, so that nothing is known of what it holds."""
        address = self.graph.local(f"{found.name}.address", bv.Bits(POINTER_BITS))
        size = self.reader.size(found.type, node)
        made = library.new_object(self.reader, bv.constant(size, 64), node)
        self.graph.assign(address, made, self.reader.place(node))
        return address

    def _is_constant(self, node: c_ast.Node) -> bool:
        """Whether the lengths of an array are known."""
        while isinstance(node, c_ast.ArrayDecl):
            try:
                self.lowering.constant(node.dim, self.scope)
            except UnsupportedConstruct:
                return False
            node = node.type
        return True

    def _array_of_any_length(self, node: c_ast.Decl) -> None:
        """`int a[n];`"""
        reader, memory, place = self.reader, self.lowering.memory, self.reader.place(node)
        self.count += 1
        kind = self._computed(node.type, node, f"{node.name}#{self.count}")
        element: t.Type = kind
        while isinstance(element, t.ArrayOf):
            element = element.element
        found = Object(f"{node.name}#{self.count}", kind, id(node))
        region = memory.region("object", found.key)
        memory.is_used_as(region, element)
        memory.starts_with_anything(region)
        # In 256 bits the product is exact.
        size = bv.constant(reader.size(element, node), 256)
        inner: t.Type = kind
        while isinstance(inner, t.ArrayOf):
            count = inner.count if inner.count is not None else bv.constant(inner.length or 0, 64)
            size = bv.arithmetic("bvmul", size, bv.extended(count, 256, is_signed=False))
            inner = inner.element
        fits = bv.compare("bvule", size, bv.constant(LARGEST, 256))
        if isinstance(kind.element, t.ArrayOf):
            failure = Failure(UNWINDING, f"{node.name} has more bytes than are modelled", place)
            self.graph.require(fits, failure, reader.text(node))
        else:
            self.graph.act(Assume(fits), place, reader.text(node))
        made = library.new_object(reader, bv.extract(63, 0, size), node)
        address = self.graph.local(f"{found.name}.address", bv.Bits(POINTER_BITS))
        self.graph.assign(address, made, place)
        found.is_in_memory(address, region)
        if "bounds" in self.lowering.known.checks:
            self._lives(address)
        self.scope.names[node.name] = found

    def _computed(self, declared: c_ast.Node, node: c_ast.Decl, name: str) -> t.ArrayOf:
        """The type of an array, with lengths that are kept in variables."""
        reader = self.reader
        length = reader.value(declared.dim)
        if not isinstance(length.type, t.Integer):
            raise reader.refuse(node, "an array of this length")
        term = bv.resized(length.term, 64, is_signed=length.type.signed)
        count = self.graph.local(f"{name}.length{len(self.graph.locals)}", bv.Bits(64))
        self.graph.assign(count, term, reader.place(node))
        if isinstance(declared.type, c_ast.ArrayDecl):
            element: t.Type = self._computed(declared.type, node, name)
        else:
            element = self.lowering.types.of(declared.type, self.scope)
        is_positive = bv.compare("bvslt", bv.constant(0, 64), count)
        if "bounds" in self.lowering.known.checks:
            reader.require(is_positive, "bounds", f"a length of {node.name} is not positive", node)
        else:
            self.graph.act(Assume(is_positive), reader.place(node), reader.text(node))
        return t.ArrayOf(element, None, count)

    def _If(self, node: c_ast.If) -> None:  # noqa: N802
        place = self.reader.place(node)
        condition = self.reader.condition(node.cond)
        yes, no, after = self.graph.location(), self.graph.location(), self.graph.location()
        self.graph.branch(condition, yes, no, place, self.reader.text(node.cond))
        for start, body in ((yes, node.iftrue), (no, node.iffalse)):
            self.graph.here = start
            self.run(body)
            self.graph.jump(after, place)
        self.graph.here = after

    def _loop(self, body: c_ast.Node | None, after: int, again: int) -> None:
        self.breaks.append((after, self.scope))
        self.continues.append((again, self.scope))
        self.run(body)
        self.breaks.pop()
        self.continues.pop()

    def _While(self, node: c_ast.While) -> None:  # noqa: N802
        place = self.reader.place(node)
        head, body, after = self.graph.point(place), self.graph.location(), self.graph.location()
        self.graph.jump(head, place)
        self.graph.here = head
        condition = self.reader.condition(node.cond)
        self.graph.branch(condition, body, after, place, self.reader.text(node.cond))
        self.graph.here = body
        self._loop(node.stmt, after, head)
        self.graph.jump(head, place)
        self.graph.here = after

    def _DoWhile(self, node: c_ast.DoWhile) -> None:  # noqa: N802
        place = self.reader.place(node)
        head, test, after = self.graph.point(place), self.graph.location(), self.graph.location()
        self.graph.jump(head, place)
        self.graph.here = head
        self._loop(node.stmt, after, test)
        self.graph.jump(test, place)
        self.graph.here = test
        condition = self.reader.condition(node.cond)
        self.graph.branch(condition, head, after, place, self.reader.text(node.cond))
        self.graph.here = after

    def _For(self, node: c_ast.For) -> None:  # noqa: N802
        place = self.reader.place(node)
        existing = self._enter()
        self.run(node.init)
        head = self.graph.point(place)
        body, following, after = (self.graph.location() for _ in range(3))
        self.graph.jump(head, place)
        self.graph.here = head
        condition = bv.TRUE if node.cond is None else self.reader.condition(node.cond)
        text = "" if node.cond is None else self.reader.text(node.cond)
        self.graph.branch(condition, body, after, place, text)
        self.graph.here = body
        self._loop(node.stmt, after, following)
        self.graph.jump(following, place)
        self.graph.here = following
        if node.next is not None:
            self.reader.value(node.next)
        self.graph.jump(head, place)
        self.graph.here = after
        self._leave(existing, node)

    def _Break(self, node: c_ast.Break) -> None:  # noqa: N802
        self._jump_out(self.breaks[-1], node, "break")

    def _Continue(self, node: c_ast.Continue) -> None:  # noqa: N802
        self._jump_out(self.continues[-1], node, "continue")

    def _Return(self, node: c_ast.Return) -> None:  # noqa: N802
        place, text = self.reader.place(node), self.reader.text(node)
        kind = self.name.type.result
        if node.expr is not None:
            value = self.reader.assigned(node.expr)
            if isinstance(kind, t.Struct) and not isinstance(value, Value):
                target = self.lowering.known.returned_object(self.name.name, kind)
                self.reader.copy(self.reader.place_of_object(target), value, node)
            elif self.result is not None and isinstance(value, Value):
                adapted = self.reader.adapted(value, kind, node)
                if isinstance(kind, t.Pointer):
                    memory = self.lowering.memory
                    memory.unify(memory.region("result", self.name.name), adapted.points)
                self.graph.assign(self.result, adapted.term, place, text)
        self.graph.jump(self.leaving, place, text)

    def _Goto(self, node: c_ast.Goto) -> None:  # noqa: N802
        """Drawn when it is known which variables exist at the label."""
        if node.name not in self.labels:
            self.labels[node.name] = self.graph.location()
        self.jumps.append(Jump(self.graph.here, node, self.scope, tuple(self.existing)))
        self.graph.here = None

    def _Label(self, node: c_ast.Label) -> None:  # noqa: N802
        target = self.labels.get(node.name)
        if target is None:
            target = self.labels[node.name] = self.graph.location()
        self.defined_labels.add(node.name)
        self.scopes_of_labels[node.name] = self.scope
        self.existing_at[node.name] = tuple(self.existing)
        place = self.reader.place(node)
        self.graph.points[target] = (place.line, place.column)
        self.graph.jump(target, self.reader.place(node))
        self.graph.here = target
        self.run(node.stmt)

    def _Switch(self, node: c_ast.Switch) -> None:  # noqa: N802
        place, text = self.reader.place(node), self.reader.text(node.cond)
        value = self.reader.value(node.cond)
        if not isinstance(value.type, t.Integer):
            raise self.reader.refuse(node, f"switch of {value.type}")
        kind = t.promoted(value.type)
        chosen = self.graph.temporary(bv.Bits(kind.width), "switch")
        self.graph.assign(chosen, self.reader.converted(value, kind, node), place, text)
        start, after = self.graph.here, self.graph.location()
        self.graph.here = None
        self.cases.append([])
        self.switched.append(kind)
        self.existing_in_switch.append(tuple(self.existing))
        self.breaks.append((after, self.scope))
        self.run(node.stmt)
        self.breaks.pop()
        self.switched.pop()
        self.existing_in_switch.pop()
        cases = self.cases.pop()
        self.graph.jump(after, place)
        self._dispatch(start, chosen, cases, after, place, text)
        self.graph.here = after

    def _dispatch(
        self,
        start: int | None,
        chosen: Term,
        cases: list[tuple[Numbers | None, int, Place]],
        after: int,
        place: Place,
        text: str,
    ) -> None:
        if start is None:
            return
        others = after
        tests = []
        for numbers, target, where in cases:
            if numbers is None:
                others = target
                continue
            test = numbers.contain(chosen)
            tests.append(test)
            self.graph.edges.append(Edge(start, target, Assume(test), where, f"({text}) {numbers}"))
        otherwise = bv.all_of(bv.negated(test) for test in tests)
        self.graph.edges.append(Edge(start, others, Assume(otherwise), place, f"({text}) is none of them"))

    def _case(self, number: Numbers | None, node: c_ast.Node) -> None:
        if not self.cases:
            raise self.reader.refuse(node, "a case outside of a switch")
        start, target = self.graph.location(), self.graph.location()
        self.cases[-1].append((number, start, self.reader.place(node)))
        self.graph.jump(target, self.reader.place(node))
        self.graph.here = start
        self._enter_scopes(self.existing_in_switch[-1], tuple(self.existing), node)
        self.graph.jump(target, self.reader.place(node))
        self.graph.here = target
        for one in node.stmts or ():
            self.run(one)

    def _Case(self, node: c_ast.Case) -> None:  # noqa: N802
        kind = self.switched[-1]
        if not isinstance(node.expr, c_ast.BinaryOp) or node.expr.op != RANGE:
            number = bv.constant(self.lowering.constant(node.expr, self.scope), kind.width).value
            self._case(Numbers(number, number, kind.signed), node)
            return
        ends = [self.lowering.constant(one, self.scope) for one in (node.expr.left, node.expr.right)]
        least = -(1 << kind.width - 1) if kind.signed else 0
        if not all(least <= one < least + (1 << kind.width) for one in ends):
            raise self.reader.refuse(node, f"a range of numbers that are no {kind}")
        first, last = (bv.constant(one, kind.width).value for one in ends)
        self._case(Numbers(first, last, kind.signed), node)

    def _Default(self, node: c_ast.Default) -> None:  # noqa: N802
        self._case(None, node)
