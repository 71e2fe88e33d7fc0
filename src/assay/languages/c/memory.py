"""Memory that pointers can reach: where objects are, and which arrays hold what is in them.

An object whose address nobody takes is made of variables (`declarations.Object`). Every other one has a
number, and a pointer is that number and an offset in bytes; the number 0 is nobody's, so NULL is 0. What
address that is, C leaves open: two arrays that nobody sets go from pointers to addresses and back
(`address_of`, `pointer_at`), and who casts a pointer to an integer or looks at its bytes sees the address.

What objects hold is in arrays from pointers to scalars. Pointers that may point into one object have one
`Region` (points-to by unification, Steensgaard 1996), and each region has arrays of its own: one for each
field of a struct that nobody points to, else one for each kind of scalar. That is exact as long as no two
kinds overlap in an object. Where a region is looked at in ways that may overlap (a `char *` into a struct, a
union, memory used as two structs), all of it is kept in bytes, which is exact always.

A function is read several times, until nothing new is learned about regions: `is_settled`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from assay.languages.c import types as t
from assay.languages.c.preprocessing import DataModel
from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Term

POINTER_BITS = 64
OFFSET_BITS = 32
# Locals: see `inlining`. Which numbers strings have can be seen from the upper bits.
FIRST_STATIC, FIRST_STRING, FIRST_FUNCTION, FIRST_OF_HEAP = 1, 1 << 28, 1 << 29, 1 << 31
LEAST_ADDRESS = 1 << 12  # of objects; what is below, or so much below 0, is a number that was cast
LARGEST = (1 << 31) - 2  # bytes of an object
MOST_ELEMENTS = 1 << 14  # that are set one by one

Owner = tuple[t.Struct, str] | None  # the innermost struct and its field that a scalar belongs to


class Region:
    """What may be pointed to by the same pointers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parent: Region | None = None
        self.contents: dict[Hashable, Region] = {}  # where pointers that are kept in it point
        self.kinds: set[str] = set()  # of scalars that are reached by a pointer to them
        self.used: set[t.Type] = set()  # types of pointers that are followed or moved, and of its objects
        self.moved: set[t.Type] = set()  # of pointers that are moved
        self.casts: set[tuple[t.Type, t.Type]] = set()
        self.to_void: set[t.Type] = set()
        self.from_void: set[t.Type] = set()
        self.functions: set[str] = set()
        self.is_by_kind = False
        self.is_by_bytes = False
        self.has_any_content = False  # objects in it start with any content; else with zeros
        self.is_foreign = False  # pointers from outside point there, so what it points to is foreign too
        self.is_mixed = False  # whoever keeps pointers to it may take them for pointers of another type

    def merge(self, other: Region) -> None:
        self.kinds |= other.kinds
        self.used |= other.used
        self.moved |= other.moved
        self.casts |= other.casts
        self.to_void |= other.to_void
        self.from_void |= other.from_void
        self.functions |= other.functions
        self.is_by_kind |= other.is_by_kind
        self.is_by_bytes |= other.is_by_bytes
        self.has_any_content |= other.has_any_content
        self.is_foreign |= other.is_foreign
        self.is_mixed |= other.is_mixed


def root(region: Region) -> Region:
    while region.parent is not None:
        if region.parent.parent is not None:
            region.parent = region.parent.parent
        region = region.parent
    return region


def kind_of(one: t.Type) -> str:
    """Scalars of one kind may share an array."""
    return "pointer" if isinstance(one, t.Pointer) else f"i{one.width}" if isinstance(one, t.Integer) else ""


def pointer_to(number: int, offset: int = 0) -> Term:
    return bv.constant((number << OFFSET_BITS) + offset, POINTER_BITS)


def number_of(pointer: Term) -> Term:
    return bv.extract(POINTER_BITS - 1, OFFSET_BITS, pointer)


def is_number_of_string(number: Term) -> Term:
    return bv.equal(bv.extract(31, 28, number), bv.constant(FIRST_STRING >> 28, 4))


def is_number_of_function(number: Term) -> Term:
    return bv.equal(bv.extract(31, 29, number), bv.constant(FIRST_FUNCTION >> 29, 3))


def may_be_string(pointer: Term) -> bool:
    """Whether nothing that is known of it says that it points to something else."""
    number = number_of(pointer)
    return not number.is_constant or number.value >> 28 == FIRST_STRING >> 28


@dataclass(frozen=True, slots=True)
class Initial:
    """A scalar of an object that exists from the start."""

    address: int
    region: Region
    owner: Owner
    type: t.Integer | t.Pointer
    value: Term | None  # None: any


BYTES = "byte"  # the key of the array of a region that is kept in bytes
ADDRESSES = "addresses"  # the array of them: whoever reads it depends on where objects are
POINTERS = "pointers"  # the other way
HEAP = bv.variable("heap", bv.Bits(POINTER_BITS - OFFSET_BITS))
SIZES = bv.variable("sizes", bv.Array(POINTER_BITS - OFFSET_BITS, 32))  # plus 1; 0: there is no such object


class Memory:
    def __init__(self, model: DataModel) -> None:
        self.model = model
        self.regions: dict[Hashable, Region] = {}
        self.structs: dict[Hashable, t.Struct] = {}
        self.pointed: dict[str, t.Function] = {}  # functions whose address somebody takes
        self.addressed: set[Hashable] = set()  # declarations whose address somebody takes
        self.is_settled = True
        self.begin()

    def begin(self) -> None:
        """The program is read anew; what was learned stays."""
        self.is_settled = True
        self.arrays: dict[tuple[Region, Hashable], Term] = {}
        self.statics: dict[Hashable, int] = {}
        self.strings: dict[Hashable, int] = {}
        self.functions: dict[str, int] = {}
        self.initial: list[Initial] = []
        self.static_objects: dict[Hashable, tuple[int, Region, t.Type]] = {}
        self.sizes: dict[int, int] = {}
        self.uses_heap = False
        self.uses_addresses = False
        self.assumed_of_initial: list[Term] = []

    # --- regions ---

    def learn(self, known: set[Any], *new: Any) -> None:
        if not known.issuperset(new):
            known.update(new)
            self.is_settled = False

    def region(self, *key: Hashable) -> Region:
        found = self.regions.get(key)
        if found is None:
            found = self.regions[key] = Region("_".join(str(one) for one in key if not isinstance(one, int)))
        return root(found)

    def unify(self, one: Region | None, other: Region | None) -> None:
        waiting = [(one, other)]
        while waiting:
            left, right = waiting.pop()
            if left is None or right is None:
                continue
            left, right = root(left), root(right)
            if left is right:
                continue
            self.is_settled = False
            right.parent = left
            left.merge(right)
            for key, inner in right.contents.items():
                if key in left.contents:
                    waiting.append((left.contents[key], inner))
                else:
                    left.contents[key] = inner
            right.contents = {}

    def address_taken(self, key: Hashable) -> None:
        self.learn(self.addressed, key)

    def is_used_as(self, region: Region, kind: t.Type) -> None:
        """A pointer of this type is followed, or an object of this type is declared."""
        region = root(region)
        while isinstance(kind, t.ArrayOf):
            kind = kind.element
        if isinstance(kind, t.Integer | t.Pointer):
            self.learn(region.kinds, kind_of(kind))
        if isinstance(kind, t.Integer | t.Pointer | t.Struct):
            self.learn(region.used, plain(kind))
        if isinstance(kind, t.Struct) and holds_union(kind):
            self.keep_in_bytes(region)

    def is_moved_as(self, region: Region, kind: t.Type) -> None:
        self.is_used_as(region, kind)
        while isinstance(kind, t.ArrayOf):
            kind = kind.element
        if not isinstance(kind, t.Void | t.Unmodelled | t.Function):
            self.learn(root(region).moved, plain(kind))

    def cast(self, region: Region | None, source: t.Type, target: t.Type) -> None:
        """From a pointer to `source` to a pointer to `target`."""
        if region is None:
            return
        region = root(region)
        while isinstance(source, t.ArrayOf):
            source = source.element
        while isinstance(target, t.ArrayOf):
            target = target.element
        if isinstance(source, t.Pointer) and isinstance(target, t.Pointer) and source != target:
            self.cast(self.content(region, "pointer"), source.target, target.target)
        source, target = plain(source), plain(target)
        if source == target or isinstance(source, t.Function) or isinstance(target, t.Function):
            return
        if isinstance(source, t.Void):
            self.learn(region.from_void, target)
        elif isinstance(target, t.Void):
            self.learn(region.to_void, source)
        else:
            self.learn(region.casts, (source, target))

    def keep_in_bytes(self, region: Region) -> None:
        if not root(region).is_by_bytes:
            root(region).is_by_bytes = True
            self.is_settled = False

    def keep_by_kind(self, region: Region) -> None:
        if not root(region).is_by_kind:
            root(region).is_by_kind = True
            self.is_settled = False

    def is_from_outside(self, region: Region) -> None:
        self.starts_with_anything(region)
        if not root(region).is_foreign:
            root(region).is_foreign = True
            self.is_settled = False

    def starts_with_anything(self, region: Region) -> None:
        if not root(region).has_any_content:
            root(region).has_any_content = True
            self.is_settled = False

    def judge(self) -> None:
        """Whether what overlaps in a region is of one kind, and bytes where it is not."""
        for region in {root(one) for one in self.regions.values()}:
            if not region.is_by_bytes:
                self._judge(region)
            for inner in map(root, region.contents.values()):
                if region.is_foreign:
                    self.is_from_outside(inner)
                if (region.is_by_bytes or region.is_by_kind) and not inner.is_mixed:
                    inner.is_mixed = True
                    self.is_settled = False

    def _judge(self, region: Region) -> None:
        pairs = set(region.casts)
        views = region.from_void
        pairs |= {(one, other) for one in views for other in views | region.to_void if one != other}
        if region.is_mixed:
            pairs |= {(one, other) for one in region.used for other in region.used if one != other}
        for one, other in pairs:
            if one not in region.used or other not in region.used:
                continue
            is_moved = any(not isinstance(each, t.Struct) and each in region.moved for each in (one, other))
            if is_moved or not self._starts_with(one, other):
                self._separate(region, one, other)
        scalars = {kind_of(one) for one in region.used if not isinstance(one, t.Struct)}
        structs = [one for one in region.used if isinstance(one, t.Struct)]
        for kind in scalars:
            if not structs and len(scalars) > 1:
                self.keep_in_bytes(region)
            if structs and not any(kind in kinds_in(one) for one in structs):
                self.keep_in_bytes(region)

    def _starts_with(self, one: t.Type, other: t.Type) -> bool:
        """Whether one of them is the first member of the other, or of its first member."""
        return other in firsts(one) or one in firsts(other)

    def _separate(self, region: Region, one: t.Type, other: t.Type) -> None:
        if any(size_or_nothing(each, self.model) > MOST_ELEMENTS for each in (one, other)):
            self.keep_in_bytes(region)
            return
        left, right = list(scalars_of(one, self.model)), list(scalars_of(other, self.model))
        same = {leaf.kind for leaf in (*left, *right)}
        if any(leaf.is_bit_field for leaf in (*left, *right)):
            self.keep_in_bytes(region)
            return
        shared = min(len(left), len(right))
        is_prefix = [(leaf.offset, leaf.kind) for leaf in left[:shared]] == [
            (leaf.offset, leaf.kind) for leaf in right[:shared]
        ]
        if len(same) == 1 or (is_prefix and not region.moved):
            self.keep_by_kind(region)
        else:
            self.keep_in_bytes(region)

    # --- arrays ---

    def key(self, region: Region, owner: Owner, kind: t.Integer | t.Pointer) -> Hashable:
        region = root(region)
        name = kind_of(kind)
        if isinstance(kind, t.Integer) and kind.bits is not None:
            if region.is_by_kind:
                self.keep_in_bytes(region)
            assert owner is not None
            return owner
        if owner is None or region.is_by_kind or name in region.kinds:
            return name
        return owner

    def array(self, region: Region, key: Hashable, width: int) -> Term:
        region = root(region)
        found = self.arrays.get((region, key))
        if found is None:
            of = key if isinstance(key, str) else f"{key[0].tag}.{key[1]}"  # type: ignore[index]
            name = f"memory#{len(self.arrays)}:{of}"
            found = self.arrays[region, key] = bv.variable(name, bv.Array(POINTER_BITS, width))
        return found

    def content(self, region: Region, key: Hashable) -> Region:
        """Where pointers point that are kept there."""
        region = root(region)
        if region.is_by_kind or region.is_by_bytes or key == "pointer":
            for inner in list(region.contents.values()):
                self.unify(region.contents.setdefault("pointer", inner), inner)
            key = "pointer"
            if region.is_by_bytes:  # bytes of pointers may be copied one by one
                self.unify(region.contents.setdefault(key, self.region(BYTES)), self.region(BYTES))
        found = region.contents.get(key)
        if found is None:
            found = region.contents[key] = Region(f"{region.name}_content")
            self.regions["content", id(found)] = found
        return root(found)

    def from_cells(self, cells: list[Term], kind: t.Integer | t.Pointer) -> Term:
        whole = cells[0]
        for one in cells[1:]:
            whole = bv.concat(one, whole)
        return self.pointer_at(whole) if isinstance(kind, t.Pointer) else whole

    # --- addresses ---

    def address_of(self, pointer: Term) -> tuple[Term, Term]:
        """Its address, and what must be assumed of it: that it is an object's, and of no other pointer.

        Nothing says that objects stay apart, or where they are: that would make proofs depend on it.
        """
        width = self.model.pointer
        plain, is_plain = bv.extract(width - 1, 0, pointer), self._is_plain(pointer)
        if is_plain is bv.TRUE:
            return plain, bv.TRUE
        addresses, pointers = self._addresses()
        address = bv.select(addresses, pointer)
        is_its_own = bv.equal(bv.select(pointers, address), pointer)
        is_apart = bv.negated(self._is_plain_address(address))
        return bv.ite(is_plain, plain, address), bv.any_of((is_plain, bv.all_of((is_its_own, is_apart))))

    def pointer_at(self, address: Term) -> Term:
        """The other way."""
        plain, is_plain = bv.extended(address, POINTER_BITS, is_signed=True), self._is_plain_address(address)
        if is_plain is bv.TRUE:
            return plain
        return bv.ite(is_plain, plain, bv.select(self._addresses()[1], address))

    def _is_plain(self, pointer: Term) -> Term:
        """NULL, and numbers that are used like it: -1, or what the Linux kernel makes of errors."""
        return bv.any_of(
            (
                bv.compare("bvult", pointer, bv.constant(LEAST_ADDRESS, POINTER_BITS)),
                bv.compare("bvule", bv.constant(-LEAST_ADDRESS, POINTER_BITS), pointer),
            )
        )

    def _is_plain_address(self, address: Term) -> Term:
        width = self.model.pointer
        return bv.any_of(
            (
                bv.compare("bvult", address, bv.constant(LEAST_ADDRESS, width)),
                bv.compare("bvule", bv.constant(-LEAST_ADDRESS, width), address),
            )
        )

    def _addresses(self) -> tuple[Term, Term]:
        self.uses_addresses = True
        return (
            bv.variable(ADDRESSES, bv.Array(POINTER_BITS, self.model.pointer)),
            bv.variable(POINTERS, bv.Array(self.model.pointer, POINTER_BITS)),
        )

    # --- objects ---

    def add_string(self, number: int, region: Region, codes: list[int]) -> None:
        if number not in self.sizes:
            self.sizes[number] = len(codes)
            for position, code in enumerate(codes):
                address = (number << OFFSET_BITS) + position
                self.initial.append(Initial(address, region, None, t.CHAR, bv.constant(code, 8)))

    def add_static(self, key: Hashable, number: int, region: Region, kind: t.Type) -> None:
        self.static_objects[key] = (number, region, kind)
        self.sizes[number] = size_or_nothing(kind, self.model)

    def never_set(self) -> list[Term]:
        return list(self._addresses()) if self.uses_addresses else []

    def counters(self, *, has_sizes: bool) -> list[Term]:
        return [*((HEAP,) if self.uses_heap else ()), *((SIZES,) if has_sizes else ())]

    def initial_sizes(self) -> Term:
        assert isinstance(SIZES.sort, bv.Array)
        found = bv.constant_array(SIZES.sort, bv.constant(0, 32))
        for number, size in self.sizes.items():
            found = bv.store(found, bv.constant(number, 32), bv.constant(size + 1, 32))
        return found

    def starts(self) -> tuple[dict[Term, Term], list[tuple[Term, Term]]]:
        """What arrays hold before the program starts, and what is set in those that hold anything."""
        cells: dict[tuple[Region, Hashable], dict[int, Term]] = {}
        for number, region, kind in self.static_objects.values():
            if not root(region).has_any_content:
                continue
            if size_or_nothing(kind, self.model) > MOST_ELEMENTS:
                raise UnsupportedConstruct(
                    f"an object of more than {MOST_ELEMENTS} bytes that shares pointers with memory"
                    " that nobody has set is not modelled"
                )
            for leaf in scalars_of(kind, self.model):
                zero = bv.constant(0, self.width(leaf.type))
                self._put(cells, (number << OFFSET_BITS) + leaf.offset, region, leaf.owner, leaf.type, zero)
        for one in self.initial:
            if one.value is not None:
                self._put(cells, one.address, one.region, one.owner, one.type, one.value)
        initial: dict[Term, Term] = {}
        first: list[tuple[Term, Term]] = []
        for (region, key), array in self.arrays.items():
            assert isinstance(array.sort, bv.Array)
            zero = bv.constant(0, array.sort.element)
            is_any = region.has_any_content
            value = array if is_any else bv.constant_array(array.sort, zero)
            for address, content in cells.get((region, key), {}).items():
                if is_any or content is not zero:
                    value = bv.store(value, bv.constant(address, POINTER_BITS), content)
            if not is_any and not bv.variables_of(value):
                initial[array] = value
                continue
            if not is_any:  # addresses are no constants
                initial[array] = bv.constant_array(array.sort, zero)
            if value is not array:
                first.append((array, value))
        return initial, first

    def width(self, kind: t.Integer | t.Pointer) -> int:
        return kind.width if isinstance(kind, t.Integer) else POINTER_BITS

    def _put(
        self,
        cells: dict[tuple[Region, Hashable], dict[int, Term]],
        address: int,
        region: Region,
        owner: Owner,
        kind: t.Integer | t.Pointer,
        value: Term,
    ) -> None:
        region = root(region)
        if not region.is_by_bytes:
            cells.setdefault((region, self.key(region, owner, kind)), {})[address] = value
            return
        found = cells.setdefault((region, BYTES), {})
        nothing = bv.constant(0, 8)
        if isinstance(kind, t.Integer) and kind.bits is not None:
            assert owner is not None
            old = [found.get(address + number, nothing) for number in range(kind.width // 8)]
            value = with_bits(self.from_cells(old, kind), value, *t.bits_of(*owner, self.model.pointer))
        if isinstance(kind, t.Pointer):
            value, assumed = self.address_of(value)
            self.assumed_of_initial.append(assumed)
        for number, cell in enumerate(cells_of(value)):
            found[address + number] = cell

    def static_number(self, key: Hashable) -> int:
        return self.statics.setdefault(key, FIRST_STATIC + len(self.statics))

    def string_number(self, key: Hashable) -> int:
        return self.strings.setdefault(key, FIRST_STRING + len(self.strings))

    def function_number(self, name: str) -> int:
        return self.functions.setdefault(name, FIRST_FUNCTION + len(self.functions))


@dataclass(frozen=True, slots=True)
class ScalarAt:
    offset: int
    type: t.Integer | t.Pointer
    owner: Owner

    @property
    def kind(self) -> str:
        return kind_of(self.type)

    @property
    def is_bit_field(self) -> bool:
        return isinstance(self.type, t.Integer) and self.type.bits is not None


def cells_of(value: Term) -> list[Term]:
    """In bytes, the least first."""
    return [bv.extract(low + 7, low, value) for low in range(0, value.width, 8)]


def with_bits(unit: Term, value: Term, start: int, count: int) -> Term:
    """A unit in which some bits are those of a value."""
    mask = bv.constant((1 << count) - 1 << start, unit.width)
    shifted = bv.arithmetic("bvshl", value, bv.constant(start, unit.width))
    kept = bv.arithmetic("bvand", unit, bv.complement(mask))
    return bv.arithmetic("bvor", kept, bv.arithmetic("bvand", shifted, mask))


def scalars_of(one: t.Type, model: DataModel, offset: int = 0, owner: Owner = None) -> Iterator[ScalarAt]:
    """All of an object, with their places; of a union those of each member."""
    if isinstance(one, t.Integer | t.Pointer):
        yield ScalarAt(offset, one, owner)
    elif isinstance(one, t.ArrayOf):
        inner = list(scalars_of(one.element, model, 0, owner))
        size = t.size_of(one.element, model.pointer) if inner else 0
        for position in range(one.length or 0):
            for leaf in inner:
                yield ScalarAt(offset + position * size + leaf.offset, leaf.type, leaf.owner)
    elif isinstance(one, t.Struct):
        for name, kind in (one.fields or {}).items():
            at = t.offset_of(one, name, model.pointer)
            yield from scalars_of(kind, model, offset + at, (one, name))


def scalars_in(
    one: t.Type, model: DataModel, path: tuple[str, ...] = (), offset: int = 0, owner: Owner = None
) -> Iterator[tuple[tuple[str, ...], int, Owner, t.Integer | t.Pointer]]:
    """Those that are reached by members alone: no elements of arrays, no bit-fields, no unions."""
    if isinstance(one, t.Pointer) or (isinstance(one, t.Integer) and one.bits is None):
        yield path, offset, owner, one
    elif isinstance(one, t.Struct) and not one.is_union:
        for name, kind in (one.fields or {}).items():
            at = offset + t.offset_of(one, name, model.pointer)
            yield from scalars_in(kind, model, (*path, name), at, (one, name))


def size_or_nothing(one: t.Type, model: DataModel) -> int:
    try:
        return t.size_of(one, model.pointer)
    except NotImplementedError:
        return 0


def kinds_in(one: t.Type) -> set[str]:
    if isinstance(one, t.ArrayOf):
        return kinds_in(one.element)
    if isinstance(one, t.Struct):
        return {kind for each in (one.fields or {}).values() for kind in kinds_in(each)}
    return {kind_of(one)} - {""}


def firsts(one: t.Type) -> Iterator[t.Type]:
    while True:
        yield plain(one)
        if isinstance(one, t.ArrayOf):
            one = one.element
        elif isinstance(one, t.Struct) and one.fields and not one.is_union:
            one = next(iter(one.fields.values()))
        else:
            return


def holds_union(one: t.Type) -> bool:
    if isinstance(one, t.ArrayOf):
        return holds_union(one.element)
    if isinstance(one, t.Struct):
        return one.is_union or any(holds_union(kind) for kind in (one.fields or {}).values())
    return False


def plain(one: t.Type) -> t.Type:
    """All integers of one width are one type here, and all pointers."""
    if isinstance(one, t.Pointer):
        return t.Pointer(t.VOID)
    if isinstance(one, t.Integer):
        return t.Integer(one.width, True, f"int{one.width}", 0, bits=one.bits)
    return one


# --- runs with objects at other places ---


# Where the first object is, and how far away the next: low and high, up and down, even and odd.
OTHER_PLACES = ((0x0800_0000, 1 << 20), (0xF655_9001, -(1 << 20)))


def elsewhere(
    variables: Iterable[Term], starts: Mapping[Term, bv.Value], first: int, step: int
) -> dict[Term, bv.Value]:
    """The same start of a run, but pointers have other addresses."""
    changed = dict(starts)
    known = {one.name: one for one in variables}
    if ADDRESSES in known and POINTERS in known:
        before = starts.get(known[POINTERS], bv.ArrayValue(0, {}))
        assert isinstance(before, bv.ArrayValue)
        placed = _Placed(first, step)
        changed[known[ADDRESSES]] = bv.ArrayValue(0, placed)
        changed[known[POINTERS]] = bv.ArrayValue(before.otherwise, _PointersAt(placed, before.elements))
    return changed


class _Placed(Mapping[int, int]):
    """Addresses of pointers, given out as they are asked for. Offsets in an object stay what they are."""

    def __init__(self, first: int, step: int) -> None:
        self.first, self.step = first, step
        self.objects: dict[int, int] = {}  # by their numbers

    def __getitem__(self, pointer: int) -> int:
        number, offset = divmod(pointer, 1 << OFFSET_BITS)
        return self.objects.setdefault(number, self.first + len(self.objects) * self.step) + offset

    def __iter__(self) -> Iterator[int]:
        return iter(self.objects)

    def __len__(self) -> int:
        return len(self.objects)


class _PointersAt(Mapping[int, int]):
    """The other way; what nobody was given is as it was."""

    def __init__(self, placed: _Placed, before: Mapping[int, int]) -> None:
        self.placed, self.before = placed, before

    def __getitem__(self, address: int) -> int:
        for number, first in self.placed.objects.items():
            if 0 <= address - first < abs(self.placed.step):
                return (number << OFFSET_BITS) + address - first
        return self.before[address]

    def __iter__(self) -> Iterator[int]:
        return iter(self.before)

    def __len__(self) -> int:
        return len(self.before)
