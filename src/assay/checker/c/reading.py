"""What a program does: one graph of it, in which every call is a copy of the function that is called.

Written from docs/formats/c-proofs.md. Expressions become terms over the variables of the program; what an
expression does besides is drawn when it is met, operands from left to right. C leaves their order open, so a
program in which it matters is refused. Pointers that are passed to a function which does not change them are
references; what others point to is in `memory`. Which objects are there is found out by trying: where an
address is needed of one that is not, the program is read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from assay.checker.c import terms as tm
from assay.checker.c import types as ty
from assay.checker.c.graph import Failure, Graph
from assay.checker.c.lexer import OF_THE_LINKER
from assay.checker.c.memory import (
    FIRST_FROM_OUTSIDE,
    FIRST_ON_THE_HEAP,
    HALF,
    LIFE_BITS,
    MOST_CELLS,
    MOST_UNKNOWN,
    Addressed,
    Memory,
    moved,
    object_of,
)
from assay.checker.c.problems import CannotCheck, NoProof
from assay.checker.c.syntax import Node
from assay.checker.c.terms import Term
from assay.checker.records import dataclass, field, replace

INDEX_BITS = 32
MOST_ELEMENTS = 1 << 24
MOST_INITIAL = 1 << 16
MOST_SCALARS = 1 << 14  # of a struct
MOST_DEPTH = 400  # of calls in calls
Path = tuple[tuple[int, int, str], ...]
REAL = "__real"
OF_A_WRAPPER = re.compile(r"__(result|\d+)")


@dataclass(frozen=True)
class Value:
    term: Term
    type: ty.Type
    truth: Term | None = None  # of an int that is 1 where this holds, and else 0
    pointer: Term | None = None  # of an integer that was made of one and has room for it: that one


class Object:
    """Has variables, or is in memory at an address. `key` is known of those that somebody declared. What a
    pointer points to may be nothing: it `may_be_null`."""

    def __init__(
        self,
        kind: ty.Type,
        variables: dict[tuple[str, ...], tuple[ty.Leaf, Term]],
        key: object = None,
        address: Term | None = None,
        *,
        may_be_null: bool = False,
    ) -> None:
        self.type, self.variables, self.key, self.address = kind, variables, key, address
        self.may_be_null = may_be_null
        self.life: Term | None = None  # which of its lives it is in, where bounds are checked


@dataclass(frozen=True)
class Place:
    """A part of an object."""

    object: Object
    type: ty.Type
    path: tuple[str, ...] = ()
    indexes: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Reference:
    """What a pointer that is passed points to: a place, or an element of an array from which it may be moved.

    A parameter that is never changed is just another name of that."""

    place: Place
    base: Term | None = None  # `place` is the array, and this the position in it

    @property
    def type(self) -> ty.Type:
        if self.base is None:
            return self.place.type
        assert isinstance(self.place.type, ty.Array)
        return self.place.type.of


@dataclass(frozen=True)
class Enumerator:
    value: int


@dataclass(frozen=True)
class TypeName:
    type: ty.Type


@dataclass(frozen=True)
class FunctionName:
    """`name` is one for all files: a static function has `@` and the number of its file behind it."""

    name: str
    type: ty.Function


class GlobalName:
    """An object of a file, or of all; its variables are made when somebody needs them. `key` is its own,
    which `name` need not be: a static variable of the first file is called as it is there."""

    def __init__(self, name: str, kind: ty.Type, key: tuple[str, ...], *, is_defined: bool) -> None:
        self.name, self.type, self.key, self.is_defined = name, kind, key, is_defined
        self.made: Object | None = None


Steps = tuple[str | int, ...]


class Given:
    """Initial values, in their order. What a part was given before is gone when it is given something as a
    whole, gcc drops a struct of which a part is given once more, and of two members of a union the last one
    counts: none of that is read."""

    def __init__(self) -> None:
        self.all: list[tuple[Steps, ty.Type, Any]] = []
        self._inside: set[Steps] = set()  # of which there are values
        self._numbers: set[Steps] = set()
        self._copied: set[Steps] = set()

    def begin(self, steps: Steps, node: Node) -> None:
        """What follows is all of this part."""
        if steps in self._inside or any(steps[:size] in self._copied for size in range(len(steps))):
            raise CannotCheck("an initial value in the place of others", node.line, node.column)

    def add(self, steps: Steps, kind: ty.Type, value: Any, node: Node) -> None:
        if len(self.all) >= MOST_INITIAL:
            raise CannotCheck(f"more than {MOST_INITIAL} initial values", node.line, node.column)
        is_number = isinstance(value, Node) and value.kind in ("number", "character")
        if not (is_number and steps in self._numbers):
            self.begin(steps, node)
        if is_number:
            self._numbers.add(steps)
        if isinstance(kind, ty.Struct):
            self._copied.add(steps)
        self._inside.update(steps[:size] for size in range(len(steps) + 1))
        self.all.append((steps, kind, value))


class Scope:
    def __init__(self, outer: Scope | None) -> None:
        self.outer = outer
        self.names: dict[str, Any] = {}
        self.tags: dict[str, ty.Type] = {}

    def find(self, name: str) -> Any:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def find_tag(self, tag: str) -> ty.Type | None:
        scope: Scope | None = self
        while scope is not None:
            if tag in scope.tags:
                return scope.tags[tag]
            scope = scope.outer
        return None


@dataclass
class Effects:
    """Of an operand; `own` are writes that no call made."""

    reads: set[Term] = field(default_factory=set)
    writes: set[Term] = field(default_factory=set)
    own: set[Term] = field(default_factory=set)


class Frame:
    """A copy of a function that is being drawn."""

    def __init__(self, name: str, path: Path, scope: Scope) -> None:
        self.name, self.path, self.scope = name, path, scope
        self.result: Term | Object | None = None
        self.type: ty.Type = ty.VOID
        self.leaving = 0
        self.labels: dict[str, int] = {}
        self.sees: list[Object] = []  # those that exist here
        self.given: list[Object] = []  # parameters in memory
        self.label_sees: dict[str, tuple[Object, ...]] = {}
        self.gotos: list[tuple[int | None, tuple[Object, ...], Node]] = []  # from where; drawn at the end
        self.breaks: list[int] = []
        self.continues: list[int] = []
        self.switches: list[Switch] = []


@dataclass
class Switch:
    type: ty.Int
    sees: tuple[Object, ...]
    cases: list[tuple[tuple[int, int] | None, int]] = field(default_factory=list)  # from, to; None: others


class Twice:
    """Stands for what two things are called."""


TWICE = Twice()


# In a format: with what `printf` of glibc takes between the sign and the letter.
STORES = re.compile(r"%[^%a-zA-Z]*(?:[hlqjzZtLIw][^%a-zA-Z]*)*n")
MAIN = "main"
STATIC = "@"  # and the number of a file: behind the name of what is static there
POINTERS = "pointers"  # among keys of objects
FUNCTION = "function"  # begins the key of one whose address is taken


@dataclass(frozen=True)
class Spoken:
    """What a contract speaks of: a function's arguments, scalar by scalar, and its result."""

    arguments: tuple[tuple[Term, ...], ...]
    result: Term | None


@dataclass(frozen=True)
class Demand:
    """A half of a contract where it is assumed or has to hold. `name` stands for it in the graph until the
    contract is known; `means` is what the contract's names are there."""

    name: Term
    function: str
    is_before: bool
    means: Mapping[Term, Term]


@dataclass(frozen=True)
class File:
    """`name` is empty if there is no other."""

    number: int
    name: str
    tree: Sequence[Node]
    scope: Scope


class Program:
    """Files that are linked. `variables` and `points` are by the names that certificates use.

    `graphs` are that of `main`, in which every call is a copy of what is called, and those of functions with
    contracts, which are not copied: a call of them demands what holds before, changes what they may change
    and assumes what they leave. Only a drawing says what that is, so there are two then."""

    def __init__(
        self,
        trees: Mapping[str, Sequence[Node]],
        model: str,
        checks: Sequence[str],
        recursion: int,
        contracts: Sequence[str] = (),
        addressed: Collection[object] = (),
    ) -> None:
        self.long_bits = self.pointer_bits = 64 if model == "LP64" else 32
        self.checks, self.recursion = frozenset(checks), recursion
        self.has_bounds = "bounds" in self.checks
        self.memory = Memory(self.pointer_bits, has_bounds=self.has_bounds)
        self.sizes: dict[int, int] = {}  # of objects that live as long as the program, by their numbers
        self.addressed = addressed  # keys of objects that are in memory; POINTERS if memory is used at all
        self.literals: dict[int, Term] = {}
        self.texts: list[list[int]] = []  # with their ends
        self.functions: dict[str, Term] = {}  # addresses
        self.has_heap = self.has_foreign_pointers = False
        self.left_open: CannotCheck | None = None  # what the graph may do and the program does not
        self.graph = Graph()
        self.graphs: dict[str, Graph] = {}
        self.contracts = tuple(contracts)
        self.spoken: dict[str, Spoken] = {}
        self.shared: dict[Term, tuple[Any, ...]] = {}  # variables of the file and static ones
        self.at_first: dict[Term, Term] = {}  # of these, how contracts call what they held at first
        self.touched: dict[str, Effects] = {}  # by functions with contracts, and those they call
        self.calls: dict[str, set[str]] = {}  # of functions with contracts, in each graph
        self.demands: list[Demand] = []
        self.initial: dict[Term, Term] = {}
        self.variables: dict[tuple[Any, ...], Term | Twice] = {}
        self.points: dict[tuple[Path, int, int], int | Twice] = {}
        self.copies: set[tuple[int, int]] = set()  # where bytes change at once, which others may do in rounds
        self.externals: set[str] = set()
        self.definitions: dict[str, Node] = {}
        self.types_of: dict[str, ty.Function] = {}
        self.statics: dict[int, Object] = {}
        self.external: dict[str, GlobalName] = {}
        self.homes: dict[str, File] = {}  # of functions
        self.paths: set[Path] = set()  # of all copies of functions
        self.frames: list[Frame] = []
        self.effects = Effects()
        self.count = 0
        # Nodes are known by their identity, so they are kept.
        self.files = [
            File(number, name if len(trees) > 1 else "", tree, Scope(None))
            for number, (name, tree) in enumerate(trees.items())
        ]
        self._given: list[tuple[GlobalName, Node, File]] = []  # with initial values
        self._draws: dict[int, bool] = {}
        self._changed: dict[tuple[int, str], bool] = {}
        if self.uses_memory:
            if contracts:
                raise CannotCheck("memory that pointers reach, beside contracts")
            self.initial[self.memory.heap] = tm.const(FIRST_ON_THE_HEAP, HALF)
            self.initial[self.memory.cells] = self.memory.first
            self.initial[self.memory.sizes] = tm.filled((HALF, HALF), tm.const(0, HALF))
        self.defined = {name for file in self.files for name in _defined_in(file.tree)}
        for file in self.files:
            with _within(file.name):
                self._read_file(file)
        for found, node, file in self._given:  # of functions, it is known now who is defined
            with _within(file.name):
                self._initialise_static(self._made(found), node, file.scope)
        self._make_defined()
        self._draw_all()

    @property
    def uses_memory(self) -> bool:
        return POINTERS in self.addressed

    # --- the file ---

    def _read_file(self, file: File) -> None:
        names = file.scope.names
        for node in file.tree:
            kind = self.type(node.type, file.scope)
            name = node.name
            if node.kind == "define":
                assert isinstance(kind, ty.Function)
                self._define(file, node, kind)
            elif name is None:
                continue
            elif "typedef" in node.storage:
                names[name] = TypeName(kind)
            elif isinstance(kind, ty.Function):
                before = names.get(name)
                if not isinstance(before, FunctionName) or before.type.parameters is None:
                    names[name] = FunctionName(self._linked(file, node), kind)
            else:
                self._global(file, node, kind)

    def _define(self, file: File, node: Node, kind: ty.Function) -> None:
        name = self._linked(file, node)
        if name in self.definitions:
            raise self.refuse(node, f"a second definition of '{node.name}'")
        file.scope.names[node.name] = FunctionName(name, kind)
        self.definitions[name], self.types_of[name], self.homes[name] = node, kind, file

    @staticmethod
    def _linked(file: File, node: Node) -> str:
        """What all files call a function. One that is declared again stays what it was (C11 6.2.2)."""
        before = file.scope.names.get(node.name)
        if isinstance(before, FunctionName):
            return before.name
        return f"{node.name}{STATIC}{file.number}" if "static" in node.storage else str(node.name)

    def _global(self, file: File, node: Node, kind: ty.Type) -> None:
        if isinstance(kind, ty.Array) and kind.length is None and node.init is not None:
            kind = ty.Array(kind.of, self._length(kind, node.init, file.scope))
        found = file.scope.names.get(node.name)
        if not isinstance(found, GlobalName):
            found = file.scope.names[node.name] = self._named_object(file, node, kind)
        if not ty.compatible(found.type, kind):
            raise self.refuse(node, f"'{node.name}' with two types")
        if isinstance(kind, ty.Array) and kind.length is not None:
            if found.made is not None and found.type != kind:
                raise self.refuse(node, f"'{node.name}' with two types")
            found.type = kind
        if node.init is not None:
            self._given.append((found, node, file))

    def _named_object(self, file: File, node: Node, kind: ty.Type) -> GlobalName:
        if "static" in node.storage:
            name = f"{node.name}{STATIC}{file.number}" if file.number else str(node.name)
            return GlobalName(name, kind, ("static", node.name, str(file.number)), is_defined=True)
        if node.name not in self.external:
            is_defined = node.name in self.defined
            self.external[node.name] = GlobalName(
                node.name, kind, ("external", node.name), is_defined=is_defined
            )
        return self.external[node.name]

    def _make_defined(self) -> None:
        for found in [one for file in self.files for one in file.scope.names.values()]:
            if isinstance(found, GlobalName) and found.is_defined:
                try:
                    self._made(found)
                except CannotCheck:  # refused where it is used
                    continue

    def _made(self, found: GlobalName) -> Object:
        if found.made is None:
            if not found.is_defined and OF_THE_LINKER.fullmatch(found.name):
                raise CannotCheck(f"'{found.name}', which the linker puts beside other variables,")
            found.made = self._object(found.type, found.name, lambda name: ("g", name), key=found.key)
            if found.is_defined:  # others have any value
                self._set_to_zero_at_start(found.made)
        return found.made

    def _set_to_zero_at_start(self, made: Object) -> None:
        if made.address is not None:
            cells, size = self.memory.cells, self.memory.size(made.type)
            self.initial[cells] = self.memory.zeros(size, made.address, self.initial[cells])
        for leaf, variable in made.variables.values():
            self.initial[variable] = _zero(variable, leaf)

    def _initialise_static(self, made: Object, node: Node, scope: Scope) -> None:
        with self._constant_reading(scope):
            for steps, kind, given in self._initialisers(made.type, node.init, scope):
                place = self._walked(made, steps)
                if isinstance(given, int):
                    term = tm.const(given, 8)
                elif isinstance(kind, ty.Int | ty.Pointer):
                    term = self.converted(self.value(given), kind, given).term
                else:
                    raise self.refuse(given, f"an initial value for {kind}")
                if term.value is None:
                    raise self.refuse(node, "an initial value that is no constant")
                if made.address is not None:
                    cells = self.memory.cells
                    self.initial[cells] = self._stored(place, self.initial[cells], term, node)
                    continue
                _, variable, index = self._variable(place, node)
                before = self.initial[variable]
                self.initial[variable] = term if index is None else tm.store(before, index, term)

    @contextmanager
    def _constant_reading(self, scope: Scope) -> Iterator[None]:
        """Nothing can be drawn: what would do something has no place for it."""
        graph, frames, effects = self.graph, self.frames, self.effects
        self.graph, self.frames, self.effects = Graph(), [Frame("", (), scope)], Effects()
        try:
            yield
            if self.graph.edges or self.graph.here != self.graph.entry:
                raise CannotCheck("a number is needed that is known before the program runs")
        finally:
            self.graph, self.frames, self.effects = graph, frames, effects

    def constant(self, node: Node, scope: Scope) -> int:
        with self._constant_reading(scope):
            found = self.value(node)
        if found.term.value is None or not isinstance(found.type, ty.Int):
            raise self.refuse(node, "a number that is not known before the program runs")
        return tm.signed(found.term.value, found.type.width) if found.type.is_signed else found.term.value

    @staticmethod
    def refuse(node: Node, what: str) -> CannotCheck:
        return CannotCheck(what, node.line, node.column)

    # --- types ---

    def type(self, node: Node, scope: Scope) -> ty.Type:
        kind = node.kind
        if kind == "base":
            found = ty.named(node.words, self.long_bits)
            if found is None:
                raise self.refuse(node, f"the type '{' '.join(node.words)}'")
            return found
        if kind == "named":
            entity = scope.find(node.name)
            if not isinstance(entity, TypeName):
                raise self.refuse(node, f"the type '{node.name}'")
            return entity.type
        if kind == "typeof":
            return self._typeof(node, scope)
        if kind == "volatile":
            inner = self.type(node.of, scope)
            return ty.Unmodelled(f"volatile {inner}", inner)
        if kind == "pointer":
            return ty.Pointer(self.type(node.of, scope))
        if kind == "array":
            length = None if node.length is None else self.constant(node.length, scope)
            if length is not None and length < 0:
                raise self.refuse(node, "an array of negative length")
            return ty.Array(self.type(node.of, scope), length)
        if kind == "function":
            return self._function_type(node, scope)
        if kind == "struct":
            return self._struct(node, scope)
        if kind == "enum":
            return self._enumeration(node, scope)
        return ty.Unmodelled(str(node.name))

    def _typeof(self, node: Node, scope: Scope) -> ty.Type:
        with self._constant_reading(scope):
            kind = self._type_of(node.value)
        inner = kind
        while isinstance(inner, ty.Array) and inner.length is not None:
            inner = inner.of
        if isinstance(inner, ty.Array):
            raise self.refuse(node, "'typeof' of an array whose length is not known here")
        return kind

    def _function_type(self, node: Node, scope: Scope) -> ty.Function:
        result = self.type(node.of, scope)
        if node.is_open:
            return ty.Function(result, None, False)
        kinds = tuple(self.parameter(one, scope) for one in node.parameters)
        if kinds == (ty.VOID,):
            kinds = ()
        return ty.Function(result, kinds, node.is_variadic)

    def parameter(self, node: Node, scope: Scope) -> ty.Type:
        if node.type.kind == "array":
            return ty.Pointer(self.type(node.type.of, scope))
        kind = self.type(node.type, scope)
        if isinstance(kind, ty.Array):
            return ty.Pointer(kind.of)
        return ty.Pointer(kind) if isinstance(kind, ty.Function) else kind

    def _struct(self, node: Node, scope: Scope) -> ty.Struct:
        found: ty.Type | None = None
        if node.tag is not None:
            found = scope.find_tag(node.tag) if node.fields is None else scope.tags.get(node.tag)
        if not isinstance(found, ty.Struct):
            name = node.tag or f"at {node.line}:{node.column}"
            found = ty.Struct(name, is_union=node.is_union, has_tag=node.tag is not None)
            if node.tag is not None:
                scope.tags[node.tag] = found
        if node.fields is not None and found.fields is None:
            fields: dict[str, ty.Type] = {}
            for position, one in enumerate(node.fields):
                kind = self.type(one.type, scope)
                if one.bits is not None:
                    if not isinstance(kind, ty.Int):
                        raise self.refuse(one, "a bit-field of this type")
                    kind = replace(kind, bits=self.constant(one.bits, scope))
                fields[one.name or f"<{position}>"] = kind
            found.is_altered = node.is_altered
            found.scalars = sum(map(ty.scalars_of, fields.values()))
            if found.scalars > MOST_SCALARS:
                raise self.refuse(node, f"a struct with more than {MOST_SCALARS} scalars")
            found.fields = fields
        return found

    def _enumeration(self, node: Node, scope: Scope) -> ty.Type:
        if node.items is None:
            known = scope.find_tag(node.tag)
            return known if isinstance(known, ty.Int | ty.Unmodelled) else ty.UNSIGNED
        following, least = 0, 0
        for one in node.items:
            value = following if one.value is None else self.constant(one.value, scope)
            if not -(1 << 31) <= value < 1 << 31:
                raise self.refuse(one, "an enumerator beyond int")
            scope.names[one.name] = Enumerator(value)
            following, least = value + 1, min(least, value)
        kind: ty.Type = ty.INT if least < 0 else ty.UNSIGNED
        if node.is_altered:
            kind = ty.Unmodelled("an enumeration with an attribute that changes it")
        if node.tag is not None:
            scope.tags[node.tag] = kind
        return kind

    def size(self, kind: ty.Type, node: Node) -> int:
        try:
            return ty.size_of(kind, self.pointer_bits)
        except CannotCheck as problem:
            raise self.refuse(node, str(problem)) from None

    # --- objects ---

    def _object(
        self,
        kind: ty.Type,
        name: str,
        called: Callable[[str], tuple[Any, ...] | None],
        *,
        key: object = None,
        is_local: bool = False,
    ) -> Object:
        if key is not None and ty.has_union(kind) and key not in self.addressed:
            raise Addressed(key)
        if key is not None and key in self.addressed:
            return self._in_memory(kind, name, called, key, is_local=is_local)
        found: dict[tuple[str, ...], tuple[ty.Leaf, Term]] = {}
        for leaf in ty.leaves(kind):
            width, elements = ty.width_of(leaf.type), 1
            for length in leaf.lengths:
                elements *= length
            if elements > MOST_ELEMENTS:
                raise CannotCheck(f"an array of more than {MOST_ELEMENTS} elements")
            sort: tm.Sort = (INDEX_BITS, width) if leaf.lengths else width
            whole = ".".join((name, *leaf.path))
            found[leaf.path] = (leaf, self._fresh(whole, sort))
            known = called(whole)
            if known is not None:
                self._call(known, found[leaf.path][1])
                if known[0] in ("g", "s"):
                    self.shared[found[leaf.path][1]] = known
        return Object(kind, found, key)

    def _in_memory(
        self,
        kind: ty.Type,
        name: str,
        called: Callable[[str], tuple[Any, ...] | None],
        key: object,
        *,
        is_local: bool,
    ) -> Object:
        """Its scalars have names, too, but for elements of arrays and where bytes may have two meanings."""
        size = self.memory.size(kind)  # is not too much
        made = Object(kind, {}, key)
        if is_local and self.has_bounds:
            made.life = self._fresh(f"{name}.life", LIFE_BITS)
            self.initial[made.life] = tm.const(0, LIFE_BITS)
            made.address = self.memory.address_in(made.life)
        else:
            made.address = self._lasting(size)
        if not ty.has_union(kind):
            for leaf in ty.leaves(kind):
                known = called(".".join((name, *leaf.path)))
                if known is not None and not leaf.lengths and not _is_bit_field(leaf.type):
                    place = self._walked(made, leaf.path)
                    address, _ = self._address(place)
                    self._call(known, self.memory.loaded(leaf.type, address, self.memory.cells, None))
        return made

    def _lasting(self, size: int) -> Term:
        found = self.memory.address()
        number = object_of(found).value
        assert number is not None
        self.sizes[number] = size
        return found

    def _begin_life(self, made: Object, node: Node) -> None:
        """Pointers to it that are left from before point to nothing."""
        if made.life is not None:
            last = tm.equal(made.life, tm.const(-1, LIFE_BITS))
            self.graph.require(tm.negate(last), self.failure("too many lives of an object", node))
            self.graph.set({made.life: tm.binary("bvadd", made.life, tm.const(1, LIFE_BITS))})

    # --- bounds ---

    def _limit(self, pointer: Term) -> Term:
        """One more than the bytes of the object to which it points, or 0 if there is none that lives. Local
        objects live where they can be named, here or in a function that is being run."""
        number = object_of(pointer)
        found = tm.select(self.memory.sizes, number)
        living = [one for frame in self.frames for one in (*frame.given, *frame.sees)]
        known = [(tm.const(at, HALF), size) for at, size in self.sizes.items()]
        known += [
            (object_of(one.address), self.memory.size(one.type))
            for one in living
            if one.address is not None and one.life is not None
        ]
        for at, size in known:
            found = tm.choice(tm.equal(number, at), tm.const(size + 1, HALF), found)
        return found

    def _is_within(self, pointer: Term, count: int) -> Term:
        """Whether so many bytes from there on are in an object that lives."""
        start = tm.extend(tm.extract(HALF - 1, 0, pointer), HALF + 2, is_signed=False)
        end = tm.binary("bvadd", start, tm.const(count, HALF + 2))
        return tm.compared("bvult", end, tm.extend(self._limit(pointer), HALF + 2, is_signed=False))

    def _require_within(self, pointer: Term, count: int, node: Node) -> None:
        self.effects.reads.add(self.memory.sizes)
        self.graph.require(self._is_within(pointer, count), self.failure("bounds", node))

    def _require_inside(self, pointer: Value, by: Term, node: Node) -> None:
        """A pointer may be moved by so many bytes, of 128 bits, if it stays in its object or at its end."""
        self.effects.reads.add(self.memory.sizes)
        start = tm.extend(tm.extract(HALF - 1, 0, pointer.term), 128, is_signed=False)
        limit = tm.extend(self._limit(pointer.term), 128, is_signed=False)
        inside = tm.compared("bvult", tm.binary("bvadd", start, by), limit)
        self.graph.require(inside, self.failure("bounds", node))

    # --- memory ---

    def _address(self, place: Place) -> tuple[Term, int]:
        """Of a place in an object that is in memory: members and indexes are found by its type. And how many
        bits behind it a bit-field begins."""
        found, kind, shift = place.object.address, place.object.type, 0
        assert found is not None
        members, indexes = list(place.path), list(place.indexes)
        while True:
            if isinstance(kind, ty.Struct) and members:
                name = members.pop(0)
                offset, shift = ty.offset_of(kind, name, self.pointer_bits)
                found, kind = moved(found, offset), (kind.fields or {})[name]
            elif isinstance(kind, ty.Array) and indexes:
                found, kind = self._moved_by(found, indexes.pop(0), kind.of), kind.of
            else:
                return found, shift

    def _moved_by(self, address: Term, index: Term, kind: ty.Type) -> Term:
        size = 1 if isinstance(kind, ty.Void | ty.Function) else ty.size_of(kind, self.pointer_bits)
        wide = tm.resize(index, ty.POINTER_BITS, is_signed=True)
        if wide.value is not None:
            return moved(address, wide.value * size)
        return tm.binary("bvadd", address, tm.binary("bvmul", wide, tm.const(size, ty.POINTER_BITS)))

    def address(self, place: Place, node: Node) -> Term:
        if place.object.address is None:
            if place.object.key is None:
                raise self.refuse(node, "the address of this")
            self._need_memory(place.object.key)
        return self._address(place)[0]

    def _formed(self, place: Place, node: Node) -> Term:
        """The address of a part of what a pointer points to. It is in an object, or nobody knows where it
        would be after a few more steps."""
        found = self.address(place, node)
        base = place.object.address
        is_part = place.object.may_be_null and base is not None and base.value != 0 and bool(place.path)
        if self.has_bounds and is_part:
            self.left_open = CannotCheck("the address of a member", node.line, node.column)
            self._require_within(found, 0, node)
        return found

    def _stored(self, place: Place, cells: Term, value: Term, node: Node) -> Term:
        assert isinstance(place.type, ty.Int | ty.Pointer)
        address = self.address(place, node)
        if isinstance(place.type, ty.Int) and place.type.bits is not None:
            shift = self._address(place)[1]
            return self.memory.stored_field(place.type, address, shift, cells, value)
        return self.memory.stored(place.type, address, cells, value)

    def _need_memory(self, key: object = POINTERS) -> None:
        if key not in self.addressed:
            raise Addressed(key)

    def pointer(self, given: Reference, node: Node) -> Value:
        """A reference as a value."""
        found = self._formed(given.place, node)
        if given.base is not None:
            found = self._moved_by(found, given.base, given.type)
        return Value(found, ty.Pointer(given.type))

    def _followed(self, value: Value, node: Node) -> Place:
        """What a pointer points to. Its address may be taken, whatever it is."""
        if not isinstance(value.type, ty.Pointer) or isinstance(value.type.of, ty.Function | ty.Void):
            raise self.refuse(node, f"what {value.type} points to")
        self._need_memory()
        return Place(Object(value.type.of, {}, None, value.term, may_be_null=True), value.type.of)

    def _touch(self, place: Place, node: Node) -> None:
        """A run that reads or writes what NULL points to ends; where bounds are checked, it fails, and so
        does one that is outside of all objects."""
        if not place.object.may_be_null:
            return
        assert place.object.address is not None
        if not self.has_bounds:
            self._require_some(place.object.address)
            return
        address, shift = self._address(place)
        bits = place.type.bits if isinstance(place.type, ty.Int) else None
        size = self.size(place.type, node) if bits is None else -(-(shift + bits) // 8)
        self._require_within(address, size, node)

    def _require_some(self, pointer: Term) -> None:
        self.graph.assume(tm.negate(tm.equal(pointer, tm.const(0, ty.POINTER_BITS))))

    def _unknown(self, width: int) -> Term:
        found = self._fresh("unknown", width)
        self.graph.choose(found)
        return found

    def _loaded(self, place: Place, node: Node) -> Term:
        assert isinstance(place.type, ty.Int | ty.Pointer)
        self._touch(place, node)
        cells = self.memory.cells
        self.effects.reads.add(cells)
        address = self.address(place, node)
        if isinstance(place.type, ty.Int) and place.type.bits is not None:
            return self.memory.loaded_field(place.type, address, self._address(place)[1], cells)
        return self.memory.loaded(place.type, address, cells, self._unknown)

    def _scalars(self, place: Place, node: Node) -> Iterator[Place]:
        """All in it, each element of an array by itself."""
        kind = place.type
        if isinstance(kind, ty.Int | ty.Pointer):
            yield place
        elif isinstance(kind, ty.Array) and kind.length is not None:
            for at in range(kind.length):
                yield from self._scalars(self._element(place, tm.const(at, INDEX_BITS)), node)
        elif isinstance(kind, ty.Struct) and kind.fields is not None and not kind.is_union:
            for name in kind.fields:
                yield from self._scalars(self._field(place, name), node)
        else:
            raise self.refuse(node, f"a value of {kind}")

    def _forget(self, made: Object) -> None:
        """What was not given a value holds anything."""
        if made.address is None:
            for _, variable in made.variables.values():
                self.graph.choose(variable)
            return
        cells, unknown = self.memory.cells, self._fresh("unknown", self.memory.cells.sort)
        self.graph.choose(unknown)
        size = self.memory.size(made.type)
        self.graph.set({cells: self.memory.forgotten(size, made.address, cells, unknown)})
        self.effects.writes.add(cells)

    def _fresh(self, name: str, sort: tm.Sort) -> Term:
        self.count += 1
        return tm.var(f"{name}#{self.count}", sort)

    def _call(self, name: tuple[Any, ...], variable: Term) -> None:
        self.variables[name] = TWICE if name in self.variables else variable

    def _walked(self, found: Object, steps: Sequence[str | int]) -> Place:
        place = Place(found, found.type)
        for step in steps:
            if isinstance(step, int):
                place = self._element(place, tm.const(step, INDEX_BITS))
            else:
                place = self._field(place, step)
        return place

    @staticmethod
    def _element(place: Place, index: Term) -> Place:
        assert isinstance(place.type, ty.Array)
        return replace(place, type=place.type.of, indexes=(*place.indexes, index))

    @staticmethod
    def _field(place: Place, name: str) -> Place:
        assert isinstance(place.type, ty.Struct)
        return replace(place, type=(place.type.fields or {})[name], path=(*place.path, name))

    def _variable(self, place: Place, node: Node) -> tuple[ty.Leaf, Term, Term | None]:
        """Of a scalar: its variable, and the position in that if it is an array."""
        known = place.object.variables.get(place.path)
        if known is None or place.object.address is not None:
            raise self.refuse(node, f"a value of type {place.type}")
        leaf, variable = known
        index: Term | None = None
        for position, length in zip(place.indexes, leaf.lengths, strict=True):
            before = tm.const(0, INDEX_BITS) if index is None else index
            index = tm.binary("bvadd", tm.binary("bvmul", before, tm.const(length, INDEX_BITS)), position)
        return leaf, variable, index

    # --- initial values ---

    def _length(self, kind: ty.Array, node: Node, scope: Scope) -> int:
        steps = [one for one, _, _ in self._initialisers(kind, node, scope)]
        return 1 + max((one[0] for one in steps if isinstance(one[0], int)), default=-1)

    def _initialisers(
        self, kind: ty.Type, node: Node, scope: Scope
    ) -> list[tuple[tuple[str | int, ...], ty.Type, Any]]:
        """Which part gets which expression, or byte; later ones count."""
        found = Given()
        self._fill(kind, (), node, scope, found)
        return found.all

    def _fill(self, kind: ty.Type, steps: Steps, node: Node, scope: Scope, found: Given) -> None:
        if isinstance(kind, ty.Int | ty.Pointer):
            while node.kind == "braces":
                if not node.items:
                    return
                node = node.items[0].value
            found.add(steps, kind, node, node)
        elif self._is_text(kind, node):
            assert isinstance(kind, ty.Array)
            texts = node.texts if node.kind == "string" else node.items[0].value.texts
            codes = [*string_codes(texts, node), 0]
            length = len(codes) if kind.length is None else kind.length
            found.begin(steps, node)
            for at, code in enumerate(codes[:length]):
                found.add((*steps, at), kind.of, code, node)
        elif node.kind == "braces":
            found.begin(steps, node)
            self._fill_braces(kind, steps, node, scope, found)
        elif isinstance(kind, ty.Struct):
            found.add(steps, kind, node, node)
        else:
            raise self.refuse(node, f"an initial value for {kind}")

    @staticmethod
    def _is_text(kind: ty.Type, node: Node) -> bool:
        if not isinstance(kind, ty.Array) or not isinstance(kind.of, ty.Int) or kind.of.width != 8:
            return False
        if node.kind == "braces" and len(node.items) == 1 and not node.items[0].designators:
            node = node.items[0].value
        return node.kind == "string"

    def _fill_braces(self, kind: ty.Type, steps: Steps, node: Node, scope: Scope, found: Given) -> None:
        position = at = 0
        while at < len(node.items):
            item = node.items[at]
            if item.designators:
                inner, target = steps, kind
                for number, one in enumerate(item.designators):
                    if isinstance(target, ty.Struct) and target.is_union:
                        found.begin(inner, item)
                    where, inner, target = self._designated(inner, target, one, scope, item)
                    position = where if number == 0 else position
                following = node.items[at + 1 : at + 2]
                if len(item.designators) > 1 and following and not following[0].designators:
                    raise self.refuse(item, "what follows such a designator")
                self._fill(target, inner, item.value, scope, found)
                at += 1
            else:
                inner, target = self._nth(kind, steps, position, item)
                at = self._consume(target, inner, node.items, at, scope, found)
            position += 1

    def _designated(
        self, steps: tuple[str | int, ...], kind: ty.Type, one: Any, scope: Scope, item: Node
    ) -> tuple[int, tuple[str | int, ...], ty.Type]:
        if isinstance(kind, ty.Array) and isinstance(one, Node):
            at = self.constant(one, scope)
            return at, (*steps, at), kind.of
        if isinstance(kind, ty.Struct) and isinstance(one, str):
            path = kind.path_to(one)
            if path is not None and len(path) == 1:
                return members(kind).index(one), (*steps, one), (kind.fields or {})[one]
        raise self.refuse(item, "this designator")

    def _nth(
        self, kind: ty.Type, steps: tuple[str | int, ...], position: int, node: Node
    ) -> tuple[tuple[str | int, ...], ty.Type]:
        if isinstance(kind, ty.Array):
            return (*steps, position), kind.of
        if isinstance(kind, ty.Struct) and position < _in_braces_of_others(kind):
            name = members(kind)[position]
            return (*steps, name), (kind.fields or {})[name]
        raise self.refuse(node, f"an initial value for {kind}")

    def _consume(
        self, kind: ty.Type, steps: tuple[str | int, ...], items: Any, at: int, scope: Scope, found: Given
    ) -> int:
        """The next items for this; what comes after them. Inner braces may be left out (C11 6.7.9)."""
        value = items[at].value
        is_whole = (
            isinstance(kind, ty.Int | ty.Pointer) or value.kind == "braces" or self._is_text(kind, value)
        )
        if is_whole or (isinstance(kind, ty.Struct) and self._is_struct(value, scope)):
            self._fill(kind, steps, value, scope, found)
            return at + 1
        count = getattr(kind, "length", None) or 0
        if isinstance(kind, ty.Struct):
            count = _in_braces_of_others(kind)
        if count == 0:
            raise self.refuse(value, f"an initial value for {kind}")
        for position in range(count):
            if at >= len(items) or items[at].designators:
                break
            inner, target = self._nth(kind, steps, position, items[at])
            at = self._consume(target, inner, items, at, scope, found)
        return at

    def _is_struct(self, node: Node, scope: Scope) -> bool:
        if node.kind == "call" and node.function.kind == "name":
            found = scope.find(node.function.name)
            return isinstance(found, FunctionName) and isinstance(found.type.result, ty.Struct)
        if node.kind == "name":
            found = scope.find(node.name)
            return isinstance(found, Object | GlobalName) and isinstance(found.type, ty.Struct)
        if node.kind in ("number", "character", "string", "binary", "unary", "cast", "sizeof", "offset"):
            return False
        raise self.refuse(node, "an initial value that may be a struct")

    # --- functions ---

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def scope(self) -> Scope:
        return self.frame.scope

    def _draw_all(self) -> None:
        if MAIN not in self.definitions:
            raise CannotCheck("a program without 'main'")
        if self.contracts:
            self._require_contracts()
            self._draw_graphs()
            self._require_recursion()
            self._close_touched()
            for variable, key in self.shared.items():
                self.at_first[variable] = self._fresh(f"old.{variable.params[0]}", variable.sort)
                self._call(("o", *key), self.at_first[variable])
            self._forget_copies()
        known = {name: (set(one.reads), set(one.writes)) for name, one in self.touched.items()}
        self._draw_graphs()
        for name, one in self.touched.items():
            if not (one.reads <= known[name][0] and one.writes <= known[name][1]):
                raise CannotCheck(f"what '{name}' changes, which depends on how often it is looked at")

    def _draw_graphs(self) -> None:
        for name in (MAIN, *self.contracts):
            self.graph = self.graphs[name] = Graph()
            self.effects, self.module = Effects(), name
            self.calls[name] = set()
            path: Path = () if name == MAIN else ((0, 0, name),)
            self.paths.add(path)
            with _within(self.homes[name].name):
                self._draw(name, path)
        self.graph = self.graphs[MAIN]

    def _draw(self, name: str, path: Path) -> None:
        frame = self._begin(name, path)
        self._parameters(frame, None)
        if name != MAIN:
            self._run_by_contract(name, frame)
            return
        self.end = frame.leaving
        self.graph.set({old: one for one, old in self.at_first.items()})
        self._run_body(frame)

    def _forget_copies(self) -> None:
        """All that the first drawing has named but for what the whole program has."""
        self.variables = {key: one for key, one in self.variables.items() if key[0] not in ("l", "r")}
        self.points, self.paths, self.demands = {}, set(), []

    # --- functions with contracts ---

    def _require_contracts(self) -> None:
        for name in self.contracts:
            if name == MAIN or name not in self.definitions:
                raise NoProof(f"{name[:80]!a} has a contract, and is no function that may have one")
            arguments = [
                tuple(variable for _, variable in self._argument_names(name, one, kind).variables.values())
                for one in self.definitions[name].type.parameters
                if not isinstance(kind := self.parameter(one, Scope(self.homes[name].scope)), ty.Void)
            ]
            kind = self.types_of[name].result
            result = None
            if isinstance(kind, ty.Int | ty.Pointer):
                result = self._fresh(f"{name}.returns", ty.width_of(kind))
                self._call(("x", name), result)
            elif not isinstance(kind, ty.Void):
                raise self.refuse(self.definitions[name], f"a function with a contract that returns {kind}")
            self.spoken[name] = Spoken(tuple(arguments), result)
            self.touched[name] = Effects()

    def _argument_names(self, function: str, node: Node, kind: ty.Type) -> Object:
        line, column = (0, 0) if _is_of_a_wrapper(node) else (node.line, node.column)
        return self._object(
            kind,
            node.name or "unnamed",
            lambda name: ("p", function, name, line, column) if node.name is not None else None,
        )

    def _require_recursion(self) -> None:
        """Those have contracts that `main` calls and that call themselves, directly or through others."""
        reached = {name: set(called) for name, called in self.calls.items()}
        for _ in self.calls:
            for found in reached.values():
                found |= {each for one in list(found) for each in reached[one]}
        for name in self.contracts:
            if name not in reached[MAIN] or name not in reached[name]:
                raise NoProof(f"{name[:80]!a} has a contract, and is no function that calls itself")

    def _close_touched(self) -> None:
        """With what is touched by functions with contracts that are called."""
        for _ in self.contracts:
            for name in self.contracts:
                for one in self.calls[name]:
                    self.touched[name].reads |= self.touched[one].reads
                    self.touched[name].writes |= self.touched[one].writes

    def _run_by_contract(self, name: str, frame: Frame) -> None:
        """The function by itself, with any arguments and variables of which the first half holds."""
        values = {old: one for one, old in self.at_first.items()}
        nodes = [
            one
            for one in self.definitions[name].type.parameters
            if not isinstance(self.parameter(one, frame.scope), ty.Void)
        ]
        for one, arguments in zip(nodes, self.spoken[name].arguments, strict=True):
            if one.name is not None:
                own = [variable for _, variable in self.scope.names[one.name].variables.values()]
                values |= dict(zip(arguments, own, strict=True))
        self.graph.set(values)
        self.graph.assume(self._demand(name, {}, is_before=True))
        self._run_body(frame)
        result = self.spoken[name].result
        means = {} if result is None or not isinstance(frame.result, Term) else {result: frame.result}
        failure = self.failure(f"what {name[:40]} has to leave", self.definitions[name])
        self.graph.require(self._demand(name, means, is_before=False), failure)
        changed = {one for edge in self.graph.edges for one in (*edge.values, edge.chosen) if one is not None}
        self.touched[name].reads |= self.effects.reads & self.shared.keys()
        self.touched[name].writes |= (self.effects.writes | changed) & self.shared.keys()

    def _demand(self, name: str, means: Mapping[Term, Term], *, is_before: bool) -> Term:
        found = self._fresh("contract", tm.BOOL)
        self.demands.append(Demand(found, name, is_before, means))
        return found

    def _by_contract(self, node: Node, name: str, given: Sequence[Value | Place | Reference]) -> Value:
        self.calls[self.module].add(name)
        spoken, means = self.spoken[name], dict[Term, Term]()
        for one, arguments in zip(given, spoken.arguments, strict=False):
            if isinstance(one, Reference):
                raise self.refuse(node, "a pointer that is passed to a function with a contract")
            if isinstance(one, Value):
                means |= dict(zip(arguments, (one.term,), strict=True))
            else:
                leaves = [replace(one, path=(*one.path, *leaf.path)) for leaf in ty.leaves(one.type)]
                if one.indexes:
                    raise self.refuse(
                        node, "a struct of an array that is passed to a function with a contract"
                    )
                whole = [each.object.variables[each.path][1] for each in leaves]
                means |= dict(zip(arguments, whole, strict=True))
        means |= {old: one for one, old in self.at_first.items()}
        kept = {name: self._fresh("kept", name.sort) for name in means}
        self.graph.set({kept[one]: value for one, value in means.items()})
        failure = self.failure(f"what has to hold before {name[:40]}", node)
        self.graph.require(self._demand(name, kept, is_before=True), failure)
        touched = self.touched[name]
        self.effects.reads |= touched.reads
        self.effects.writes |= touched.writes
        for changed in sorted(touched.writes, key=lambda each: str(each.params)):
            self.graph.choose(changed)
        result = None if spoken.result is None else self._returned(node, spoken.result.width)
        if result is not None and spoken.result is not None:
            self.graph.choose(result)
            kept[spoken.result] = result
        self.graph.assume(self._demand(name, kept, is_before=False))
        kind = self.types_of[name].result
        return Value(tm.const(0, 32) if result is None else result, kind)

    def _begin(self, name: str, path: Path) -> Frame:
        frame = Frame(name, path, Scope(self.homes[name].scope))
        frame.type = self.types_of[name].result
        if isinstance(frame.type, ty.Int | ty.Pointer):
            frame.result = self._fresh(f"{name}.result", ty.width_of(frame.type))
        elif isinstance(frame.type, ty.Struct):
            frame.result = self._object(frame.type, f"{name}.result", lambda _: None)
        elif not isinstance(frame.type, ty.Void):
            raise self.refuse(self.definitions[name], f"a function that returns {frame.type}")
        frame.leaving = self.graph.node()
        self.frames.append(frame)
        return frame

    def _parameters(self, frame: Frame, arguments: Sequence[Value | Place | Reference] | None) -> None:
        node = self.definitions[frame.name]
        values: dict[Term, Term] = {}
        later: list[tuple[Object, Value, Node]] = []
        position = 0
        for one in node.type.parameters:
            kind = self.parameter(one, frame.scope)
            if isinstance(kind, ty.Void):
                continue
            given = None if arguments is None else arguments[position]
            position += 1
            if isinstance(given, Reference):
                self._refer(frame, one, given)
                continue
            made = self._local(one, kind)
            if made.address is not None:
                frame.given.append(made)
                self._begin_life(made, one)
            if given is not None and made.address is not None:
                later.append((made, self._kept_value(given, one), one))
            elif given is not None:
                values |= self._passed(made, given, one)
        self.graph.set(values)
        for made, kept, one in later:
            self.write(Place(made, made.type), kept.term, one)

    def _local(self, node: Node, kind: ty.Type) -> Object:
        path = self.frame.path
        line, column = (0, 0) if _is_of_a_wrapper(node) else (node.line, node.column)
        try:
            made = self._object(
                kind,
                node.name or "unnamed",
                lambda name: ("l", path, name, line, column) if node.name is not None else None,
                key=id(node),
                is_local=True,
            )
        except CannotCheck as problem:
            raise self.refuse(node, str(problem)) from None
        if node.name is not None:
            self.scope.names[node.name] = made
        return made

    def _kept_value(self, given: Value | Place, node: Node) -> Value:
        if not isinstance(given, Value):
            raise self.refuse(node, "a struct that is passed and whose address is taken")
        kept = self._fresh("passed", given.term.sort)
        self.graph.set({kept: given.term})
        return Value(kept, given.type)

    def _can_refer(self, name: str, position: int) -> bool:
        """Whether a parameter is never changed, so that it can be another name of what it points to."""
        nodes = self.definitions[name].type.parameters
        scope = self.homes[name].scope
        node = [one for one in nodes if not isinstance(self.parameter(one, scope), ty.Void)][position]
        return node.name is None or self._never_changes(name, node.name, has_jumps=False)

    def _never_changes(self, function: str, name: str, *, has_jumps: bool) -> bool:
        """By the words of the function. With `has_jumps` not if one may lead over a declaration."""
        body = self.definitions[function].body
        if (id(body), name) not in self._changed:
            self._changed[id(body), name] = is_changed(body, name)
        if has_jumps and (id(body), "") not in self._changed:
            self._changed[id(body), ""] = any(one.kind in ("goto", "switch") for one in all_parts_of(body))
        return not self._changed[id(body), name] and not (has_jumps and self._changed[id(body), ""])

    def _refer(self, frame: Frame, node: Node, given: Reference) -> None:
        if node.name is None:
            return
        self.scope.names[node.name] = given
        self.variables["l", frame.path, node.name, node.line, node.column] = TWICE  # it has no term here

    def _passed(self, made: Object, given: Value | Place, node: Node) -> dict[Term, Term]:
        if isinstance(given, Value):
            ((_, variable),) = made.variables.values()
            return {variable: given.term}
        return self._copied(Place(made, made.type), given, node)

    def _run_body(self, frame: Frame) -> None:
        if isinstance(frame.result, Term):
            self.graph.choose(frame.result)
        for one in self.definitions[frame.name].body.items:
            self.run(one)
        self.graph.jump(frame.leaving)
        for start, sees, node in frame.gotos:
            if node.name not in frame.label_sees:
                raise self.refuse(node, f"the label '{node.name}'")
            self.graph.here = start
            self._enter(sees, frame.label_sees[node.name], node)
            self.graph.jump(frame.labels[node.name])
        self.graph.here = frame.leaving
        self.frames.pop()

    def _enter(self, before: Sequence[Object], after: Sequence[Object], node: Node) -> None:
        """A jump into the scope of variables, over their declarations: they hold anything."""
        for one in after:
            if not any(one is known for known in before):
                self._begin_life(one, node)
                self._forget(one)

    # --- statements ---

    def run(self, node: Node) -> None:
        getattr(self, f"_run_{node.kind}")(node)

    @contextmanager
    def _block(self) -> Iterator[None]:
        frame = self.frame
        frame.scope = Scope(frame.scope)
        seen = len(frame.sees)
        yield
        del frame.sees[seen:]
        assert frame.scope.outer is not None
        frame.scope = frame.scope.outer

    def _run_compound(self, node: Node) -> None:
        with self._block():
            for one in node.items:
                self.run(one)

    def _run_empty(self, node: Node) -> None:
        pass

    def _run_expression(self, node: Node) -> None:
        self.discarded(node.value)

    def _run_declare(self, node: Node) -> None:
        written = node.type
        is_new = node.name is None and written.kind == "struct" and written.fields is None
        if is_new and written.tag not in self.scope.tags:  # `struct s;` hides an outer one (C11 6.7.2.3)
            new = ty.Struct(written.tag, is_union=written.is_union, has_tag=True)
            self.scope.tags[written.tag] = new
        kind = self.type(node.type, self.scope)
        if node.name is None:
            return
        if "typedef" in node.storage:
            self.scope.names[node.name] = TypeName(kind)
            return
        if isinstance(kind, ty.Function):
            known = self.scope.find(node.name)
            self.scope.names[node.name] = (
                known if isinstance(known, FunctionName) else FunctionName(node.name, kind)
            )
            return
        if "extern" in node.storage:
            home = self.homes[self.frame.name].scope
            known = home.names.get(node.name, self.external.get(node.name))
            if not isinstance(known, GlobalName):
                raise self.refuse(node, "a variable that is declared in a function only")
            if not ty.compatible(known.type, kind):
                raise self.refuse(node, f"'{node.name}' with two types")
            self.scope.names[node.name] = known
            return
        if isinstance(kind, ty.Array) and kind.length is None and node.init is not None:
            kind = ty.Array(kind.of, self._length(kind, node.init, self.scope))
        if "static" in node.storage:
            self._static(node, kind)
            return
        if node.init is not None and isinstance(kind, ty.Pointer) and self.is_reference(node.init):
            given = self.reference(node.init)
            if given.type == kind.of and self._never_changes(self.frame.name, node.name, has_jumps=True):
                self._refer(self.frame, node, self._kept(given))
                return
        made = self._local(node, kind)
        self.frame.sees.append(made)
        self._begin_life(made, node)
        if node.init is None:
            self._forget(made)
            return
        self._initialise(made, node)

    def _static(self, node: Node, kind: ty.Type) -> None:
        made = self.statics.get(id(node))
        if made is None:
            function = plain(self.frame.name)
            made = self.statics[id(node)] = self._object(
                kind, node.name, lambda name: ("s", name, function, node.line, node.column), key=id(node)
            )
            self._set_to_zero_at_start(made)
            if node.init is not None:
                self._initialise_static(made, node, self.scope)
        self.scope.names[node.name] = made

    def _initialise(self, made: Object, node: Node) -> None:
        kind = made.type
        whole = Place(made, kind)
        if isinstance(kind, ty.Struct) and node.init.kind != "braces":
            self._copy(whole, self.operand(node.init), node)
            return
        if not isinstance(kind, ty.Int | ty.Pointer):
            self.graph.set({one: _zero(one, leaf) for leaf, one in made.variables.values()})
            if made.address is not None:
                cells = self.memory.cells
                self.graph.set({cells: self.memory.zeros(self.memory.size(kind), made.address, cells)})
                self.effects.writes.add(cells)
        for steps, target, given in self._initialisers(kind, node.init, self.scope):
            place = self._walked(made, steps)
            if isinstance(given, int):
                self.write(place, tm.const(given, 8), node)
            elif isinstance(target, ty.Struct):
                self._copy(place, self.operand(given), node)
            else:
                self.write(place, self.converted(self.value(given), target, given).term, node)

    def _run_if(self, node: Node) -> None:
        graph = self.graph
        condition = self.condition(node.condition)
        yes, no, after = graph.node(), graph.node(), graph.node()
        graph.branch(condition, yes, no)
        for start, body in ((yes, node.yes), (no, node.no)):
            graph.here = start
            if body is not None:
                with self._block():
                    self.run(body)
            graph.jump(after)
        graph.here = after

    def _point(self, node: Node) -> int:
        """A place of a run that a certificate can name."""
        made = self.graph.node()
        name = (self.frame.path, node.line, node.column)
        self.points[name] = TWICE if name in self.points else made
        return made

    def _loop(self, body: Node, after: int, again: int) -> None:
        frame = self.frame
        frame.breaks.append(after)
        frame.continues.append(again)
        with self._block():
            self.run(body)
        frame.breaks.pop()
        frame.continues.pop()

    def _run_while(self, node: Node) -> None:
        graph = self.graph
        head, body, after = self._point(node), graph.node(), graph.node()
        graph.jump(head)
        graph.here = head
        graph.branch(self.condition(node.condition), body, after)
        graph.here = body
        self._loop(node.body, after, head)
        graph.jump(head)
        graph.here = after

    def _run_do(self, node: Node) -> None:
        graph = self.graph
        head, test, after = self._point(node), graph.node(), graph.node()
        graph.jump(head)
        graph.here = head
        self._loop(node.body, after, test)
        graph.jump(test)
        graph.here = test
        graph.branch(self.condition(node.condition), head, after)
        graph.here = after

    def _run_for(self, node: Node) -> None:
        graph = self.graph
        with self._block():
            for one in node.first:
                self.run(one)
            head, body, again, after = self._point(node), graph.node(), graph.node(), graph.node()
            graph.jump(head)
            graph.here = head
            condition = tm.TRUE if node.condition is None else self.condition(node.condition)
            graph.branch(condition, body, after)
            graph.here = body
            self._loop(node.body, after, again)
            graph.jump(again)
            graph.here = again
            if node.after is not None:
                self.discarded(node.after)
            graph.jump(head)
            graph.here = after

    def _run_break(self, _node: Node) -> None:
        self.graph.jump(self.frame.breaks[-1])

    def _run_continue(self, _node: Node) -> None:
        self.graph.jump(self.frame.continues[-1])

    def _run_return(self, node: Node) -> None:
        frame = self.frame
        if node.value is not None:
            given = self.operand(node.value)
            if isinstance(frame.result, Object):
                self._copy(Place(frame.result, frame.result.type), given, node)
            elif isinstance(frame.result, Term):
                if not isinstance(given, Value):
                    raise self.refuse(node, "returning this")
                self.graph.set({frame.result: self.converted(given, frame.type, node).term})
        self.graph.jump(frame.leaving)

    def _run_goto(self, node: Node) -> None:
        frame = self.frame
        frame.labels.setdefault(node.name, self.graph.node())
        frame.gotos.append((self.graph.here, tuple(frame.sees), node))
        self.graph.here = None

    def _run_label(self, node: Node) -> None:
        frame = self.frame
        target = frame.labels.setdefault(node.name, self.graph.node())
        name = (frame.path, node.line, node.column)
        self.points[name] = TWICE if name in self.points else target
        frame.label_sees[node.name] = tuple(frame.sees)
        self.graph.jump(target)
        self.graph.here = target
        self.run(node.body)

    def _run_switch(self, node: Node) -> None:
        graph, frame = self.graph, self.frame
        value = self.value(node.value)
        if not isinstance(value.type, ty.Int):
            raise self.refuse(node, f"a switch over {value.type}")
        kind = ty.promoted(value.type)
        chosen = self._fresh("switch", kind.width)
        graph.set({chosen: self.converted(value, kind, node).term})
        start, after = graph.here, graph.node()
        graph.here = None
        switch = Switch(kind, tuple(frame.sees))
        frame.switches.append(switch)
        frame.breaks.append(after)
        with self._block():
            self.run(node.body)
        frame.breaks.pop()
        frame.switches.pop()
        graph.jump(after)
        graph.here = start
        tests = [(_is_one_of(chosen, kind, *at), to) for at, to in switch.cases if at is not None]
        others = [to for at, to in switch.cases if at is None]
        rest = tm.both(tm.negate(test) for test, _ in tests)
        graph.leave([*tests, (rest, others[0] if others else after)])
        graph.here = after

    def _run_case(self, node: Node) -> None:
        frame, graph = self.frame, self.graph
        if not frame.switches:
            raise self.refuse(node, "a case outside of a switch")
        switch = frame.switches[-1]
        numbers = None
        if node.value is not None:
            given = [self.constant(one, self.scope) for one in (node.value, node.last or node.value)]
            first, last = (_wrapped(one, switch.type) for one in given)
            if node.last is not None and [first, last] != given:
                raise self.refuse(node, "a range of cases beyond the type of the switch")
            numbers = first, last
        start, target = graph.node(), graph.node()
        switch.cases.append((numbers, start))
        graph.jump(target)
        graph.here = start
        self._enter(switch.sees, frame.sees, node)
        graph.jump(target)
        graph.here = target
        self.run(node.body)

    # --- operands ---

    def apart(self, node: Node, *operands: Callable[[], Any]) -> list[Any]:
        """Operands whose order C leaves open: none may touch what another one changes."""
        outer, done = self.effects, []
        found: list[Effects] = []
        for operand in operands:
            self.effects = Effects()
            done.append(operand())
            found.append(self.effects)
        self.effects = outer
        for position, one in enumerate(found):
            for other in found[:position]:
                if one.writes & (other.reads | other.writes) or other.writes & one.reads:
                    raise self.refuse(node, "a result that depends on the order of operands")
            outer.reads |= one.reads
            outer.writes |= one.writes
            outer.own |= one.own
        return done

    def draws(self, node: Node) -> bool:
        """Whether its value may need edges, by its words."""
        if self.uses_memory and node.kind not in ("number", "character"):
            return True
        known = self._draws.get(id(node))
        if known is None:
            known = self._may_draw(node) or any(map(self.draws, parts_of(node)))
            self._draws[id(node)] = known
        return known

    def _may_draw(self, node: Node) -> bool:
        if node.kind in ("call", "assign", "increment", "block", "or_else"):
            return True
        if node.kind == "binary" and node.op in ("/", "%", "<<", ">>"):
            return True
        if node.kind in ("binary", "unary") and "overflow" in self.checks:
            return True
        return node.kind == "index" and "bounds" in self.checks

    # --- places ---

    def is_place(self, node: Node) -> bool:
        if node.kind == "name":
            return isinstance(self.scope.find(node.name), Object | GlobalName)
        return node.kind in ("index", "member_of", "member_at") or (node.kind == "unary" and node.op == "*")

    def is_reference(self, node: Node) -> bool:
        """By its form: a parameter that is one, an address, an array, or one of these moved."""
        if node.kind == "name":
            found = self.scope.find(node.name)
            is_array = isinstance(found, Object | GlobalName) and isinstance(found.type, ty.Array)
            return isinstance(found, Reference) or is_array
        if node.kind == "unary":
            return bool(node.op == "&") and not self._is_function(node.value)
        if node.kind in ("member_of", "member_at", "index"):
            return isinstance(self._place_type(node), ty.Array)
        return node.kind == "binary" and node.op == "+" and self.is_reference(node.left)

    def _is_function(self, node: Node) -> bool:
        return node.kind == "name" and isinstance(self.scope.find(node.name), FunctionName)

    def _place_type(self, node: Node) -> ty.Type | None:
        """Of a place, without evaluating it; None if that is not known."""
        if node.kind == "name":
            found = self.scope.find(node.name)
            return found.type if isinstance(found, Object | GlobalName) else None
        if node.kind == "index":
            found = self.scope.find(node.value.name) if node.value.kind == "name" else None
            whole = found.type if isinstance(found, Reference) else None
            if whole is not None:
                return whole
            whole = self._place_type(node.value)
            return whole.of if isinstance(whole, ty.Array) else None
        if node.kind in ("member_of", "member_at"):
            if node.kind == "member_at":
                found = self.scope.find(node.value.name) if node.value.kind == "name" else None
                kind = found.type if isinstance(found, Reference) else None
            else:
                kind = self._place_type(node.value)
            for name in (kind.path_to(node.name) or ()) if isinstance(kind, ty.Struct) else ():
                assert isinstance(kind, ty.Struct)
                kind = (kind.fields or {})[name]
            return kind
        return None

    def reference(self, node: Node) -> Reference:
        if node.kind == "name" and isinstance(self.scope.find(node.name), Reference):
            return self.scope.find(node.name)  # type: ignore[no-any-return]
        if node.kind == "unary" and node.op == "&":
            inner = node.value
            is_element = inner.kind == "index" and self.is_reference(inner.value)  # others can be reached
            found = self._element_reference(inner) if is_element else Reference(self.place(inner))
            if isinstance(found.type, ty.Int) and found.type.bits is not None:
                raise self.refuse(node, "the address of a bit-field")
            return found
        if node.kind == "binary":
            array, index = self.apart(node, lambda: self.reference(node.left), lambda: self.value(node.right))
            return self._moved(array, index, node)
        place = self.place(node)
        if not isinstance(place.type, ty.Array) or not place.type.length:
            raise self.refuse(node, "memory that a pointer points to")
        return Reference(place, tm.const(0, INDEX_BITS))

    def _element_reference(self, node: Node) -> Reference:
        array, index = self.apart(node, lambda: self._indexable(node.value), lambda: self.value(node.index))
        return self._moved(array, index, node)

    def _indexable(self, node: Node) -> Reference:
        if self.is_reference(node):
            return self.reference(node)
        raise self.refuse(node, "memory that a pointer points to")

    def _moved(self, given: Reference, index: Value, node: Node) -> Reference:
        if not isinstance(index.type, ty.Int):
            raise self.refuse(node, "an index that is no integer")
        if index.term.value == 0:
            return given
        if given.base is None:
            raise self.refuse(node, "a pointer that is moved away from its object")
        if self.has_bounds:
            assert isinstance(given.place.type, ty.Array)
            base = tm.extend(given.base, 66, is_signed=False)
            by = tm.extend(index.term, 66, is_signed=index.type.is_signed)
            end = tm.const(given.place.type.length or 0, 66)
            inside = tm.compared("bvule", tm.binary("bvadd", base, by), end)
            self.graph.require(inside, self.failure("bounds", node))
        wide = tm.resize(index.term, INDEX_BITS, is_signed=index.type.is_signed)
        return Reference(given.place, tm.binary("bvadd", given.base, wide))

    def _at(self, given: Reference, node: Node) -> Place:
        """What is read or written there."""
        if given.base is None:
            return given.place
        if self.has_bounds:
            assert isinstance(given.place.type, ty.Array)
            end = tm.const(given.place.type.length or 0, INDEX_BITS)
            self.graph.require(tm.compared("bvult", given.base, end), self.failure("bounds", node))
        return self._element(given.place, given.base)

    def _kept(self, given: Reference) -> Reference:
        """With positions that nothing changes any more."""
        values: dict[Term, Term] = {}

        def kept(one: Term) -> Term:
            if one.value is not None:
                return one
            made = self._fresh("position", one.sort)
            values[made] = one
            return made

        place = replace(given.place, indexes=tuple(map(kept, given.place.indexes)))
        if place.object.address is not None:
            address, may_be_null = kept(place.object.address), place.object.may_be_null
            made = Object(place.object.type, {}, None, address, may_be_null=may_be_null)
            place = replace(place, object=made)
        found = Reference(place, None if given.base is None else kept(given.base))
        self.graph.set(values)
        return found

    def _pointed(self, node: Node) -> Place:
        return self._at(self.reference(node), node)

    def place(self, node: Node) -> Place:
        if node.kind == "name":
            found = self.scope.find(node.name)
            if isinstance(found, GlobalName):
                try:
                    found = self._made(found)
                except CannotCheck as problem:
                    raise self.refuse(node, str(problem)) from None
            if isinstance(found, Object):
                return Place(found, found.type)
            raise self.refuse(node, f"'{node.name}' in this place")
        if node.kind == "member_of":
            whole = self.operand(node.value)
            if isinstance(whole, Value):
                raise self.refuse(node, "a member of what is no struct")
            return self._member(whole, node)
        if node.kind == "index":
            return self._indexed(node)
        is_followed = node.kind == "member_at" or (node.kind == "unary" and node.op == "*")
        if is_followed and self.is_reference(node.value):
            found = self._pointed(node.value)
            if node.kind == "unary":
                return found
            return self._member(found, node)
        if is_followed:
            found = self._followed(self.value(node.value), node)
            return found if node.kind == "unary" else self._member(found, node)
        raise self.refuse(node, "this as a place")

    def _member(self, whole: Place, node: Node) -> Place:
        if not isinstance(whole.type, ty.Struct):
            raise self.refuse(node, "a member of what is no struct")
        for name in whole.type.path_to(node.name) or ("",):
            if not isinstance(whole.type, ty.Struct) or name not in (whole.type.fields or {}):
                raise self.refuse(node, f"the member '{node.name}'")
            whole = self._field(whole, name)
        return whole

    def _indexed(self, node: Node) -> Place:
        if node.value.kind == "name" and isinstance(self.scope.find(node.value.name), Reference):
            return self._at(self._element_reference(node), node)
        array, index = self.apart(node, lambda: self._array(node.value), lambda: self.value(node.index))
        if isinstance(array, Value):
            return self._followed(self.operation("+", array, index, node), node)
        if not isinstance(array.type, ty.Array) or not array.type.length:
            raise self.refuse(node, "memory that a pointer points to")
        if not isinstance(index.type, ty.Int):
            raise self.refuse(node, "an index that is no integer")
        wide = tm.resize(index.term, 64, is_signed=index.type.is_signed)
        if "bounds" in self.checks:
            inside = tm.compared("bvult", wide, tm.const(array.type.length, 64))
            self.graph.require(inside, self.failure("bounds", node))
        return self._element(array, tm.extract(INDEX_BITS - 1, 0, wide))

    def _array(self, node: Node) -> Place | Value:
        """An array, or a pointer."""
        if not self.is_place(node):
            return self.value(node)
        place = self.place(node)
        return place if isinstance(place.type, ty.Array) else self.read(place, node)

    def failure(self, kind: str, node: Node) -> Failure:
        home = self.homes.get(self.frames[-1].name if self.frames else self.module)
        return Failure(kind, node.line, node.column, home.name if home is not None else "")

    def read(self, place: Place, node: Node) -> Value:
        if not isinstance(place.type, ty.Int | ty.Pointer):
            what = (
                "the address of an array" if isinstance(place.type, ty.Array) else f"a value of {place.type}"
            )
            raise self.refuse(node, what)
        if place.object.address is not None:
            return Value(self._loaded(place, node), place.type)
        _, variable, index = self._variable(place, node)
        self.effects.reads.add(variable)
        return Value(variable if index is None else tm.select(variable, index), place.type)

    def _changed_by_writing(self, place: Place, node: Node) -> Term:
        return self._variable(place, node)[1] if place.object.address is None else self.memory.cells

    def write(self, place: Place, term: Term, node: Node, *, is_own: bool = False) -> None:
        variable = self._changed_by_writing(place, node)
        self.effects.writes.add(variable)
        if is_own:
            self.effects.own.add(variable)
        if place.object.address is not None:
            self._touch(place, node)
            self.graph.set({variable: self._stored(place, variable, term, node)})
            return
        index = self._variable(place, node)[2]
        self.graph.set({variable: term if index is None else tm.store(variable, index, term)})

    def _copy(self, target: Place, source: Value | Place, node: Node) -> None:
        if isinstance(source, Value) or not isinstance(target.type, ty.Struct):
            raise self.refuse(node, "copying this")
        values = self._copied(target, source, node)
        self.effects.writes |= set(values)
        self.effects.own |= set(values)
        self.graph.set(values)

    def _copied(self, target: Place, source: Place, node: Node) -> dict[Term, Term]:
        if not ty.compatible(target.type, source.type):
            raise self.refuse(node, f"copying {source.type} to {target.type}")
        values: dict[Term, Term] = {}
        if target.object.address is not None or source.object.address is not None:
            return self._copied_by_scalars(target, source, node)
        for leaf in ty.leaves(target.type):
            to = replace(target, type=leaf.type, path=(*target.path, *leaf.path))
            of = replace(source, type=leaf.type, path=(*source.path, *leaf.path))
            if leaf.lengths:
                if to.indexes or of.indexes:
                    raise self.refuse(node, "copying a struct with an array, of an array")
                (_, variable), (_, value) = to.object.variables[to.path], of.object.variables[of.path]
                values[variable] = value
                self.effects.reads.add(value)
                continue
            _, variable, index = self._variable(to, node)
            given = self.read(of, node).term
            values[variable] = given if index is None else tm.store(variable, index, given)
        return values

    def _copied_by_scalars(self, target: Place, source: Place, node: Node) -> dict[Term, Term]:
        values: dict[Term, Term] = {}
        pairs = zip(self._scalars(target, node), self._scalars(source, node), strict=True)
        for to, of in pairs:
            given = self.read(of, node).term
            if to.object.address is not None:
                self._touch(to, node)
                cells = self.memory.cells
                before = values.get(cells, cells)
                values[cells] = self._stored(to, before, given, node)
                continue
            _, variable, index = self._variable(to, node)
            before = values.get(variable, variable)
            values[variable] = given if index is None else tm.store(before, index, given)
        return values

    # --- conversions ---

    def converted(self, value: Value, target: ty.Type, node: Node) -> Value:
        if isinstance(target, ty.Void):
            return Value(value.term, target)
        if isinstance(target, ty.Pointer) and isinstance(value.type, ty.Pointer):
            return Value(value.term, target)
        if isinstance(target, ty.Pointer) and isinstance(value.type, ty.Int):
            if value.pointer is not None:
                return Value(value.pointer, target)
            if value.term.value != 0:
                raise self.refuse(node, "an integer that becomes a pointer")
            return Value(tm.const(0, ty.POINTER_BITS), target)
        if not isinstance(target, ty.Int) or not isinstance(value.type, ty.Int | ty.Pointer):
            raise self.refuse(node, f"converting {value.type} to {target}")
        if target.is_bool:
            truth = self.truth(value, node)
            return Value(tm.choice(truth, tm.const(1, 8), tm.const(0, 8)), target)
        if isinstance(value.type, ty.Pointer):
            return self._number_of(value, target, node)
        if value.truth is not None and target.bits is None:
            one, zero = tm.const(1, target.width), tm.const(0, target.width)
            return Value(tm.choice(value.truth, one, zero), target, value.truth)
        term = tm.resize(value.term, target.width, is_signed=value.type.is_signed)
        if value.pointer is not None and target.bits is None and target.width >= self.pointer_bits:
            return Value(term, target, pointer=value.pointer)
        if target.bits is not None and target.bits < target.width:
            low = tm.extract(target.bits - 1, 0, term)
            term = tm.extend(low, target.width, is_signed=target.is_signed)
        return Value(term, target)

    def _number_of(self, value: Value, target: ty.Int, node: Node) -> Value:
        """What number an address is, is left open: any but 0, and each time another one. Who needs more than
        that of a program has a proof that is not judged."""
        if value.term.value == 0:
            return Value(tm.const(0, target.width), target)
        if target.bits is not None:
            raise self.refuse(node, "a pointer that becomes a bit-field")
        self._need_memory()
        self.left_open = CannotCheck("a pointer that becomes an integer", node.line, node.column)
        unknown, zero = self._unknown(target.width), tm.const(0, target.width)
        is_null = tm.equal(value.term, tm.const(0, ty.POINTER_BITS))
        if target.width < self.pointer_bits:
            return Value(tm.choice(is_null, zero, unknown), target)
        self.graph.assume(tm.negate(tm.equal(unknown, zero)))
        return Value(tm.choice(is_null, zero, unknown), target, pointer=value.term)

    def truth(self, value: Value, node: Node) -> Term:
        if value.truth is not None:
            return value.truth
        if not isinstance(value.type, ty.Int | ty.Pointer):
            raise self.refuse(node, f"a condition of type {value.type}")
        return tm.negate(tm.equal(value.term, tm.const(0, value.term.width)))

    @staticmethod
    def as_int(truth: Term) -> Value:
        return Value(tm.choice(truth, tm.const(1, 32), tm.const(0, 32)), ty.INT, truth)

    def condition(self, node: Node) -> Term:
        if self.is_reference(node):
            return self._is_some(self.reference(node), node)
        return self.truth(self.value(node), node)

    def _is_some(self, given: Reference, node: Node) -> Term:
        """Objects are somewhere; what a pointer points to is where that says."""
        if not given.place.object.may_be_null:
            return tm.TRUE
        return self.truth(self.pointer(given, node), node)

    # --- values ---

    def operand(self, node: Node) -> Value | Place:
        """A value, or a struct as a place."""
        if node.kind == "call":
            return self.call(node)
        if node.kind == "comma":
            *before, last = node.items
            for one in before:
                self._one_of_several(one)
            return self._one_of_several(last)
        if self.is_place(node):
            place = self.place(node)
            if not isinstance(place.type, ty.Struct):
                return self._of_place(place, node)
            length = len(place.path)
            if place.object.address is not None:
                self.effects.reads.add(self.memory.cells)
            self.effects.reads |= {
                variable
                for path, (_, variable) in place.object.variables.items()
                if path[:length] == place.path
            }
            return place
        return self.value(node)

    def _one_of_several(self, node: Node) -> Value | Place:
        """Between commas, where a struct may stand as well."""
        is_operand = self.is_place(node) or node.kind in ("call", "comma")
        return self.operand(node) if is_operand else self.discarded(node)

    def value(self, node: Node) -> Value:
        found = self.discarded(node)
        if not isinstance(found, Value):
            raise self.refuse(node, "a struct in this place")
        return found

    def discarded(self, node: Node) -> Value | Place:
        """Of which perhaps nobody needs the value."""
        if node.kind == "name" and isinstance(self.scope.find(node.name), Reference):
            return self.pointer(self.scope.find(node.name), node)
        if self.is_place(node):
            return self._of_place(self.place(node), node)
        reader = getattr(self, f"_value_{node.kind}", None)
        if reader is None:
            raise self.refuse(node, f"{node.kind} in an expression")
        try:
            found: Value | Place = reader(node)
        except CannotCheck as problem:
            if problem.line:
                raise
            raise self.refuse(node, str(problem)) from None
        return found

    def _of_place(self, place: Place, node: Node) -> Value:
        """What is there; of an array its address."""
        if isinstance(place.type, ty.Array):
            return Value(self._formed(place, node), ty.Pointer(place.type.of))
        return self.read(place, node)

    def _value_number(self, node: Node) -> Value:
        text = node.text
        found = re.fullmatch(
            r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)([uU]?[lL]{0,2}|[lL]{1,2}[uU])", text
        )
        if found is None:
            raise self.refuse(node, f"the number {text[:40]}")
        digits, suffix = found.group(1).lower(), found.group(2).lower()
        base = (
            16 if digits.startswith("0x") else 2 if digits.startswith("0b") else 8 if digits[0] == "0" else 10
        )
        number = int(digits.removeprefix("0x").removeprefix("0b") or "0", base)
        least = 5 if "ll" in suffix else 4 if "l" in suffix else 3
        for rank, width in ((3, 32), (4, self.long_bits), (5, 64)):
            for is_signed in (True, False):
                if rank < least or (is_signed and "u" in suffix):
                    continue
                if not is_signed and "u" not in suffix and base == 10:
                    continue
                if number < 1 << (width - is_signed):
                    name = {3: "int", 4: "long", 5: "long long"}[rank]
                    kind = ty.Int(width, is_signed, rank, name if is_signed else f"unsigned {name}")
                    return Value(tm.const(number, width), kind)
        raise self.refuse(node, f"the number {text[:40]}")

    def _value_character(self, node: Node) -> Value:
        codes = string_codes([node.text], node)
        if len(codes) != 1:
            raise self.refuse(node, f"the character {node.text[:20]}")
        return Value(tm.const(tm.signed(codes[0], 8), 32), ty.INT)

    def _value_string(self, node: Node) -> Value:
        self._need_memory()
        if id(node) not in self.literals:
            codes = [*string_codes(node.texts, node), 0]
            address = self.literals[id(node)] = self._lasting(len(codes))
            if len(codes) > MOST_CELLS:
                raise self.refuse(node, f"a text of more than {MOST_CELLS} bytes")
            for other in self.texts:  # compilers and linkers may keep them in one place, or not
                if codes[-len(other) :] == other or other[-len(codes) :] == codes:
                    raise self.refuse(node, "two texts of which one is the end of the other")
            self.texts.append(codes)
            for at, code in enumerate(codes):
                cells, before = self.memory.cells, self.initial[self.memory.cells]
                byte = tm.const(code, 8)
                self.initial[cells] = self.memory.stored(ty.CHAR, moved(address, at), before, byte)
        return Value(self.literals[id(node)], ty.Pointer(ty.CHAR))

    def _value_name(self, node: Node) -> Value:
        found = self.scope.find(node.name)
        if isinstance(found, Enumerator):
            return Value(tm.const(found.value, 32), ty.INT)
        if isinstance(found, FunctionName):
            if found.name not in self.definitions:
                raise self.refuse(node, f"the address of '{node.name}', which has no body")
            if not ty.compatible(found.type, self.types_of[found.name]):
                raise self.refuse(node, f"the address of '{node.name}', which is declared with another type")
            self._need_memory((FUNCTION, found.name))
            return Value(self._address_of_function(found.name), ty.Pointer(self.types_of[found.name]))
        raise self.refuse(node, f"'{node.name}'")

    def _value_cast(self, node: Node) -> Value:
        target = self.type(node.type, self.scope)
        if isinstance(target, ty.Void):
            found = self.operand(node.value)
            return Value(found.term if isinstance(found, Value) else tm.const(0, 32), ty.VOID)
        return self.converted(self.value(node.value), target, node)

    def _value_comma(self, node: Node) -> Value | Place:
        return self.operand(node)

    def _value_block(self, node: Node) -> Value | Place:
        found: Value | Place = Value(tm.const(0, 32), ty.VOID)
        with self._block():
            for one in node.body.items:
                if one is node.body.items[-1] and one.kind == "expression":
                    found = self.discarded(one.value)
                else:
                    self.run(one)
        return found

    def _value_conditional(self, node: Node) -> Value:
        condition = self.condition(node.condition)
        return self._either(node, condition, lambda: self.value(node.yes), lambda: self.value(node.no))

    def _value_or_else(self, node: Node) -> Value:
        """`a ?: b`, where `a` is evaluated once."""
        given = self.value(node.value)
        kept = self._fresh("given", given.term.sort)
        self.graph.set({kept: given.term})
        once = Value(kept, given.type)
        return self._either(node, self.truth(once, node), lambda: once, lambda: self.value(node.no))

    def _either(
        self, node: Node, condition: Term, yes: Callable[[], Value], no: Callable[[], Value]
    ) -> Value:
        if condition in (tm.TRUE, tm.FALSE):  # also where nothing can be drawn, as in an enumerator
            here, self.graph.here = self.graph.here, None
            other = (no if condition is tm.TRUE else yes)()
            self.graph.here = here
            one = (yes if condition is tm.TRUE else no)()
            kind = self._common(one, other, node)
            if one.truth is not None and other.truth is not None:
                return self.as_int(one.truth)
            return Value(one.term, kind) if isinstance(kind, ty.Void) else self.converted(one, kind, node)
        if not self.draws(node):
            one, other = yes(), no()
            kind = self._common(one, other, node)
            if one.truth is not None and other.truth is not None:
                return self.as_int(tm.choice(condition, one.truth, other.truth))
            terms = [self.converted(each, kind, node).term for each in (one, other)]
            return Value(tm.choice(condition, *terms), kind)
        graph = self.graph
        starts = graph.node(), graph.node()
        graph.branch(condition, *starts)
        ends: list[tuple[int | None, Value]] = []
        for start, side in zip(starts, (yes, no), strict=True):
            graph.here = start
            value = side()
            ends.append((graph.here, value))
        kind = self._common(ends[0][1], ends[1][1], node)
        meet = graph.node()
        result = self._fresh("value", ty.width_of(kind)) if isinstance(kind, ty.Int | ty.Pointer) else None
        for end, value in ends:
            graph.here = end
            if result is not None:
                graph.set({result: self.converted(value, kind, node).term})
            graph.jump(meet)
        graph.here = meet
        return Value(tm.const(0, 32) if result is None else result, kind)

    def _common(self, one: Value, other: Value, node: Node) -> ty.Type:
        if isinstance(one.type, ty.Int) and isinstance(other.type, ty.Int):
            return ty.usual(one.type, other.type)
        if isinstance(one.type, ty.Void) or isinstance(other.type, ty.Void):
            return ty.VOID
        if isinstance(one.type, ty.Pointer):
            return one.type
        if isinstance(other.type, ty.Pointer):
            return other.type
        raise self.refuse(node, f"a choice between {one.type} and {other.type}")

    def _value_binary(self, node: Node) -> Value:
        if node.op in ("&&", "||"):
            left = self.condition(node.left)
            decided = self.as_int(tm.truth(node.op == "||"))
            right: Callable[[], Value] = lambda: self.as_int(self.condition(node.right))  # noqa: E731
            sides = (right, lambda: decided) if node.op == "&&" else (lambda: decided, right)
            return self._either(node, left, *sides)
        is_null = [one.kind in ("number", "cast") for one in (node.left, node.right)]
        if node.op in ("==", "!=") and (
            (self.is_reference(node.left) and is_null[1]) or (self.is_reference(node.right) and is_null[0])
        ):
            return self._compared_with_null(node)
        one, other = self.apart(node, lambda: self.value(node.left), lambda: self.value(node.right))
        return self.operation(node.op, one, other, node)

    def _compared_with_null(self, node: Node) -> Value:
        given, null = node.left, node.right
        if self.is_reference(null):
            given, null = null, given
        one, value = self.apart(node, lambda: self.reference(given), lambda: self.value(null))
        if value.term.value != 0:
            raise self.refuse(node, "comparing two pointers")
        is_some = self._is_some(one, node)
        return self.as_int(is_some if node.op == "!=" else tm.negate(is_some))

    def operation(self, op: str, left: Value, right: Value, node: Node) -> Value:
        if not isinstance(left.type, ty.Int) or not isinstance(right.type, ty.Int):
            return self._of_pointers(op, left, right, node)
        if op in ("<<", ">>"):
            return self._shift(op, left, right, node)
        kind = ty.usual(left.type, right.type)
        one, other = (self.converted(each, kind, node).term for each in (left, right))
        sign = "s" if kind.is_signed else "u"
        if op in ("==", "!="):
            same = tm.equal(one, other)
            return self.as_int(same if op == "==" else tm.negate(same))
        if op in ("<", ">="):
            less = tm.compared(f"bv{sign}lt", one, other)
            return self.as_int(less if op == "<" else tm.negate(less))
        if op in (">", "<="):
            less = tm.compared(f"bv{sign}lt", other, one)
            return self.as_int(less if op == ">" else tm.negate(less))
        if op in ("/", "%"):
            self._require_divisible(one, other, kind, node)
            return Value(tm.binary(f"bv{sign}{'div' if op == '/' else 'rem'}", one, other), kind)
        name = {"+": "bvadd", "-": "bvsub", "*": "bvmul", "&": "bvand", "|": "bvor", "^": "bvxor"}[op]
        if kind.is_signed and op in "+-*":
            self._require_no_overflow(name, one, other, node)
        return Value(tm.binary(name, one, other), kind)

    def _of_pointers(self, op: str, left: Value, right: Value, node: Node) -> Value:
        if op not in ("==", "!="):
            return self._computed_with_pointers(op, left, right, node)
        kind = left.type if isinstance(left.type, ty.Pointer) else right.type
        terms = [self.converted(each, kind, node).term for each in (left, right)]
        same = tm.equal(*terms)
        if self.has_bounds:
            same = self._is_same(same, terms)
        return self.as_int(same if op == "==" else tm.negate(same))

    def _is_same(self, same: Term, pointers: Sequence[Term]) -> Term:
        """The end of an object may be where another one is, and so may be what is gone. What is known: where
        two objects live, one is not in the other, and no function is; NULL is like nothing else."""
        numbers = [object_of(one) for one in pointers]
        null, addresses = tm.const(0, HALF), [*self.functions.values()]
        if any(one is null for one in numbers):
            return same
        self.effects.reads.add(self.memory.sizes)
        is_known = [
            tm.both(
                tm.either((self._is_within(one, 1), *(tm.equal(one, each) for each in addresses)))
                for one in pointers
            ),
            tm.equal(*numbers),
            *(tm.equal(one, null) for one in numbers),
        ]
        unknown = tm.equal(self._unknown(1), tm.const(1, 1))
        return tm.choice(tm.either(is_known), same, tm.either((same, unknown)))

    def _computed_with_pointers(self, op: str, left: Value, right: Value, node: Node) -> Value:
        self._need_memory()
        if op == "+" and isinstance(left.type, ty.Int):
            left, right = right, left
        if op in ("+", "-") and isinstance(left.type, ty.Pointer) and isinstance(right.type, ty.Int):
            wide = tm.resize(right.term, ty.POINTER_BITS, is_signed=right.type.is_signed)
            by = wide if op == "+" else tm.unary("bvneg", wide)
            if self.has_bounds and wide.value != 0:
                is_whole = isinstance(left.type.of, ty.Void | ty.Function)
                bytes_ = 1 if is_whole else self.size(left.type.of, node)
                exact = tm.extend(right.term, 128, is_signed=right.type.is_signed)
                exact = tm.binary("bvmul", exact, tm.const(bytes_, 128))
                exact = exact if op == "+" else tm.unary("bvneg", exact)
                self._require_inside(left, exact, node)
            return Value(self._moved_by(left.term, by, left.type.of), left.type)
        if not isinstance(left.type, ty.Pointer) or not isinstance(right.type, ty.Pointer):
            raise self.refuse(node, "computing with pointers")
        is_same = tm.equal(object_of(left.term), object_of(right.term))
        if self.has_bounds:
            self.graph.require(is_same, self.failure("bounds", node))
        if op == "-":  # of pointers into different objects it is anything, and so is what is less
            kind = ty.Int(self.long_bits, True, 4, "long")
            size = tm.const(ty.size_of(left.type.of, self.pointer_bits), ty.POINTER_BITS)
            apart = tm.binary("bvsdiv", tm.binary("bvsub", left.term, right.term), size)
            narrow = tm.resize(apart, kind.width, is_signed=True)
            return Value(tm.choice(is_same, narrow, self._unknown(kind.width)), kind)
        if op not in ("<", ">", "<=", ">="):
            raise self.refuse(node, "computing with pointers")
        one, other = (left.term, right.term) if op in ("<", ">=") else (right.term, left.term)
        unknown = tm.equal(self._unknown(1), tm.const(1, 1))
        less = tm.choice(is_same, tm.compared("bvult", one, other), unknown)
        return self.as_int(less if op in ("<", ">") else tm.negate(less))

    def _shift(self, op: str, left: Value, right: Value, node: Node) -> Value:
        assert isinstance(left.type, ty.Int)
        assert isinstance(right.type, ty.Int)
        kind, by = ty.promoted(left.type), ty.promoted(right.type)
        one, count = self.converted(left, kind, node).term, self.converted(right, by, node).term
        is_small = tm.compared("bvult", count, tm.const(kind.width, by.width))
        narrow = tm.resize(count, kind.width, is_signed=False)
        result = tm.binary("bvshl" if op == "<<" else "bvashr" if kind.is_signed else "bvlshr", one, narrow)
        if "overflow" in self.checks:
            self.graph.require(is_small, self.failure("overflow", node))
            if op == "<<" and kind.is_signed:
                back = tm.equal(tm.binary("bvashr", result, narrow), one)
                fits = tm.both((back, tm.compared("bvsle", tm.const(0, kind.width), one)))
                self.graph.require(fits, self.failure("overflow", node))
        elif is_small is not tm.TRUE:
            unknown = self._fresh("shifted", kind.width)
            self.graph.choose(unknown)
            result = tm.choice(is_small, result, unknown)
        return Value(result, kind)

    def _require_divisible(self, one: Term, other: Term, kind: ty.Int, node: Node) -> None:
        possible = tm.negate(tm.equal(other, tm.const(0, kind.width)))
        if "division" in self.checks:
            self.graph.require(possible, self.failure("division", node))
        else:
            self.graph.assume(possible)
        if kind.is_signed:
            is_least = tm.equal(one, tm.const(1 << (kind.width - 1), kind.width))
            fits = tm.negate(tm.both((is_least, tm.equal(other, tm.const(-1, kind.width)))))
            if "overflow" in self.checks:
                self.graph.require(fits, self.failure("overflow", node))
            else:
                self.graph.assume(fits)

    def _require_no_overflow(self, name: str, one: Term, other: Term, node: Node) -> None:
        if "overflow" in self.checks:
            wider = 2 * one.width + 1
            exact = tm.binary(name, *(tm.extend(each, wider, is_signed=True) for each in (one, other)))
            wrapped = tm.extend(tm.binary(name, one, other), wider, is_signed=True)
            self.graph.require(tm.equal(exact, wrapped), self.failure("overflow", node))

    def _value_unary(self, node: Node) -> Value:
        if node.op == "!":
            return self.as_int(tm.negate(self.condition(node.value)))
        if node.op == "&":
            if self._is_function(node.value):
                return self.value(node.value)
            self._need_memory()
            return self.pointer(self.reference(node), node)
        value = self.value(node.value)
        if not isinstance(value.type, ty.Int):
            raise self.refuse(node, f"{node.op} of {value.type}")
        kind = ty.promoted(value.type)
        term = self.converted(value, kind, node).term
        if node.op == "-":
            if kind.is_signed:
                self._require_no_overflow("bvsub", tm.const(0, kind.width), term, node)
            return Value(tm.unary("bvneg", term), kind)
        return Value(term if node.op == "+" else tm.unary("bvnot", term), kind)

    def _value_sizeof(self, node: Node) -> Value:
        written = node.type
        kind = self._type_of(node.value) if written is None else self.type(written, self.scope)
        if isinstance(kind, ty.Int) and kind.bits is not None:
            raise self.refuse(node, "the size of a bit-field")
        if isinstance(kind, ty.Void | ty.Function):
            kind = ty.CHAR
        size = self.size(kind, node)
        return Value(tm.const(size, self.long_bits), ty.Int(self.long_bits, False, 4, "unsigned long"))

    def _value_offset(self, node: Node) -> Value:
        kind, found = self.type(node.type, self.scope), tm.const(0, ty.POINTER_BITS)
        for step in node.steps:
            if isinstance(step, Node):
                if not isinstance(kind, ty.Array):
                    raise self.refuse(node, f"an element of {kind}")
                found, kind = (
                    moved(found, self.constant(step, self.scope) * self.size(kind.of, node)),
                    kind.of,
                )
                continue
            for name in (kind.path_to(step) or ("",)) if isinstance(kind, ty.Struct) else ("",):
                if not isinstance(kind, ty.Struct) or name not in (kind.fields or {}):
                    raise self.refuse(node, f"the member '{step}' of {kind}")
                offset, shift = ty.offset_of(kind, name, self.pointer_bits)
                if shift:
                    raise self.refuse(node, "where a bit-field is")
                found, kind = moved(found, offset), (kind.fields or {})[name]
        assert found.value is not None
        return Value(tm.const(found.value, self.long_bits), ty.Int(self.long_bits, False, 4, "unsigned long"))

    def _type_of(self, node: Node) -> ty.Type:
        """Of an operand that is not evaluated: what is drawn for it is thrown away."""
        if node.kind == "name" and isinstance(found := self.scope.find(node.name), FunctionName):
            return found.type
        if any(one.kind in ("call", "assign", "increment", "block") for one in all_parts_of(node)):
            raise self.refuse(node, "the type of something with effects")
        if node.kind == "string":
            return ty.Array(ty.CHAR, len(string_codes(node.texts, node)) + 1)
        effects, self.effects = self.effects, Effects()
        graph, self.graph = self.graph, Graph()
        try:
            return self.place(node).type if self.is_place(node) else self.value(node).type
        finally:
            self.effects, self.graph = effects, graph

    def _value_increment(self, node: Node) -> Value:
        place = self.place(node.value)
        old = self.read(place, node)
        kept = old
        if not node.is_before:
            before = self._fresh("old", old.term.width)
            self.graph.set({before: old.term})
            kept = Value(before, old.type)
        new = self.operation(node.op[0], old, Value(tm.const(1, 32), ty.INT), node)
        self.write(place, self.converted(new, place.type, node).term, node, is_own=True)
        return self.read(place, node) if node.is_before else kept

    def _value_assign(self, node: Node) -> Value | Place:
        if node.op == "=":
            place, given = self.apart(node, lambda: self.place(node.left), lambda: self._right_side(node))
            given, own = given
            if isinstance(given, Place):
                self._copy(place, given, node)
                return place  # type: ignore[no-any-return]
            value: Value = given
        else:
            (place, old), given = self.apart(
                node, lambda: self._place_and_value(node.left), lambda: self._right_side(node)
            )
            right, own = given
            if not isinstance(right, Value):
                raise self.refuse(node, "computing with a struct")
            value = self.operation(node.op[:-1], old, right, node)
        if not isinstance(place.type, ty.Int | ty.Pointer):
            raise self.refuse(node, f"assigning to {place.type}")
        if self._changed_by_writing(place, node) in own:
            raise self.refuse(node, "two assignments to one variable in an expression")
        self.write(place, self.converted(value, place.type, node).term, node, is_own=True)
        return self.read(place, node)

    def _place_and_value(self, node: Node) -> tuple[Place, Value]:
        place = self.place(node)
        return place, self.read(place, node)

    def _right_side(self, node: Node) -> tuple[Value | Place, set[Term]]:
        found = self.operand(node.right)
        return found, set(self.effects.own)

    # --- calls ---

    def _value_call(self, node: Node) -> Value | Place:
        return self.call(node)

    def call(self, node: Node) -> Value | Place:
        if node.function.kind != "name":
            return self._call_by_pointer(node)
        name = node.function.name
        found = self.scope.find(name)
        if isinstance(found, Object | GlobalName | Reference):
            return self._call_by_pointer(node)
        is_defined = isinstance(found, FunctionName) and found.name in self.definitions
        known = None if is_defined and name not in ALWAYS else self._library(name.removesuffix(REAL))
        if known is not None:
            self._require_result(node, name.removesuffix(REAL), found)
            return known(node)
        if not isinstance(found, FunctionName):
            raise self.refuse(node, f"a call of '{name}', which is not declared")
        unread = NOT_READ | READING if self.has_bounds else NOT_READ
        if _without_underscores(name) in unread and not is_defined:
            raise self.refuse(node, f"the function '{name}'")
        if not is_defined:
            return self._of_the_environment(node, found)
        kind = self.types_of[found.name]
        if not ty.compatible(found.type, kind):
            raise self.refuse(node, f"a call of '{name}', which is declared with another type")
        given = self.apart(node, *(lambda one=one: self._argument(one) for one in node.arguments))
        if found.type.parameters is None and not all(map(_is_passed_as, given, kind.parameters or ())):
            raise self.refuse(node, f"a call of '{name}' with others than it is defined with")
        return self._inlined(node, found.name, given)

    def _require_result(self, node: Node, name: str, found: Any) -> None:
        """A function of the library gives what it gives: who declares something else gets other bits."""
        said = found.type.result if isinstance(found, FunctionName) else ty.VOID
        wanted = RESULTS.get(name)
        if name in ("labs", "__builtin_labs"):
            wanted = ty.Int(self.long_bits, True, 4, "long")
        is_fine = wanted is None or isinstance(said, ty.Void)
        if isinstance(wanted, ty.Int) and isinstance(said, ty.Int):
            is_fine = _are_alike(wanted, said)
        if not is_fine and not (isinstance(wanted, ty.Pointer) and isinstance(said, ty.Pointer)):
            raise self.refuse(node, f"the function '{name}', which is declared to return {said},")

    def _call_by_pointer(self, node: Node) -> Value:
        """One of the functions whose address is taken. Of another one nothing is known: that is a failure."""
        function = node.function
        while function.kind == "unary" and function.op == "*":
            function = function.value
        pointer, *given = self.apart(
            node,
            lambda: self.value(function),
            *(lambda one=one: self._argument(one) for one in node.arguments),
        )
        kind = pointer.type.of if isinstance(pointer.type, ty.Pointer) else None
        if not isinstance(kind, ty.Function):
            raise self.refuse(node, "a call through this")
        names = [one[1] for one in self.addressed if isinstance(one, tuple) and one[0] == FUNCTION]
        is_open = kind.parameters is None
        is_other = any(
            not ty.compatible(one, kind) or (one.parameters is None) != is_open
            for one in map(self.types_of.__getitem__, names)
        )
        if is_other or isinstance(kind.result, ty.Struct):
            raise self.refuse(node, "a call through a pointer, where functions have other types")
        graph, starts, others = self.graph, [], self.graph.node()
        chosen = self._fresh("called", ty.POINTER_BITS)
        graph.set({chosen: pointer.term})
        tests = []
        for name in sorted(names):
            starts.append((name, graph.node()))
            tests.append((tm.equal(chosen, self._address_of_function(name)), starts[-1][1]))
        null = tm.equal(chosen, tm.const(0, ty.POINTER_BITS))
        rest = tm.both(tm.negate(test) for test in (null, *(test for test, _ in tests)))
        graph.leave([*tests, (rest, others)])
        graph.here = others
        graph.fail(self.failure("a call of what is no function of the program", node))
        meet = graph.node()
        result = None if isinstance(kind.result, ty.Void) else self._fresh("value", _width(kind.result))
        for name, start in starts:
            graph.here = start
            found = self._inlined(node, name, given)
            if result is not None:
                assert isinstance(found, Value)
                graph.set({result: found.term})
            graph.jump(meet)
        graph.here = meet
        return Value(tm.const(0, 32) if result is None else result, kind.result)

    def _address_of_function(self, name: str) -> Term:
        if name not in self.functions:
            self.functions[name] = self.memory.address()
        return self.functions[name]

    def _argument(self, node: Node) -> Value | Place | Reference:
        return self.reference(node) if self.is_reference(node) else self.operand(node)

    def _inlined(self, node: Node, name: str, given: Sequence[Value | Place | Reference]) -> Value | Place:
        kind = self.types_of[name]
        parameters = kind.parameters or ()
        arguments: list[Value | Place | Reference] = []
        if len(given) < len(parameters) or (len(given) > len(parameters) and not kind.is_variadic):
            raise self.refuse(node, f"a call of '{name}' with another number of arguments")
        for position, (one, target) in enumerate(zip(given, parameters, strict=False)):
            if isinstance(one, Reference):
                is_same = isinstance(target, ty.Pointer) and target.of == one.type
                if is_same and name not in self.contracts and self._can_refer(name, position):
                    arguments.append(self._kept(one))
                else:
                    arguments.append(self.converted(self.pointer(one, node), target, node))
            elif isinstance(one, Value):
                arguments.append(self.converted(one, target, node))
            elif ty.compatible(one.type, target):
                arguments.append(one)
            else:
                raise self.refuse(node, f"passing {one.type} as {target}")
        if name in self.contracts:
            return self._by_contract(node, name, arguments)
        if sum(frame.name == name for frame in self.frames) > self.recursion:
            self.graph.fail(self.failure("unwinding", node))
            return Value(tm.const(0, _width(kind.result)), kind.result)
        if len(self.frames) > MOST_DEPTH:
            raise self.refuse(node, f"more than {MOST_DEPTH} calls in each other")
        first = first_word(node.function)
        called = plain(name)
        site = (0, 0, called) if called.endswith(REAL) else (first.line, first.column, called)
        caller, outer = self.frame, self.effects
        if self.graph.here is not None:
            self.paths.add((*caller.path, site))
        self.effects = Effects()
        with _within(self.homes[name].name):
            frame = self._begin(name, (*caller.path, site))
            self._parameters(frame, arguments)
            self._run_body(frame)
        outer.reads |= self.effects.reads
        outer.writes |= self.effects.writes
        self.effects = outer
        if isinstance(frame.result, Object):
            kept = self._object(frame.result.type, "returned", lambda _: None)
            place = Place(kept, kept.type)
            self.graph.set(self._copied(place, Place(frame.result, kept.type), node))
            return place
        if frame.result is None:
            return Value(tm.const(0, 32), ty.VOID)
        result = self._returned(node, frame.result.width)
        self.graph.set({result: frame.result})
        return Value(result, kind.result)

    def _returned(self, node: Node, width: int) -> Term:
        result, first = self._fresh("returned", width), first_word(node.function)
        self._call(("r", self.frame.path, first.line, first.column), result)
        return result

    def _of_the_environment(self, node: Node, found: FunctionName) -> Value:
        """Returns anything and changes nothing."""
        if STATIC in found.name:
            raise self.refuse(node, f"a call of '{plain(found.name)}', which is static and has no body")
        for one in node.arguments:
            if one.kind == "name" and isinstance(self.scope.find(one.name), FunctionName):
                raise self.refuse(node, f"giving a function to '{found.name}'")
        given = self._ignored(node)
        if any(isinstance(one, Value) and self._is_of_a_function(one) for one in given):
            raise self.refuse(node, f"giving a function to '{found.name}'")
        if _without_underscores(found.name) in WRITING | OF_BYTES and any(
            map(_may_be_written_through, given)
        ):
            raise self.refuse(node, f"the function '{found.name}', which writes what it is given,")
        kind = found.type.result
        if isinstance(kind, ty.Int | ty.Pointer | ty.Void):
            self.externals.add(found.name.removesuffix(REAL))
        return self._anything(node, kind, found.name)

    def _is_of_a_function(self, value: Value) -> bool:
        is_typed = isinstance(value.type, ty.Pointer) and isinstance(value.type.of, ty.Function)
        return is_typed or value.term in self.functions.values()

    def _ignored(self, node: Node) -> list[Value | Place | Reference]:
        """Arguments that nobody looks at; texts among them are only shown."""
        wanted = [one for one in node.arguments if not _is_text(one)]
        return self.apart(node, *(lambda one=one: self._argument(one) for one in wanted))

    def _anything(self, node: Node, kind: ty.Type, origin: str) -> Value:
        if isinstance(kind, ty.Void):
            return Value(tm.const(0, 32), kind)
        if not isinstance(kind, ty.Int | ty.Pointer):
            raise self.refuse(node, f"an input of type {kind}")
        result = self._returned(node, ty.width_of(kind))
        self.graph.choose(result, origin)
        if isinstance(kind, ty.Pointer):
            self.has_foreign_pointers = True
            if self.has_bounds:  # what they point to is nobody's here
                self.left_open = CannotCheck("the bounds of pointers from outside", node.line, node.column)
            outside = tm.compared("bvule", tm.const(FIRST_FROM_OUTSIDE, HALF), object_of(result))
            self.graph.assume(tm.either((outside, tm.equal(result, tm.const(0, ty.POINTER_BITS)))))
            return Value(result, kind)
        if kind.is_bool:
            self.graph.assume(tm.compared("bvule", result, tm.const(1, 8)))
        return Value(result, kind)

    # --- functions that programs need not define ---

    def _library(self, name: str) -> Callable[[Node], Value] | None:
        if name.startswith("__VERIFIER_nondet_"):
            return self._input
        return {
            "__assay_rule_failed": lambda node: self._fails(node, "rule"),
            "reach_error": lambda node: self._fails(node, "error"),
            "__VERIFIER_error": lambda node: self._fails(node, "error"),
            "__assert_fail": lambda node: self._fails(node, "assertion", is_silent=True),
            "__assert": lambda node: self._fails(node, "assertion", is_silent=True),
            **dict.fromkeys(("__VERIFIER_assume", "assume", "__builtin_assume"), self._assume),
            "__VERIFIER_assert": self._assert,
            **dict.fromkeys(("malloc", "__builtin_malloc", "calloc"), self._allocate),
            **dict.fromkeys(("free", "__builtin_free"), self._free),
            **dict.fromkeys(("memset", "__builtin_memset"), self._set_bytes),
            **dict.fromkeys(("memcpy", "memmove", "__builtin_memcpy"), self._copy_bytes),
            **dict.fromkeys(STOPS, self._stop),
            **dict.fromkeys(("printf", "fprintf"), self._format),
            **dict.fromkeys(("puts", "putchar", "fflush"), self._print),
            "__builtin_expect": self._expect,
            **dict.fromkeys(("abs", "labs", "llabs", "__builtin_abs", "__builtin_labs"), self._absolute),
            **dict.fromkeys(("__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"), self._nothing),
        }.get(name)

    def _one(self, node: Node) -> Value:
        if len(node.arguments) != 1:
            raise self.refuse(node, "another number of arguments")
        return self.value(node.arguments[0])

    def _nothing(self, node: Node) -> Value:
        self._ignored(node)
        return Value(tm.const(0, 32), ty.VOID)

    def _allocate(self, node: Node) -> Value:
        """An object of its own, which holds anything, or zeros. Its size matters where bounds are checked."""
        self._need_memory()
        self.has_heap = True
        is_cleared = node.function.name.removesuffix(REAL) == "calloc"
        if len(node.arguments) != (2 if is_cleared else 1):
            raise self.refuse(node, "another number of arguments")
        sizes = self.apart(node, *(lambda one=one: self.value(one) for one in node.arguments))
        size = tm.const(1, 128)
        for one in sizes:
            size = tm.binary("bvmul", size, tm.extend(self._size(one, node), 128, is_signed=False))
        if is_cleared and (size.value is None or size.value > MOST_CELLS):
            raise self.refuse(node, "calloc of an unknown size, or of a large one")
        heap, made = self.memory.heap, self._fresh("allocated", ty.POINTER_BITS)
        left = tm.negate(tm.equal(heap, tm.const(FIRST_FROM_OUTSIDE - 1, HALF)))
        self.graph.require(left, self.failure("too many allocations", node))
        one = tm.const(1, HALF)
        self.graph.set({made: tm.concat(heap, tm.const(0, HALF)), heap: tm.binary("bvadd", heap, one)})
        if self.has_bounds:
            self._keep_size(made, size, node)
        if is_cleared:
            cells = self.memory.cells
            self.graph.set({cells: self.memory.zeros(size.value or 0, made, cells)})
            self.effects.writes.add(cells)
        if "allocation" in self.checks:  # what was made is nobody's then
            fails = tm.equal(self._unknown(1), tm.const(1, 1))
            self.graph.set({made: tm.choice(fails, tm.const(0, ty.POINTER_BITS), made)})
        return Value(made, ty.Pointer(ty.VOID))

    def _size(self, value: Value, node: Node) -> Term:
        """As the library gets it, with 64 bits."""
        kind = ty.Int(self.long_bits, False, 4, "unsigned long")
        return tm.resize(self.converted(value, kind, node).term, 64, is_signed=False)

    def _keep_size(self, made: Term, size: Term, node: Node) -> None:
        is_small = tm.compared("bvult", size, tm.const(1 << (HALF - 1), 128))
        if is_small is not tm.TRUE:
            self.left_open = CannotCheck("an allocation of 2 GiB or more", node.line, node.column)
        self.graph.require(is_small, self.failure("allocation", node))
        kept = tm.binary("bvadd", tm.extract(HALF - 1, 0, size), tm.const(1, HALF))
        sizes = self.memory.sizes
        self.graph.set({sizes: tm.store(sizes, object_of(made), kept)})
        self.effects.writes.add(sizes)

    def _free(self, node: Node) -> Value:
        if not self.has_bounds:
            return self._nothing(node)
        self._need_memory()
        pointer = self.converted(self._one(node), ty.Pointer(ty.VOID), node).term
        number, sizes = object_of(pointer), self.memory.sizes
        is_null = tm.equal(pointer, tm.const(0, ty.POINTER_BITS))
        is_allocated = [
            tm.compared("bvule", tm.const(FIRST_ON_THE_HEAP, HALF), number),
            tm.compared("bvult", number, tm.const(FIRST_FROM_OUTSIDE, HALF)),
            tm.equal(tm.extract(HALF - 1, 0, pointer), tm.const(0, HALF)),
            tm.negate(tm.equal(tm.select(sizes, number), tm.const(0, HALF))),
        ]
        self.graph.require(tm.either((is_null, tm.both(is_allocated))), self.failure("bounds", node))
        gone = tm.store(sizes, number, tm.const(0, HALF))
        self.graph.set({sizes: tm.choice(is_null, sizes, gone)})
        self.effects.writes.add(sizes)
        return Value(tm.const(0, 32), ty.VOID)

    def _set_bytes(self, node: Node) -> Value:
        pointer, byte, count = self._bytes(node)
        self._require_bytes(pointer, count, node)
        low = tm.extract(7, 0, self.converted(byte, ty.INT, node).term)
        cells = self.memory.cells
        if count.value is not None:
            found = self.memory.set_bytes(low, count.value, pointer.term, cells)
        else:
            found = self.memory.set_some(low, count, pointer.term, cells)
        self.graph.set({cells: found})
        self.effects.writes.add(cells)
        return pointer

    def _copy_bytes(self, node: Node) -> Value:
        """All at once, so it does not matter whether the objects overlap."""
        target, source, count = self._bytes(node)
        source = self.converted(source, ty.Pointer(ty.VOID), node)
        self._require_bytes(target, count, node)
        self._require_bytes(source, count, node)
        cells, unknown = self.memory.cells, self._unknown
        if count.value is not None:
            copied = self.memory.copied(source.term, target.term, count.value, cells, unknown)
        else:
            copied = self.memory.copied_some(source.term, target.term, count, cells, unknown)
        self.graph.set({cells: copied})
        self.effects.reads.add(cells)
        self.effects.writes.add(cells)
        return target

    def _bytes(self, node: Node) -> tuple[Value, Value, Term]:
        """A pointer, what goes there, and how many bytes that are, with 64 bits."""
        self._need_memory()
        self.copies.add((node.line, node.column))
        if len(node.arguments) != 3:
            raise self.refuse(node, "another number of arguments")
        pointer, value, count = self.apart(node, *(lambda one=one: self.value(one) for one in node.arguments))
        pointer = self.converted(pointer, ty.Pointer(ty.VOID), node)
        number = self._size(count, node)
        if number.value is None:
            kept = self._fresh("bytes", 64)
            self.graph.set({kept: number})
            number = kept
            self.left_open = CannotCheck(
                f"more than {MOST_UNKNOWN} bytes, of which it is not known how many they are",
                node.line,
                node.column,
            )
            is_small = tm.compared("bvule", number, tm.const(MOST_UNKNOWN, 64))
            self.graph.require(is_small, self.failure("too many bytes", node))
        elif number.value > MOST_CELLS:
            raise self.refuse(node, f"more than {MOST_CELLS} bytes at once")
        return pointer, value, number

    def _require_bytes(self, pointer: Value, count: Term, node: Node) -> None:
        """Where no byte is touched the pointer does not matter."""
        if count.value == 0:
            return
        none = tm.equal(count, tm.const(0, 64))
        if not self.has_bounds:
            is_null = tm.equal(pointer.term, tm.const(0, ty.POINTER_BITS))
            self.graph.assume(tm.either((none, tm.negate(is_null))))
            return
        self.effects.reads.add(self.memory.sizes)
        start = tm.extend(tm.extract(HALF - 1, 0, pointer.term), 66, is_signed=False)
        end = tm.binary("bvadd", start, tm.extend(count, 66, is_signed=False))
        limit = tm.extend(self._limit(pointer.term), 66, is_signed=False)
        inside = tm.either((none, tm.compared("bvult", end, limit)))
        self.graph.require(inside, self.failure("bounds", node))

    def _fails(self, node: Node, kind: str, *, is_silent: bool = False) -> Value:
        if not is_silent:
            self._ignored(node)
        self.graph.fail(self.failure(kind, node))
        return Value(tm.const(0, 32), ty.VOID)

    def _assume(self, node: Node) -> Value:
        self.graph.assume(self.truth(self._one(node), node))
        return Value(tm.const(0, 32), ty.VOID)

    def _assert(self, node: Node) -> Value:
        self.graph.require(self.truth(self._one(node), node), self.failure("assertion", node))
        return Value(tm.const(0, 32), ty.VOID)

    def _stop(self, node: Node) -> Value:
        self._ignored(node)
        self.graph.stop()
        return Value(tm.const(0, 32), ty.VOID)

    def _format(self, node: Node) -> Value:
        position = 1 if node.function.name.startswith("fprintf") else 0
        text = node.arguments[position] if len(node.arguments) > position else None
        if text is None or text.kind != "string":
            raise self.refuse(node, "printing with a format that is no text")
        shown = bytes(string_codes(text.texts, text)).decode("latin-1").replace("%%", "")
        if STORES.search(shown):
            raise self.refuse(node, "printing with a format that may store something")
        return self._print(node)

    def _print(self, node: Node) -> Value:
        self._ignored(node)
        result = self._fresh("printed", 32)
        self.graph.choose(result)
        return Value(result, ty.INT)

    def _expect(self, node: Node) -> Value:
        one, _ = self.apart(node, *(lambda one=one: self.value(one) for one in node.arguments))
        return self.converted(one, ty.Int(self.long_bits, True, 4, "long"), node)

    def _absolute(self, node: Node) -> Value:
        name = node.function.name.removesuffix(REAL).removeprefix("__builtin_")
        width = {"abs": 32, "labs": self.long_bits, "llabs": 64}[name]
        kind = ty.INT if name == "abs" else ty.Int(width, True, 4, "long")
        term = self.converted(self._one(node), kind, node).term
        if "overflow" in self.checks:
            least = tm.const(1 << (width - 1), width)
            self.graph.require(tm.negate(tm.equal(term, least)), self.failure("overflow", node))
        is_negative = tm.compared("bvslt", term, tm.const(0, width))
        return Value(tm.choice(is_negative, tm.unary("bvneg", term), term), kind)

    def _input(self, node: Node) -> Value:
        self._ignored(node)
        name = node.function.name.removesuffix(REAL)
        word = name.removeprefix("__VERIFIER_nondet_")
        kind = INPUTS.get(word)
        if word in LONG_INPUTS:
            is_signed = word in ("long", "loff_t")
            kind = ty.Int(self.long_bits, is_signed, 4, "long" if is_signed else "unsigned long")
        if kind is None:
            raise self.refuse(node, f"the input '{name}'")
        found = self.scope.find(node.function.name)
        declared = found.type.result if isinstance(found, FunctionName) else None
        if word in OF_THE_PROGRAM and isinstance(declared, ty.Int):
            kind = declared
        declared = declared or ty.INT  # as C has it without a declaration
        if kind == ty.BOOL and isinstance(declared, ty.Int):
            return self.converted(self._anything(node, kind, node.function.name), declared, node)
        if not isinstance(kind, ty.Int) or not isinstance(declared, ty.Int) or not _are_alike(kind, declared):
            raise self.refuse(node, f"the input '{name}', which is declared as {declared},")
        return self._anything(node, kind, node.function.name)


@contextmanager
def _within(file: str) -> Iterator[None]:
    """What is refused in here has a place in this file."""
    try:
        yield
    except CannotCheck as problem:
        raise problem.within(file) from None


def plain(function: str) -> str:
    """As its own file calls it."""
    return function.partition(STATIC)[0]


def _defined_in(tree: Sequence[Node]) -> Iterator[str]:
    """Variables that all files know and that this one defines."""
    own = {node.name for node in tree if node.kind == "declare" and "static" in node.storage}
    for node in tree:
        is_variable = node.kind == "declare" and not {"typedef", "static"} & set(node.storage)
        is_defined = is_variable and ("extern" not in node.storage or node.init is not None)
        if is_defined and node.name is not None and node.name not in own:
            yield node.name


def _without_underscores(name: str) -> str:
    """As the library calls what has another name for compilers: `__strcpy_chk`, `_longjmp`."""
    return name.removesuffix(REAL).removeprefix("__builtin_").strip("_").removesuffix("_chk")


def _wrapped(number: int, kind: ty.Int) -> int:
    low = number & ((1 << kind.width) - 1)
    return tm.signed(low, kind.width) if kind.is_signed else low


def _is_one_of(chosen: Term, kind: ty.Int, first: int, last: int) -> Term:
    """Of a `case`, or of GNU C's `case 1 ... 5`, which is empty if the last is less."""
    if first == last:
        return tm.equal(chosen, tm.const(first, kind.width))
    less = "bvsle" if kind.is_signed else "bvule"
    low, high = tm.const(first, kind.width), tm.const(last, kind.width)
    return tm.both((tm.compared(less, low, chosen), tm.compared(less, chosen, high)))


def _is_of_a_wrapper(node: Node) -> bool:
    return node.name is not None and OF_A_WRAPPER.fullmatch(node.name) is not None


def _zero(variable: Term, leaf: ty.Leaf) -> Term:
    zero = tm.const(0, ty.width_of(leaf.type))
    return tm.filled(variable.sort, zero) if isinstance(variable.sort, tuple) else zero


def _width(kind: ty.Type) -> int:
    return ty.width_of(kind) if isinstance(kind, ty.Int | ty.Pointer) else 32


def _are_alike(one: ty.Int, other: ty.Int) -> bool:
    return (one.width, one.is_signed, one.is_bool) == (other.width, other.is_signed, other.is_bool)


def _is_passed_as(given: Value | Place | Reference, wanted: ty.Type) -> bool:
    """Whether a function gets it as it is, where nobody has said what it wants (C11 6.5.2.2)."""
    if isinstance(wanted, ty.Pointer):
        return isinstance(given, Reference) or isinstance(given.type, ty.Pointer)
    if isinstance(wanted, ty.Int) and not isinstance(given, Reference) and isinstance(given.type, ty.Int):
        return ty.promoted(wanted) == wanted and ty.promoted(given.type).width == wanted.width
    return isinstance(given, Place) and ty.compatible(given.type, wanted)


def _may_be_written_through(given: Value | Place | Reference) -> bool:
    if isinstance(given, Value) and isinstance(given.type, ty.Pointer):
        return given.term.value != 0
    return isinstance(given, Reference)


def _is_text(node: Node) -> bool:
    while node.kind == "cast":
        node = node.value
    return node.kind == "string"


def is_changed(node: Node, name: str) -> bool:
    """Whether something in it may assign to a variable of that name, or takes its address."""
    for one in all_parts_of(node):
        target = None
        if one.kind == "assign":
            target = one.left
        elif one.kind == "increment" or (one.kind == "unary" and one.op == "&"):
            target = one.value
        if target is not None and target.kind == "name" and target.name == name:
            return True
    return False


def all_parts_of(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        yield waiting[-1]
        waiting += parts_of(waiting.pop())


def first_word(node: Node) -> Node:
    """Of what is called: a name, or what begins an expression."""
    while node.kind in ("member_of", "member_at", "index", "call"):
        node = node.function if node.kind == "call" else node.value
    return node


def _is_bit_field(kind: ty.Type) -> bool:
    return isinstance(kind, ty.Int) and kind.bits is not None


def members(kind: ty.Struct) -> list[str]:
    """That can be given an initial value without being named."""
    fields = kind.fields or {}
    return [name for name, one in fields.items() if not name.startswith("<") or isinstance(one, ty.Struct)]


def _in_braces_of_others(kind: ty.Struct) -> int:
    """How many members take initial values where the braces of this are left out: of a union the first."""
    return min(1, len(members(kind))) if kind.is_union else len(members(kind))


def parts_of(node: Node) -> Iterator[Node]:
    for part in node.parts.values():
        if isinstance(part, Node):
            yield part
        elif isinstance(part, list):
            yield from (one for one in part if isinstance(one, Node))


ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}
CODE = re.compile(r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|.)|([^\\])", re.DOTALL)


def string_codes(texts: Sequence[str], node: Node) -> list[int]:
    found: list[int] = []
    for text in texts:
        for escape, plain in CODE.findall(text[1:-1]):
            if plain:
                found += plain.encode("utf-8", "surrogateescape")
            elif escape in ESCAPES:
                found.append(ESCAPES[escape])
            elif escape[0] == "x":
                found.append(int(escape[1:], 16) & 255)
            elif escape[0] in "01234567":
                found.append(int(escape, 8) & 255)
            elif escape in "\\'\"?":
                found.append(ord(escape))
            else:
                raise CannotCheck(f"the character '\\{escape}'", node.line, node.column)
    return found


INPUTS: dict[str, ty.Type] = {
    "int": ty.INT,
    **dict.fromkeys(("uint", "unsigned_int", "unsigned", "u32"), ty.UNSIGNED),
    "char": ty.CHAR,
    **dict.fromkeys(("uchar", "unsigned_char", "u8"), ty.Int(8, False, 1, "unsigned char")),
    "short": ty.Int(16, True, 2, "short"),
    **dict.fromkeys(("ushort", "unsigned_short", "u16"), ty.Int(16, False, 2, "unsigned short")),
    "longlong": ty.LONG_LONG,
    "ulonglong": ty.UNSIGNED_LONG_LONG,
    **dict.fromkeys(("bool", "_Bool"), ty.BOOL),
}
OF_THE_PROGRAM = {"size_t", "loff_t", "sector_t", "u8", "u16", "u32"}  # what they are, it declares
LONG_INPUTS = {"long", "ulong", "unsigned_long", "size_t", "loff_t", "sector_t"}
RESULTS: dict[str, ty.Type] = {
    **dict.fromkeys(("printf", "fprintf", "puts", "putchar", "fflush", "abs", "__builtin_abs"), ty.INT),
    "llabs": ty.LONG_LONG,
    **dict.fromkeys(("malloc", "__builtin_malloc", "calloc", "memset"), ty.Pointer(ty.VOID)),
    **dict.fromkeys(("__builtin_memset", "memcpy", "memmove", "__builtin_memcpy"), ty.Pointer(ty.VOID)),
}
STOPS = (
    *("abort", "exit", "_exit", "_Exit"),
    *("__builtin_unreachable", "__builtin_trap", "__builtin_abort"),
)
# Their meaning is fixed, whatever body the program gives them.
ALWAYS = {"reach_error", "__VERIFIER_error", "__VERIFIER_assume", "__assert_fail"}
# They change memory, or say something about it.
NOT_READ = frozenset(
    "__builtin_alloca aligned_alloc alloca at_quick_exit atexit bcopy bsearch bzero clock_gettime dprintf "
    "fgets fork fread frexp fscanf fstat getcwd getline getrusage gets gettimeofday gmtime_r index kill "
    "localtime_r longjmp lstat memalign memccpy memchr memmem mempcpy memrchr modf on_exit posix_memalign "
    "pthread_create qsort raise rawmemchr read readlink realloc reallocarray realpath recv recvfrom "
    "recvmsg remquo rindex scanf setjmp sigaction siglongjmp signal sigsetjmp snprintf sprintf sscanf "
    "stpcpy stpncpy strcasestr strcat strchr strchrnul strcpy strdup strncat strncpy strndup strpbrk "
    "strrchr strsep strstr strtod strtof strtok strtol strtold strtoll strtoul strtoull strxfrm swab "
    "valloc vfork vfprintf vprintf vsnprintf vsprintf cxa_atexit cxa_at_quick_exit cxa_thread_atexit_impl "
    "register_atfork pthread_atfork sigsetjmp_cancel libc_start_main setcontext swapcontext makecontext "
    "tsearch twalk ftw nftw lfind thrd_create call_once pthread_once qsort_r".split()
)
# They read through pointers, so where bounds are asked for they are no functions of which nothing is known.
READING = frozenset({"strlen", "strnlen", "strcmp", "strncmp", "memcmp", "strcasecmp", "atoi"})
OF_BYTES = frozenset({"memcpy", "memmove", "memset"})  # by another name than those that are read
# They write through a pointer that they are given, if it is one.
WRITING = frozenset(
    "accept accept4 asctime_r asprintf clock_getres clock_nanosleep confstr crypt_r ctime_r drand48_r "
    "erand48 explicit_bzero fgetpos fgets_unlocked fgetws fread_unlocked fstatat fstatfs fstatvfs fwscanf "
    "getaddrinfo getdelim getdents getdomainname getentropy getgrgid_r getgroups gethostname getitimer "
    "getloadavg getlogin_r getnameinfo getopt getopt_long getpeername getpwnam_r getpwuid_r getrandom "
    "getresgid getresuid getrlimit getsockname getsockopt getsubopt getwd glob iconv inet_aton inet_pton "
    "initstate_r ioctl jrand48 lcong48 lrand48_r lsearch mblen mbrlen mbrtowc mbsnrtowcs mbsrtowcs "
    "mbstowcs mbtowc memfrob mkdtemp mkostemp mkstemp mktemp mktime mrand48_r nanosleep nrand48 "
    "open_memstream pipe pipe2 poll ppoll pread preadv prlimit pselect pthread_attr_getdetachstate "
    "pthread_getname_np pthread_join ptsname_r rand_r random_r readdir_r readlinkat readv recvmmsg "
    "regcomp regerror regexec sched_getaffinity sched_getparam seed48 select sem_getvalue setitimer "
    "setstate_r sigaltstack sigemptyset sigfillset sigpending sigprocmask sigwait socketpair srand48_r "
    "stat statfs statvfs strerror_r strfmon strfry strftime strlcat strlcpy strptime strtoimax strtok_r "
    "strtoumax swprintf swscanf sysinfo tcgetattr time timegm timer_gettime times timespec_get tmpnam "
    "tmpnam_r ttyname_r uname vasprintf vfscanf vscanf vsscanf wait wait3 wait4 waitid waitpid wcpcpy "
    "wcpncpy wcrtomb wcscat wcscpy wcsftime wcsncat wcsncpy wcsnrtombs wcsrtombs wcstod wcstok wcstol "
    "wcstombs wcstoul wcsxfrm wctomb wmemcpy wmemmove wmempcpy wmemset".split()
)
