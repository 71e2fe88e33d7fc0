"""Places that expressions designate (C11: lvalues), and what is read from them and written to them.

A place is a part of an object that is made of variables (`Located`), or a part of memory (`InMemory`), which
is designated by a pointer. An access through a pointer must be inside of a live object: with `--check bounds`
that is an obligation, else runs that follow NULL end, and the claim names what is taken for granted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pycparser import c_ast, c_generator

from assay.languages.c import types as t
from assay.languages.c.declarations import (
    INDEX_BITS,
    Leaf,
    Object,
    Scope,
    Types,
    place_of,
    width_of,
)
from assay.languages.c.graph import Graph
from assay.languages.c.memory import (
    BYTES,
    MOST_ELEMENTS,
    POINTER_BITS,
    SIZES,
    Memory,
    Owner,
    Region,
    cells_of,
    holds_union,
    number_of,
    pointer_to,
    root,
    with_bits,
)
from assay.languages.c.preprocessing import DataModel
from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Term
from assay.transition_system.sequential.control_flow import Assign, Assume, Failure, Place

Scalar = t.Integer | t.Pointer


@dataclass(frozen=True, slots=True)
class Value:
    term: Term
    type: t.Type
    points: Region | None = None  # of a pointer: to where
    pointer: Value | None = None  # of an integer that was made from a pointer: that one


class Effects:
    def __init__(self) -> None:
        self.reads: set[Term] = set()
        self.writes: set[Term] = set()
        self.calls: set[str] = set()

    def add(self, other: Effects) -> None:
        self.reads |= other.reads
        self.writes |= other.writes
        self.calls |= other.calls


@dataclass(frozen=True, slots=True)
class Unsequenced:
    one: Effects
    other: Effects
    place: Place


class Known:
    """What is known of the whole program while its functions are read."""

    def __init__(self, model: DataModel, checks: frozenset[str], memory: Memory) -> None:
        self.model = model
        self.checks = checks
        self.memory = memory
        self.unsequenced: list[Unsequenced] = []
        self.effects: dict[str, Effects] = {}  # of procedures
        self.without_body: dict[str, Place] = {}  # functions that were called and are not defined
        self.allocates = False  # somebody calls malloc
        self.of_the_linker: dict[str, Place] = {}  # variables that it makes, if the program does not
        self.externals: dict[str, int] = {}  # the same, with the width of what they return; 0: nothing
        self.foreign_pointers: dict[str, Place] = {}  # functions of the environment that return pointers
        self.from_numbers: list[tuple[Place, Term]] = []  # integers that become pointers
        self.defined: set[str] = set()
        self.types_of: dict[str, t.Function] = {}  # of functions that are defined
        self.functions: set[str] = set()  # whose address somebody takes
        self.misfits: set[str] = (
            set()
        )  # functions that a pointer of another type may point to where it is called
        self.returned: dict[str, Object] = {}  # structs that functions return

    def returned_object(self, name: str, kind: t.Struct) -> Object:
        """Where a function puts a struct for its caller, who takes it at once."""
        found = self.returned.get(name)
        if found is None:
            found = self.returned[name] = Object(f"{name}::returned", kind, ("returned", name))
            if holds_union(kind):
                region, number = self.memory.region("object", found.key), self.memory.static_number(found.key)
                self.memory.is_used_as(region, kind)
                self.memory.add_static(found.key, number, region, kind)
                found.is_in_memory(pointer_to(number), region)
            else:
                found.is_made_of_variables(bv.variable)
        return found


class Located:
    """A part of an object that is made of variables."""

    def __init__(self, whole: Object, kind: t.Type) -> None:
        self.object, self.type = whole, kind
        self.path: tuple[str, ...] = ()
        self.indexes: tuple[Term, ...] = ()

    def field(self, name: str, _: DataModel) -> Located:
        assert isinstance(self.type, t.Struct)
        found = Located(self.object, (self.type.fields or {})[name])
        found.path, found.indexes = (*self.path, name), self.indexes
        return found

    def element(self, index: Term, _: DataModel) -> Located:
        """`index` has 64 bits."""
        assert isinstance(self.type, t.ArrayOf)
        found = Located(self.object, self.type.element)
        found.path, found.indexes = self.path, (*self.indexes, bv.extract(INDEX_BITS - 1, 0, index))
        return found

    def leaf(self) -> Leaf | None:
        return next((one for one in self.object.leaves if one.path == self.path), None)


@dataclass(frozen=True, slots=True)
class InMemory:
    address: Term
    region: Region
    type: t.Type
    owner: Owner = None
    is_inside: bool = False  # of an object that is there as long as it has a name

    def field(self, name: str, model: DataModel) -> InMemory:
        assert isinstance(self.type, t.Struct)
        offset = bv.constant(t.offset_of(self.type, name, model.pointer), POINTER_BITS)
        kind = (self.type.fields or {})[name]
        address = bv.arithmetic("bvadd", self.address, offset)
        return InMemory(address, self.region, kind, (self.type, name), self.is_inside)

    def element(self, index: Term, model: DataModel) -> InMemory:
        assert isinstance(self.type, t.ArrayOf)
        size = bv.constant(t.size_of(self.type.element, model.pointer), POINTER_BITS)
        address = bv.arithmetic("bvadd", self.address, bv.arithmetic("bvmul", index, size))
        is_inside = self.is_inside and index.is_constant and index.value < (self.type.length or 0)
        return InMemory(address, self.region, self.type.element, self.owner, is_inside)


Lvalue = Located | InMemory


class Places:
    """Of one function."""

    def __init__(self, known: Known, graph: Graph, types: Types) -> None:
        self.known, self.graph, self.types = known, graph, types
        self.memory = known.memory
        self.model = known.model
        self.effects = Effects()
        self.scope: Scope = Scope()
        self.generator = c_generator.CGenerator()

    # --- helpers ---

    def place(self, node: Any) -> Place:
        return place_of(node, self.graph.name)

    def text(self, node: c_ast.Node) -> str:
        text = " ".join(self.generator.visit(node).split())
        return text if len(text) <= 200 else text[:197] + "..."

    def refuse(self, node: Any, what: str, hint: str = "") -> UnsupportedConstruct:
        return UnsupportedConstruct(f"{what} is not modelled", where=self.place(node), hint=hint)

    def size(self, kind: t.Type, node: c_ast.Node) -> int:
        try:
            return t.size_of(kind, self.model.pointer)
        except NotImplementedError as problem:
            raise self.refuse(node, str(problem)) from None

    def size_term(self, kind: t.Type, node: c_ast.Node) -> Term:
        """With 64 bits; of an array whose length the program computes too."""
        if isinstance(kind, t.ArrayOf) and kind.count is not None:
            return bv.arithmetic("bvmul", kind.count, self.size_term(kind.element, node))
        return bv.constant(self.size(kind, node), POINTER_BITS)

    def require(self, condition: Term, kind: str, message: str, node: c_ast.Node) -> None:
        self.graph.require(condition, Failure(kind, message, self.place(node)), self.text(node))

    # --- pointers ---

    def place_of_object(self, found: Object) -> Lvalue:
        if found.address is None:
            return Located(found, found.type)
        assert found.region is not None
        is_known = not isinstance(found.type, t.ArrayOf) or found.type.length is not None
        return InMemory(found.address, found.region, found.type, is_inside=is_known)

    def address(self, place: Lvalue, node: c_ast.Node) -> Value:
        """A pointer to it. An object that was made of variables is one in memory when all is read again."""
        if isinstance(place, Located):
            self.memory.address_taken(place.object.key)
            return Value(
                bv.constant(1 << 63, POINTER_BITS), t.Pointer(place.type), self.region_of(place.object)
            )
        if isinstance(place.type, t.Integer) and place.type.bits is not None:
            raise self.refuse(node, "the address of a bit-field")
        self.memory.is_used_as(place.region, place.type)
        return Value(place.address, t.Pointer(place.type), place.region)

    def region_of(self, found: Object) -> Region:
        return self.memory.region("object", found.key)

    def decayed(self, place: Lvalue, node: c_ast.Node) -> Value:
        """An array as a pointer to its first element (C11 6.3.2.1)."""
        assert isinstance(place.type, t.ArrayOf)
        value = self.address(place, node)
        return Value(value.term, t.Pointer(place.type.element), value.points)

    def followed(self, value: Value, node: c_ast.Node) -> InMemory:
        """What a pointer points to."""
        if not isinstance(value.type, t.Pointer):
            raise self.refuse(node, f"following {value.type}")
        points = value.points
        if points is None:  # NULL, or a number
            points = self.memory.region("nowhere", id(node))
        self.memory.is_used_as(points, value.type.target)
        return InMemory(value.term, points, value.type.target)

    def moved(self, value: Value, index: Term, node: c_ast.Node) -> Value:
        """A pointer and so many elements further; `index` has 64 bits."""
        assert isinstance(value.type, t.Pointer)
        target = value.type.target
        size = self.size_term(t.CHAR if isinstance(target, t.Void | t.Function) else target, node)
        if not (index.is_constant and index.value == 0) and value.points is not None:
            self.memory.is_moved_as(value.points, t.CHAR if isinstance(target, t.Void) else target)
        term = bv.arithmetic("bvadd", value.term, bv.arithmetic("bvmul", index, size))
        if "bounds" in self.known.checks and not (index.is_constant and index.value == 0):
            wide = [bv.extended(one, 2 * POINTER_BITS, is_signed=True) for one in (index, size)]
            distance = bv.arithmetic("bvmul", *wide)
            low, high = (bv.constant(one, 2 * POINTER_BITS) for one in (-(1 << 31), 1 << 31))
            near = bv.all_of((bv.compare("bvsle", low, distance), bv.compare("bvsle", distance, high)))
            inside = bv.all_of(
                (near, bv.equal(number_of(term), number_of(value.term)), self.is_within(term, 0))
            )
            self.require(inside, "bounds", f"{self.text(node)} points outside of the object", node)
        return Value(term, value.type, value.points)

    def address_number(self, pointer: Term, node: c_ast.Node) -> Term:
        """What an integer or bytes show of a pointer."""
        address, assumed = self.memory.address_of(pointer)
        if assumed is not bv.TRUE:
            self.graph.act(Assume(assumed), self.place(node), self.text(node))
        return address

    def is_within(self, pointer: Term, size: int) -> Term:
        """Whether so many bytes from there on are in an object that lives."""
        number = number_of(pointer)
        end = bv.extended(bv.extract(31, 0, pointer), 34, is_signed=False)
        end = bv.arithmetic("bvadd", end, bv.constant(size + 1, 34))
        self.effects.reads.add(SIZES)
        limit = bv.extended(bv.select(SIZES, number), 34, is_signed=False)
        return bv.compare("bvule", end, limit)

    def require_access(self, place: InMemory, size: int, node: c_ast.Node) -> None:
        if place.is_inside:
            return
        if "bounds" in self.known.checks:
            message = f"{self.text(node)} is not in a live object"
            self.require(self.is_within(place.address, size), "bounds", message, node)
            return
        nobody = bv.constant(0, 32)
        is_there = bv.negated(bv.equal(number_of(place.address), nobody))
        if is_there is not bv.TRUE:
            self.graph.act(Assume(is_there), self.place(node), self.text(node))

    # --- reading and writing ---

    def part(self, located: Located, node: c_ast.Node) -> tuple[Leaf, Term, Term | None]:
        leaf = located.leaf()
        if leaf is None:
            raise self.refuse(node, f"a value of type {located.type}")
        term = located.object.terms[leaf.path]
        index: Term | None = None
        for position, length in zip(located.indexes, leaf.lengths, strict=True):
            scaled = bv.constant(0, INDEX_BITS) if index is None else index
            scaled = bv.arithmetic("bvmul", scaled, bv.constant(length, INDEX_BITS))
            index = bv.arithmetic("bvadd", scaled, position)
        return leaf, term, index

    def points_of(self, located: Located) -> Region | None:
        if not isinstance(located.type, t.Pointer):
            return None
        return self.memory.region("variable", located.object.key, located.path)

    def cell(self, place: InMemory) -> tuple[Any, Term]:
        """The array that holds a scalar, and its key in the region."""
        assert isinstance(place.type, t.Integer | t.Pointer)
        key = self.memory.key(place.region, place.owner, place.type)
        return key, self.memory.array(place.region, key, width_of(place.type))

    def bytes_of(self, place: InMemory, node: c_ast.Node) -> tuple[Term, list[Term]]:
        """Of a scalar that is kept in bytes: the array and the places, the least first."""
        assert isinstance(place.type, t.Integer | t.Pointer)
        array = self.memory.array(place.region, BYTES, 8)
        return array, self.steps(place, node)

    def read(self, place: Lvalue, node: c_ast.Node, *, is_checked: bool = True) -> Value:
        kind = place.type
        if not isinstance(kind, t.Integer | t.Pointer):
            raise self.refuse(node, f"a value of type {kind}")
        if isinstance(place, Located):
            _, term, index = self.part(place, node)
            self.effects.reads.add(term)
            return Value(term if index is None else bv.select(term, index), kind, self.points_of(place))
        if is_checked:
            self.require_access(place, self.size(kind, node), node)
        points = None
        if self.memory_is_in_bytes(place):
            array, addresses = self.bytes_of(place, node)
            term = self.memory.from_cells([bv.select(array, one) for one in addresses], kind)
            if isinstance(kind, t.Integer) and kind.bits is not None:
                start, count = self.bits(place)
                part = bv.extract(start + count - 1, start, term)
                term = bv.extended(part, kind.width, is_signed=kind.signed)
            key: Any = "pointer"
        else:
            key, array = self.cell(place)
            term = bv.select(array, place.address)
        self.effects.reads.add(array)
        if isinstance(kind, t.Pointer):
            points = self.memory.content(place.region, key)
        return Value(term, kind, points)

    def cells(self, place: InMemory, node: c_ast.Node) -> list[Term]:
        """All bytes of something that is kept in bytes."""
        self.require_access(place, self.size(place.type, node), node)
        array = self.memory.array(place.region, BYTES, 8)
        self.effects.reads.add(array)
        return [bv.select(array, one) for one in self.steps(place, node)]

    def set_cells(self, place: InMemory, cells: list[Term], node: c_ast.Node) -> None:
        array = new = self.memory.array(place.region, BYTES, 8)
        for address, cell in zip(self.steps(place, node), cells, strict=True):
            new = bv.store(new, address, cell)
        self.effects.writes.add(array)
        self.graph.assign(array, new, self.place(node))

    def steps(self, place: InMemory, node: c_ast.Node) -> list[Term]:
        size = self.size(place.type, node)
        if size > MOST_ELEMENTS:
            raise self.refuse(node, f"copying more than {MOST_ELEMENTS} bytes at once")
        steps = [bv.constant(one, POINTER_BITS) for one in range(size)]
        return [bv.arithmetic("bvadd", place.address, step) for step in steps]

    def bits(self, place: InMemory) -> tuple[int, int]:
        assert place.owner is not None
        return t.bits_of(*place.owner, self.model.pointer)

    def memory_is_in_bytes(self, place: InMemory) -> bool:
        return root(place.region).is_by_bytes

    def mention(self, place: Lvalue, text: str, value: Value, *, is_write: bool = False) -> None:
        """For whoever reads a run; a variable of its own has a name there."""
        if isinstance(place, InMemory) or place.indexes:
            self.graph.mention(text, value.term, place.type, is_write=is_write)

    def write(
        self, place: Lvalue, value: Value, node: c_ast.Node, *, is_checked: bool = True, called: str = ""
    ) -> None:
        """`value` has the type of the place; `called`: what the text calls the place."""
        if isinstance(place, InMemory) and is_checked:
            assert isinstance(place.type, t.Integer | t.Pointer)
            self.require_access(place, self.size(place.type, node), node)
        text = self.text(node)
        stored = self.stored(place, value, node)
        declared = re.search(r"[\w.>\[\]-]+$", text.partition(" = ")[0]) if " = " in text else None
        called = called or (declared[0] if declared else "")
        if called:
            self.mention(place, called, value, is_write=True)
        self.graph.act(Assign((stored,)), self.place(node), text)

    def target_of(self, place: Lvalue, node: c_ast.Node) -> Term:
        """The variable that changes when the place does."""
        if isinstance(place, Located):
            return self.part(place, node)[1]
        return self.bytes_of(place, node)[0] if self.memory_is_in_bytes(place) else self.cell(place)[1]

    def stored(
        self, place: Lvalue, value: Value, node: c_ast.Node, before: dict[Term, Term] | None = None
    ) -> tuple[Term, Term]:
        """The variable that changes, and what it is then; `before`: what is stored at the same time."""
        if not isinstance(place.type, t.Integer | t.Pointer):
            raise self.refuse(node, f"assigning to {place.type}")
        before = before or {}
        if isinstance(place, Located):
            _, term, index = self.part(place, node)
            self.effects.writes.add(term)
            self.memory.unify(self.points_of(place), value.points)
            return term, value.term if index is None else bv.store(before.get(term, term), index, value.term)
        if self.memory_is_in_bytes(place):
            array, addresses = self.bytes_of(place, node)
            new = before.get(array, array)
            term = value.term
            if isinstance(place.type, t.Integer) and place.type.bits is not None:
                old = self.memory.from_cells([bv.select(new, one) for one in addresses], place.type)
                term = with_bits(old, term, *self.bits(place))
            if isinstance(place.type, t.Pointer):
                term = self.address_number(term, node)
            for one, cell in zip(addresses, cells_of(term), strict=True):
                new = bv.store(new, one, cell)
            key: Any = "pointer"
        else:
            key, array = self.cell(place)
            new = bv.store(before.get(array, array), place.address, value.term)
        self.effects.writes.add(array)
        if isinstance(place.type, t.Pointer):
            self.memory.unify(self.memory.content(place.region, key), value.points)
        return array, new

    def copy(self, target: Lvalue, source: Lvalue, node: c_ast.Node) -> None:
        """A whole struct or array: all is read before anything is written."""
        whole = self._whole_variables(target, source)
        if whole is not None:
            self.effects.reads |= {one for _, one in whole}
            self.effects.writes |= {one for one, _ in whole}
            self.graph.act(Assign(tuple(whole)), self.place(node), self.text(node))
            return
        for place in (target, source):
            if isinstance(place, InMemory):
                self.require_access(place, self.size(place.type, node), node)
        values: dict[Term, Term] = {}
        for to, of in zip(self.scalars(target, node), self.scalars(source, node), strict=True):
            value = self.read(of, node, is_checked=False)
            name, new = self.stored(to, value, node, values)
            values[name] = new
        self.graph.act(Assign(tuple(values.items())), self.place(node), self.text(node))

    def _whole_variables(self, target: Lvalue, source: Lvalue) -> list[tuple[Term, Term]] | None:
        """All variables of one object to those of another, if nothing is indexed."""
        if not isinstance(target, Located) or not isinstance(source, Located):
            return None
        if target.indexes or source.indexes:
            return None
        found = []
        for leaf in target.object.leaves:
            if leaf.path[: len(target.path)] != target.path:
                continue
            path = (*source.path, *leaf.path[len(target.path) :])
            if isinstance(leaf.type, t.Pointer):
                regions = (
                    self.memory.region("variable", target.object.key, leaf.path),
                    self.memory.region("variable", source.object.key, path),
                )
                self.memory.unify(*regions)
            found.append((target.object.terms[leaf.path], source.object.terms[path]))
        return found

    def scalars(self, place: Lvalue, node: c_ast.Node) -> Iterator[Lvalue]:
        for count, one in enumerate(self._scalars(place, node)):
            if count >= MOST_ELEMENTS:
                raise self.refuse(node, f"copying or setting more than {MOST_ELEMENTS} elements at once")
            yield one

    def _scalars(self, place: Lvalue, node: c_ast.Node) -> Iterator[Lvalue]:
        kind = place.type
        if isinstance(kind, t.Integer | t.Pointer):
            yield place
        elif isinstance(kind, t.ArrayOf):
            for position in range(kind.length or 0):
                yield from self._scalars(place.element(bv.constant(position, 64), self.model), node)
        elif isinstance(kind, t.Struct) and not kind.is_union:
            for name in kind.fields or {}:
                yield from self._scalars(place.field(name, self.model), node)
        elif isinstance(kind, t.Struct) and isinstance(place, InMemory):
            raw = t.ArrayOf(t.UNSIGNED_CHAR, self.size(kind, node))
            yield from self._scalars(InMemory(place.address, place.region, raw), node)
        else:
            raise self.refuse(node, f"copying something of type {kind}")
