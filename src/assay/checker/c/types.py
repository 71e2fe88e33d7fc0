"""Types of C on x86: widths, sizes, and what arithmetic converts to (C11 6.2.5, 6.3.1)."""

from __future__ import annotations

from collections.abc import Iterator

from assay.checker.c.problems import CannotCheck
from assay.checker.records import dataclass, replace

POINTER_BITS = 64  # of a pointer's value here; what `sizeof` says depends on the data model


@dataclass(frozen=True)
class Int:
    width: int
    is_signed: bool
    rank: int
    name: str
    is_bool: bool = False
    bits: int | None = None  # of a bit-field

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Void:
    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True)
class Unmodelled:
    name: str
    like: Type | None = None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Pointer:
    of: Type

    def __str__(self) -> str:
        return f"{self.of}*"


@dataclass(frozen=True)
class Array:
    of: Type
    length: int | None

    def __str__(self) -> str:
        return f"{self.of}[{'' if self.length is None else self.length}]"


@dataclass(frozen=True)
class Function:
    result: Type
    parameters: tuple[Type, ...] | None  # None: nothing is said about them
    is_variadic: bool

    def __str__(self) -> str:
        return f"{self.result}()"


class Struct:
    """Two are the same only if they are one declaration."""

    def __init__(self, tag: str, *, is_union: bool, has_tag: bool) -> None:
        self.tag, self.is_union, self.has_tag = tag, is_union, has_tag
        self.fields: dict[str, Type] | None = None
        self.scalars = 0  # in it, those of an array once
        self.is_altered = False  # by an attribute: where members are is not known

    def __str__(self) -> str:
        return f"{'union' if self.is_union else 'struct'} {self.tag}"

    def path_to(self, name: str) -> tuple[str, ...] | None:
        """Of a member, or of a member of one without a name."""
        fields = self.fields or {}
        if name in fields:
            return (name,)
        for own, kind in fields.items():
            if own.startswith("<") and isinstance(kind, Struct):
                inner = kind.path_to(name)
                if inner is not None:
                    return (own, *inner)
        return None


Type = Int | Void | Unmodelled | Pointer | Array | Function | Struct
Scalar = Int | Pointer

VOID = Void()
BOOL = Int(8, False, 0, "_Bool", is_bool=True)
CHAR = Int(8, True, 1, "char")
INT = Int(32, True, 3, "int")
UNSIGNED = Int(32, False, 3, "unsigned int")
LONG_LONG = Int(64, True, 5, "long long")
UNSIGNED_LONG_LONG = Int(64, False, 5, "unsigned long long")


def named(words: tuple[str, ...], long_bits: int) -> Type | None:
    """Words of a type in any order; None if they name none."""
    left = list(words)
    is_unsigned = "unsigned" in left
    is_signed = "signed" in left
    if left in (["void"], ["_Bool"]):
        return VOID if left == ["void"] else BOOL
    if "float" in left or "double" in left or any(one.startswith("_") for one in left):
        return Unmodelled(" ".join(reversed(left)))
    kinds = [one for one in left if one not in ("unsigned", "signed")]
    if len(left) - len(kinds) > 1:
        return None
    if kinds == ["char"]:
        name = "unsigned char" if is_unsigned else "signed char" if is_signed else "char"
        return Int(8, not is_unsigned, 1, name)
    longs, shorts, ints = kinds.count("long"), kinds.count("short"), kinds.count("int")
    if longs + shorts + ints != len(kinds) or ints > 1 or shorts > 1 or longs > 2 or (shorts and longs):
        return None
    width, rank, name = (
        (16, 2, "short")
        if shorts
        else (32, 3, "int")
        if not longs
        else (long_bits, 4, "long")
        if longs == 1
        else (64, 5, "long long")
    )
    return Int(width, not is_unsigned, rank, f"unsigned {name}" if is_unsigned else name)


def promoted(one: Int) -> Int:
    if one.bits is not None:
        if one.bits < 32 or (one.bits == 32 and one.is_signed):
            return INT
        if one.bits == 32:
            return UNSIGNED
        raise CannotCheck("computing with a bit-field of more than 32 bits")
    return INT if one.rank < INT.rank else one


def usual(left: Int, right: Int) -> Int:
    """The usual arithmetic conversions (C11 6.3.1.8)."""
    left, right = promoted(left), promoted(right)
    if left.is_signed == right.is_signed:
        return left if left.rank >= right.rank else right
    unsigned, signed = (right, left) if left.is_signed else (left, right)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.width > unsigned.width:
        return signed
    return replace(signed, is_signed=False, name=f"unsigned {signed.name}")


def compatible(one: Type, other: Type, seen: set[tuple[int, int]] | None = None) -> bool:
    """Whether two files speak of one type (C11 6.2.7). Structs are the same if their tags and members are;
    two that were `seen` are looked at once, since all of it has to be the same."""
    seen = set() if seen is None else seen
    if isinstance(one, Struct) and isinstance(other, Struct):
        pair = (id(one), id(other))
        if one is other or pair in seen:
            return True
        seen.add(pair)
        if one.has_tag != other.has_tag or one.is_union != other.is_union:
            return False
        if one.has_tag and one.tag != other.tag:
            return False
        if one.fields is None or other.fields is None:  # nobody knows more there
            return True
        if list(one.fields) != list(other.fields):
            return False
        members = zip(one.fields.values(), other.fields.values(), strict=True)
        return all(compatible(*each, seen) for each in members)
    if isinstance(one, Pointer) and isinstance(other, Pointer):
        return compatible(one.of, other.of, seen)
    if isinstance(one, Array) and isinstance(other, Array):
        is_open = one.length is None or other.length is None
        return (is_open or one.length == other.length) and compatible(one.of, other.of, seen)
    if isinstance(one, Function) and isinstance(other, Function):
        if not compatible(one.result, other.result, seen):
            return False
        if one.parameters is None or other.parameters is None:
            return True
        if len(one.parameters) != len(other.parameters) or one.is_variadic != other.is_variadic:
            return False
        return all(compatible(*each, seen) for each in zip(one.parameters, other.parameters, strict=True))
    return one == other


def size_of(one: Type, pointer_bits: int) -> int:
    return layout(one, pointer_bits)[0]


def layout(one: Type, pointer_bits: int) -> tuple[int, int]:
    """Bytes and alignment (System V ABI of x86)."""
    if isinstance(one, Int):
        return one.width // 8, min(one.width, pointer_bits) // 8
    if isinstance(one, Pointer):
        return pointer_bits // 8, pointer_bits // 8
    if isinstance(one, Array) and one.length is not None:
        size, alignment = layout(one.of, pointer_bits)
        return size * one.length, alignment
    if isinstance(one, Struct) and one.fields is not None:
        return _layout_of_struct(one, pointer_bits)
    if isinstance(one, Unmodelled) and one.like is not None:
        return layout(one.like, pointer_bits)
    raise CannotCheck(f"the size of {one}")


def offset_of(one: Struct, name: str, pointer_bits: int) -> tuple[int, int]:
    """Bytes, and bits of a bit-field."""
    starts: dict[str, int] = {}
    _layout_of_struct(one, pointer_bits, starts)
    return divmod(starts[name], 8)


def has_union(one: Type) -> bool:
    while isinstance(one, Array):
        one = one.of
    return isinstance(one, Struct) and (one.is_union or any(map(has_union, (one.fields or {}).values())))


def _layout_of_struct(
    one: Struct, pointer_bits: int, starts: dict[str, int] | None = None
) -> tuple[int, int]:
    if one.is_altered:
        raise CannotCheck(f"where members of {one} are, with an attribute that changes it")
    end, most, position = 0, 1, 0  # in bits, but for the alignment
    for name, kind in (one.fields or {}).items():
        if isinstance(kind, Array) and kind.length is None:
            size, alignment = 0, layout(kind.of, pointer_bits)[1]
        else:
            size, alignment = layout(kind, pointer_bits)
        bits = kind.bits if isinstance(kind, Int) else None
        if bits is not None and name.startswith("<"):
            raise CannotCheck("the size of a struct with a bit-field that has no name")
        most = max(most, alignment)
        start = 0 if one.is_union else position
        unit = 8 * (size if bits is not None else alignment)
        if bits is None or start // unit != (start + bits - 1) // unit:
            start = -(-start // unit) * unit
        if starts is not None:
            starts[name] = start
        position = start + (8 * size if bits is None else bits)
        end = max(end, position)
    return -(-end // (8 * most)) * most, most


@dataclass(frozen=True)
class Leaf:
    """A scalar in an object: all elements that are reached by the same members."""

    path: tuple[str, ...]
    lengths: tuple[int, ...]
    type: Scalar


def leaves(one: Type, path: tuple[str, ...] = (), lengths: tuple[int, ...] = ()) -> Iterator[Leaf]:
    if isinstance(one, Int | Pointer):
        yield Leaf(path, lengths, one)
    elif isinstance(one, Array):
        yield from leaves(one.of, path, (*lengths, one.length or 0))
    elif isinstance(one, Struct):
        if one.is_union:
            raise CannotCheck(f"an object of type {one}")
        if one.fields is None:
            raise CannotCheck(f"an object of type {one}, which is not declared")
        for name, kind in one.fields.items():
            yield from leaves(kind, (*path, name), lengths)


def scalars_of(one: Type) -> int:
    while isinstance(one, Array):
        one = one.of
    return one.scalars if isinstance(one, Struct) else 1


def width_of(one: Scalar) -> int:
    return one.width if isinstance(one, Int) else POINTER_BITS
