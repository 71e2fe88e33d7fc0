"""What names mean: scopes, and types from declarations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from pycparser import c_ast

from assay.languages.c import types as t
from assay.languages.c.memory import POINTER_BITS, Region
from assay.languages.c.preprocessing import DataModel
from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential.bitvectors import Array, Bits, Sort, Term
from assay.transition_system.sequential.control_flow import Place, Position

INDEX_BITS = 32  # of an element's position; no array has more elements
MOST_ELEMENTS = 1 << 24
MOST_SCALARS = 1 << 14  # of a struct, those of an array once


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar in an object: all the elements that are reached by the same fields."""

    path: tuple[str, ...]
    lengths: tuple[int, ...]
    type: t.Integer | t.Pointer

    @property
    def elements(self) -> int:
        count = 1
        for length in self.lengths:
            count *= length
        return count


class Object:
    """A variable of C. If nobody has its address, each of its leaves is a variable; else it is in memory."""

    def __init__(self, name: str, kind: t.Type, key: Hashable) -> None:
        self.name, self.type, self.key = name, kind, key
        self.leaves: tuple[Leaf, ...] = ()
        self.terms: dict[tuple[str, ...], Term] = {}
        self.address: Term | None = None
        self.region: Region | None = None

    def is_made_of_variables(self, made: Callable[[str, Sort], Term]) -> None:
        self.leaves = tuple(leaves(self.type))
        self.terms = {
            leaf.path: made(".".join((self.name, *leaf.path)), sort_of(leaf)) for leaf in self.leaves
        }

    def is_in_memory(self, address: Term, region: Region) -> None:
        self.address, self.region = address, region


@dataclass(frozen=True, slots=True)
class Enumerator:
    value: int
    type: t.Integer


@dataclass(frozen=True, slots=True)
class TypeName:
    type: t.Type


@dataclass(frozen=True, slots=True)
class FunctionName:
    name: str  # unique in the program
    type: t.Function


Entity = Object | Enumerator | TypeName | FunctionName


class Scope:
    def __init__(self, outer: Scope | None = None) -> None:
        self.outer = outer
        self.names: dict[str, Entity] = {}
        self.tags: dict[str, t.Type] = {}
        self.living: list[Term] = []  # addresses of its objects, where somebody asks how long they live

    def find(self, name: str) -> Entity | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def find_tag(self, tag: str) -> t.Type | None:
        scope: Scope | None = self
        while scope is not None:
            if tag in scope.tags:
                return scope.tags[tag]
            scope = scope.outer
        return None


def leaves(kind: t.Type, path: tuple[str, ...] = (), lengths: tuple[int, ...] = ()) -> Iterator[Leaf]:
    """All scalars but those that are not modelled, which are refused where they are used."""
    if isinstance(kind, t.Integer | t.Pointer):
        yield Leaf(path, lengths, kind)
    elif isinstance(kind, t.ArrayOf):
        yield from leaves(kind.element, path, (*lengths, kind.length or 0))
    elif isinstance(kind, t.Struct):
        for name, field in (kind.fields or {}).items():
            yield from leaves(field, (*path, name), lengths)


def _scalars(kind: t.Type) -> int:
    while isinstance(kind, t.ArrayOf):
        kind = kind.element
    return kind.scalars if isinstance(kind, t.Struct) else 1


def width_of(kind: t.Integer | t.Pointer) -> int:
    return kind.width if isinstance(kind, t.Integer) else POINTER_BITS


def sort_of(leaf: Leaf) -> Sort:
    width = width_of(leaf.type)
    if leaf.elements > MOST_ELEMENTS:
        raise UnsupportedConstruct(f"an array of more than {MOST_ELEMENTS} elements is not modelled")
    return Array(INDEX_BITS, width) if leaf.lengths else Bits(width)


WORDS: dict[tuple[str, ...], t.Type] = {
    ("void",): t.VOID,
    ("_Bool",): t.TRUTH,
    ("char",): t.CHAR,
    ("char", "signed"): t.SIGNED_CHAR,
    ("char", "unsigned"): t.UNSIGNED_CHAR,
    ("short",): t.SHORT,
    ("int", "short"): t.SHORT,
    ("short", "signed"): t.SHORT,
    ("int", "short", "signed"): t.SHORT,
    ("short", "unsigned"): t.UNSIGNED_SHORT,
    ("int", "short", "unsigned"): t.UNSIGNED_SHORT,
    ("int",): t.INT,
    ("signed",): t.INT,
    ("int", "signed"): t.INT,
    ("unsigned",): t.UNSIGNED,
    ("int", "unsigned"): t.UNSIGNED,
    ("long", "long"): t.LONG_LONG,
    ("int", "long", "long"): t.LONG_LONG,
    ("long", "long", "signed"): t.LONG_LONG,
    ("int", "long", "long", "signed"): t.LONG_LONG,
    ("long", "long", "unsigned"): t.UNSIGNED_LONG_LONG,
    ("int", "long", "long", "unsigned"): t.UNSIGNED_LONG_LONG,
    ("float",): t.Unmodelled("float"),
    ("double",): t.Unmodelled("double"),
    ("double", "long"): t.Unmodelled("long double"),
}
LONGS = {
    ("long",): True,
    ("int", "long"): True,
    ("long", "signed"): True,
    ("int", "long", "signed"): True,
    ("long", "unsigned"): False,
    ("int", "long", "unsigned"): False,
}


def place_of(node: Any, function: str = "") -> Place:
    at = getattr(node, "coord", None)
    if at is None:
        return Place("", 0, 0, function)
    return Place(at.file or "", at.line, at.column or 0, function)


def position_of(node: Any) -> Position | None:
    """Where the name of what is declared stands."""
    inner = node
    while inner is not None and not isinstance(inner, c_ast.TypeDecl):
        inner = getattr(inner, "type", None)
    at = getattr(inner, "coord", None)
    return None if at is None else (at.line, at.column or 0)


class Types:
    """Reads types; `constant` evaluates the lengths of arrays and the values of enumerators in a scope, and
    `type_of` says which type an expression has there."""

    def __init__(
        self,
        model: DataModel,
        constant: Callable[[c_ast.Node, Scope], int],
        type_of: Callable[[c_ast.Node, Scope], t.Type],
        structs: dict[Hashable, t.Struct],
    ) -> None:
        self.model = model
        self.constant = constant
        self.type_of = type_of
        self.structs = structs  # they stay the same when the program is read again
        self.declared: set[int] = set()
        self.complete: set[t.Struct] = set()
        self.packings: dict[int, int] = {}  # of nodes that define structs
        self.altered: set[str] = set()  # tags and names of types that attributes of system headers change

    def of(self, node: c_ast.Node, scope: Scope) -> t.Type:
        if isinstance(node, c_ast.Typename | c_ast.Decl | c_ast.Typedef):
            return self.of(node.type, scope)
        if isinstance(node, c_ast.TypeDecl):
            kind = self._base(node.type, scope)
            return t.Unmodelled(f"volatile {kind}", kind) if "volatile" in node.quals else kind
        if isinstance(node, c_ast.PtrDecl):
            return t.Pointer(self.of(node.type, scope))
        if isinstance(node, c_ast.ArrayDecl):
            length = None if node.dim is None else self.constant(node.dim, scope)
            if length is not None and length < 0:
                raise UnsupportedConstruct("an array of negative length", where=place_of(node))
            return t.ArrayOf(self.of(node.type, scope), length)
        if isinstance(node, c_ast.FuncDecl):
            return self._function(node, scope)
        return self._base(node, scope)

    def named(self, node: c_ast.Typedef, scope: Scope) -> TypeName:
        kind = self.of(node.type, scope)
        if node.name not in self.altered:
            return TypeName(kind)
        if isinstance(kind, t.Struct):
            kind.is_altered = True
            return TypeName(kind)
        return TypeName(t.Unmodelled(f"'{node.name}', which has a layout of its own,"))

    def _function(self, node: c_ast.FuncDecl, scope: Scope) -> t.Function:
        result = self.of(node.type, scope)
        if node.args is None:
            return t.Function(result, None)
        given = node.args.params
        is_variadic = bool(given) and isinstance(given[-1], c_ast.EllipsisParam)
        kinds = [self.parameter(one, scope) for one in given if not isinstance(one, c_ast.EllipsisParam)]
        if kinds == [t.VOID]:
            kinds = []
        return t.Function(result, tuple(kinds), is_variadic)

    def parameter(self, node: c_ast.Node, scope: Scope) -> t.Type:
        """C11 6.7.6.3: arrays and functions are pointers there."""
        if isinstance(node, c_ast.ID):
            raise UnsupportedConstruct(
                "a parameter without a type is not modelled", where=place_of(node), hint="write its type"
            )
        inner = node.type
        if isinstance(inner, c_ast.ArrayDecl):
            return t.Pointer(self.of(inner.type, scope))
        kind = self.of(inner, scope)
        if isinstance(kind, t.ArrayOf):
            return t.Pointer(kind.element)
        return t.Pointer(kind) if isinstance(kind, t.Function) else kind

    def _base(self, node: c_ast.Node, scope: Scope) -> t.Type:
        if isinstance(node, c_ast.IdentifierType):
            return self._named(node, scope)
        if isinstance(node, c_ast.Struct | c_ast.Union):
            return self._struct(node, scope)
        if isinstance(node, c_ast.Enum):
            return self._enumeration(node, scope)
        if isinstance(node, c_ast.TypeDecl | c_ast.PtrDecl | c_ast.ArrayDecl | c_ast.FuncDecl):
            return self.of(node, scope)
        if isinstance(node, c_ast.TypeOf):
            is_type = isinstance(node.expr, c_ast.Typename)
            return self.of(node.expr, scope) if is_type else self.type_of(node.expr, scope)
        raise UnsupportedConstruct(
            f"a type made with {type(node).__name__} is not modelled", where=place_of(node)
        )

    def _named(self, node: c_ast.IdentifierType, scope: Scope) -> t.Type:
        words = tuple(sorted(node.names))
        if words in WORDS:
            return WORDS[words]
        if words in LONGS:
            return t.long(self.model.long, signed=LONGS[words])
        if len(words) == 1:
            found = scope.find(words[0])
            if isinstance(found, TypeName):
                return found.type
        raise UnsupportedConstruct(f"the type '{' '.join(node.names)}' is not modelled", where=place_of(node))

    def _struct(self, node: c_ast.Node, scope: Scope) -> t.Struct:
        is_union = isinstance(node, c_ast.Union)
        place = place_of(node)
        tag = node.name or f"at line {place.line}"
        found: t.Type | None = None
        if node.name is not None:
            found = scope.find_tag(tag) if node.decls is None else scope.tags.get(tag)
        if not isinstance(found, t.Struct):
            key: Hashable = (place.file, place.line, place.column)
            if node.name is not None:
                key = (is_union, tag) if scope.outer is None else id(node)
            new = t.Struct(tag, is_union=is_union, has_tag=node.name is not None)
            found = self.structs.setdefault(key, new)
            if node.name is not None:
                scope.tags[tag] = found
        if node.decls is not None and id(node) not in self.declared:
            self.declared.add(id(node))
            fields = dict(self._fields(node, scope))
            found.scalars = sum(map(_scalars, fields.values()))
            if found.scalars > MOST_SCALARS:
                raise UnsupportedConstruct(f"{found} has more than {MOST_SCALARS} scalars", where=place)
            found.is_altered = found.is_altered or tag in self.altered
            if found.fields is not None and found in self.complete:
                mine = t.Struct(tag, is_union=is_union)
                mine.fields, mine.packing = fields, self.packings.get(id(node), 0)
                if not t.same_members(mine, found):
                    raise UnsupportedConstruct(f"{found} with other members in another file", where=place)
            else:
                found.fields, found.packing = fields, self.packings.get(id(node), 0)
                self.complete.add(found)
        return found

    def _fields(self, node: c_ast.Node, scope: Scope) -> Iterator[tuple[str, t.Type]]:
        for position, one in enumerate(node.decls):
            if not isinstance(one, c_ast.Decl):
                continue  # static assertions; gcc has checked them
            kind = self.of(one.type, scope)
            if one.bitsize is not None:
                bits = self.constant(one.bitsize, scope)
                if not isinstance(kind, t.Integer):
                    raise UnsupportedConstruct("a bit-field of this type", where=place_of(one))
                kind = t.Integer(kind.width, kind.signed, kind.name, kind.rank, kind.is_truth, bits)
            yield one.name or f"<{position}>", kind

    def _enumeration(self, node: c_ast.Enum, scope: Scope) -> t.Type:
        """gcc: unsigned int, unless a value is negative."""
        if node.values is None:
            known = scope.find_tag(node.name)
            return known if isinstance(known, t.Integer | t.Unmodelled) else t.UNSIGNED
        values = []
        following = 0
        for one in node.values.enumerators:
            value = following if one.value is None else self.constant(one.value, scope)
            if not -(1 << 31) <= value < 1 << 31:
                raise UnsupportedConstruct("an enumerator beyond int is not modelled", where=place_of(one))
            values.append(value)
            scope.names[one.name] = Enumerator(value, t.INT)
            following = value + 1
        kind: t.Type = t.INT if any(value < 0 for value in values) else t.UNSIGNED
        if node.name in self.altered:
            kind = t.Unmodelled(f"enum {node.name}, which has a layout of its own,")
        if node.name is not None:
            scope.tags[node.name] = kind
        return kind
