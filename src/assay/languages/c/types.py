"""Types of C as gcc has them on x86: widths, conversions, layout (C11 6.2.5, 6.3.1, 6.7.2)."""

from __future__ import annotations

from collections.abc import Iterator

from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import Term


@dataclass(frozen=True, slots=True)
class Integer:
    width: int
    signed: bool
    name: str
    rank: int  # C11 6.3.1.1
    is_truth: bool = False  # _Bool: converting to it asks whether the value is not zero
    bits: int | None = None  # of a bit-field; its width is that of its declared type

    def __str__(self) -> str:
        return self.name if self.bits is None else f"{self.name}:{self.bits}"

    @property
    def low(self) -> int:
        width = self.bits or self.width
        return -(1 << (width - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        if self.is_truth:
            return 1
        width = self.bits or self.width
        return (1 << (width - self.signed)) - 1


@dataclass(frozen=True, slots=True)
class Void:
    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """Floating-point numbers, and volatile ones, which others may change: they can be named, and not used."""

    name: str
    like: Type | None = None  # which has its size

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Pointer:
    target: Type

    def __str__(self) -> str:
        return f"{self.target}*"


@dataclass(frozen=True, slots=True)
class ArrayOf:
    element: Type
    length: int | None  # None: not known here
    count: Term | None = None  # of an array whose length the program computes: that, with 64 bits

    def __str__(self) -> str:
        return f"{self.element}[{'' if self.length is None else self.length}]"


@dataclass(frozen=True, slots=True)
class Function:
    result: Type
    parameters: tuple[Type, ...] | None  # None: `()` says nothing about them
    is_variadic: bool = False

    def __str__(self) -> str:
        return f"{self.result}({', '.join(map(str, self.parameters or ()))})"


class Struct:
    """A struct or union. Two are the same only if they are one declaration; fields are known from then on."""

    __slots__ = ("fields", "has_tag", "is_altered", "is_union", "packing", "scalars", "tag")

    def __init__(self, tag: str, *, is_union: bool, has_tag: bool = True) -> None:
        self.tag = tag
        self.has_tag = has_tag
        self.is_union = is_union
        self.fields: dict[str, Type] | None = None
        self.scalars = 0  # in it, those of an array once
        self.packing = 0  # no member is aligned to more bytes (`#pragma pack`); 0: each as its type is
        self.is_altered = False  # by an attribute of a system header: nobody knows where members are

    def __str__(self) -> str:
        return f"{'union' if self.is_union else 'struct'} {self.tag}"

    def path_to(self, name: str) -> tuple[str, ...] | None:
        """Of a member, or of one of an anonymous member (C11 6.7.2.1)."""
        fields = self.fields or {}
        if name in fields:
            return (name,)
        for own, kind in fields.items():
            if own.startswith("<") and isinstance(kind, Struct):
                inner = kind.path_to(name)
                if inner is not None:
                    return (own, *inner)
        return None


Type = Integer | Void | Unmodelled | Pointer | ArrayOf | Function | Struct

FLOATING = ("float", "double", "long double")
VOID = Void()
TRUTH = Integer(8, False, "_Bool", 0, is_truth=True)
CHAR = Integer(8, True, "char", 1)
SIGNED_CHAR = Integer(8, True, "signed char", 1)
UNSIGNED_CHAR = Integer(8, False, "unsigned char", 1)
SHORT = Integer(16, True, "short", 2)
UNSIGNED_SHORT = Integer(16, False, "unsigned short", 2)
INT = Integer(32, True, "int", 3)
UNSIGNED = Integer(32, False, "unsigned int", 3)
LONG_LONG = Integer(64, True, "long long", 5)
UNSIGNED_LONG_LONG = Integer(64, False, "unsigned long long", 5)


def long(width: int, *, signed: bool) -> Integer:
    return Integer(width, signed, "long" if signed else "unsigned long", 4)


def promoted(one: Integer) -> Integer:
    """C11 6.3.1.1: int, if that can represent all its values, and else unsigned int."""
    if one.bits is not None:
        if one.bits < 32 or (one.bits == 32 and one.signed):
            return INT
        if one.bits == 32:
            return UNSIGNED
        # gcc keeps the width of wide bit-fields in some operations.
        raise NotImplementedError("computing with a bit-field of more than 32 bits")
    return INT if one.rank < INT.rank else one


def common(left: Integer, right: Integer) -> Integer:
    """C11 6.3.1.8, the usual arithmetic conversions."""
    left, right = promoted(left), promoted(right)
    if left.signed == right.signed:
        return left if left.rank >= right.rank else right
    unsigned, signed = (right, left) if left.signed else (left, right)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.width > unsigned.width:
        return signed
    # Of the signed one's rank, without its sign (`long` and `unsigned` of 32 bits each).
    return Integer(signed.width, False, f"unsigned {signed.name}", signed.rank)


def compatible(one: Type, other: Type) -> bool:
    """Whether declarations of two files can be of one thing (C11 6.2.7). Structs with a tag are one in all
    files, or were refused when their members were read; those without are compared by their members."""
    if isinstance(one, Struct) and isinstance(other, Struct) and not (one.has_tag or other.has_tag):
        return one is other or (one.is_union == other.is_union and same_members(one, other))
    if isinstance(one, Pointer) and isinstance(other, Pointer):
        return compatible(one.target, other.target)
    if isinstance(one, ArrayOf) and isinstance(other, ArrayOf):
        is_open = one.length is None or other.length is None
        return (is_open or one.length == other.length) and compatible(one.element, other.element)
    if isinstance(one, Function) and isinstance(other, Function):
        if not compatible(one.result, other.result):
            return False
        if one.parameters is None or other.parameters is None:
            return True
        if len(one.parameters) != len(other.parameters) or one.is_variadic != other.is_variadic:
            return False
        return all(map(compatible, one.parameters, other.parameters))
    return one == other


def same_members(one: Struct, other: Struct) -> bool:
    mine, theirs = one.fields or {}, other.fields or {}
    return (
        one.packing == other.packing
        and list(mine) == list(theirs)
        and all(map(compatible, mine.values(), theirs.values()))
    )


def size_of(one: Type, pointer: int) -> int:
    """In bytes. ILP32 aligns `long long` in structs to 4 bytes, as gcc does."""
    return layout(one, pointer)[0]


def offset_of(struct: Struct, field: str, pointer: int) -> int:
    """Of a bit-field: of the unit of its type that it is in."""
    position, kind = dict(_placed(struct, pointer))[field], (struct.fields or {})[field]
    is_bit_field = isinstance(kind, Integer) and kind.bits is not None
    unit = 8 * layout(kind, pointer)[0] if is_bit_field else 8
    return position // unit * (unit // 8)


def bits_of(struct: Struct, field: str, pointer: int) -> tuple[int, int]:
    """Of a bit-field: where it starts in its unit, and how many there are."""
    kind = (struct.fields or {})[field]
    assert isinstance(kind, Integer)
    start = dict(_placed(struct, pointer))[field] - 8 * offset_of(struct, field, pointer)
    return start, kind.width if kind.bits is None else kind.bits


def layout(one: Type, pointer: int) -> tuple[int, int]:
    """Size and alignment in bytes."""
    if isinstance(one, Integer):
        size = one.width // 8
        return size, min(size, pointer // 8)
    if isinstance(one, Pointer):
        return pointer // 8, pointer // 8
    if isinstance(one, ArrayOf):
        if one.length is None:
            raise NotImplementedError("the size of an array of unknown length")
        size, alignment = layout(one.element, pointer)
        return size * one.length, alignment
    if isinstance(one, Struct):
        if one.fields is None:
            raise NotImplementedError(f"the size of {one}, which is not declared")
        end, largest = 0, 1
        for name, position in _placed(one, pointer):
            kind = one.fields[name]
            size, alignment = _member(one, kind, pointer)
            bits = kind.bits if isinstance(kind, Integer) else None
            if bits is None or not name.startswith("<"):  # one without a name aligns nothing
                largest = max(largest, alignment)
            end = max(end, position + (size * 8 if bits is None else bits))
        return -(-end // (8 * largest)) * largest, largest
    if isinstance(one, Unmodelled):
        if one.like is not None:
            return layout(one.like, pointer)
        sizes = {"float": 4, "double": 8, "long double": 16 if pointer == 64 else 12}
        if one.name in sizes:
            return sizes[one.name], min(sizes[one.name], 16 if pointer == 64 else 4)
    raise NotImplementedError(f"the size of {one}")


def _member(struct: Struct, kind: Type, pointer: int) -> tuple[int, int]:
    """A last member may be an array of no length (C11 6.7.2.1)."""
    if isinstance(kind, ArrayOf) and kind.length is None:
        size, alignment = 0, layout(kind.element, pointer)[1]
    else:
        size, alignment = layout(kind, pointer)
    if not struct.packing or alignment <= struct.packing:
        return size, alignment
    if isinstance(kind, Integer) and kind.bits is not None:
        raise NotImplementedError(f"a bit-field in {struct}, which is packed")
    return size, struct.packing


def _placed(struct: Struct, pointer: int) -> Iterator[tuple[str, int]]:
    """Where members start, in bits (System V ABI: a bit-field crosses no unit of its type)."""
    if struct.is_altered:
        raise NotImplementedError(f"the layout of {struct}, which has one of its own,")
    position = 0
    for name, kind in (struct.fields or {}).items():
        size, alignment = _member(struct, kind, pointer)
        bits = kind.bits if isinstance(kind, Integer) else None
        if struct.is_union:
            yield name, 0
            continue
        if bits is None:
            position = -(-position // (8 * alignment)) * 8 * alignment
            yield name, position
            position += 8 * size
        else:
            unit = 8 * size
            if bits == 0 or position // unit != (position + bits - 1) // unit:
                position = -(-position // (8 * alignment)) * 8 * alignment
            yield name, position
            position += bits
