"""States of hand-written systems as bytes, the same in every process.

Python's `==` decides which states are one state. In one process a dictionary
follows it; processes that check parts of one certificate need a form that they
all agree on. `canonical_bytes` keeps one promise:

    a == b  exactly when  canonical_bytes(a) == canonical_bytes(b)

So the form follows what `==` compares, not how a value is written:

- numbers by value: True, 1 and 1.0 are equal, and -0.0 is 0. NaN is refused,
  because it does not equal itself;
- members of `IntEnum` and `StrEnum` as the number or text they equal, named
  tuples as the tuple they equal;
- frozensets without an order;
- members of other enumerations by class and name (flags: value), frozen
  dataclasses by class and the fields that take part in the comparison.

What a type's instances equal is decided by its `__eq__`, so that is what is
looked at: a subclass that inherits it is encoded like its base, one with an
`__eq__` of its own is refused, as is every type not named above. Classes are
told apart by name, so a class must be found under its name.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass, make_dataclass
from enum import Enum, Flag
from types import FunctionType

WORD_BYTES = 8
NOT_A_STATE = bytes(WORD_BYTES)  # no value has these bytes: every encoding begins with a letter


class NoCanonicalForm(Exception):
    """A value that cannot be told apart from others by bytes; says its type and why."""


def canonical_bytes(value: object) -> bytes:
    """The bytes of one value. Values of one system are encoded by one `CanonicalForm`."""
    return CanonicalForm().encode(value)


class CanonicalForm:
    """Encodes values. Remembers the classes it has seen: no two of them may have one name."""

    def __init__(self) -> None:
        self._encoders: dict[type, Callable[[object], bytes]] = {}
        self._classes: dict[str, type] = {}

    def encode(self, value: object) -> bytes:
        """A whole number of 8-byte words.

        No encoding is the beginning of another one, so the zeros at the end are unambiguous.
        """
        try:
            encoded = self._encode(value)
        except RecursionError:
            raise NoCanonicalForm("it is nested too deeply") from None
        return encoded + bytes(-len(encoded) % WORD_BYTES)

    def _encode(self, value: object) -> bytes:
        kind = type(value)
        encoder = self._encoders.get(kind)
        if encoder is None:
            encoder = self._encoders[kind] = self._encoder_for(kind)
        return encoder(value)

    def _encoder_for(self, kind: type) -> Callable[[object], bytes]:
        if kind is type(None):
            return lambda _: b"N"
        equality: object = kind.__eq__
        if (plain := _PLAIN.get(equality)) is not None:
            return plain
        if equality is tuple.__eq__:
            return self._tuple
        if equality is frozenset.__eq__:
            return self._frozenset
        if issubclass(kind, Enum) and equality is object.__eq__:
            return self._flag_encoder(kind) if issubclass(kind, Flag) else self._enum_encoder(kind)
        if is_dataclass(kind):
            return self._dataclass_encoder(kind)
        raise NoCanonicalForm(
            f"{_name_of(kind)} is not one of None, bool, int, float, str, bytes, tuple, frozenset, "
            f"enumerations, frozen dataclasses and named tuples"
        )

    def _tuple(self, value: object) -> bytes:
        assert isinstance(value, tuple)
        parts = [self._encode(part) for part in tuple.__iter__(value)]
        return b"T" + _length(len(parts)) + b"".join(parts)

    def _frozenset(self, value: object) -> bytes:
        assert isinstance(value, frozenset)
        parts = sorted(self._encode(part) for part in frozenset.__iter__(value))
        return b"Z" + _length(len(parts)) + b"".join(parts)

    def _enum_encoder(self, kind: type) -> Callable[[object], bytes]:
        prefix = b"E" + self._class(kind)
        return lambda value: prefix + _text(value.name)  # type: ignore[attr-defined]

    def _flag_encoder(self, kind: type) -> Callable[[object], bytes]:
        prefix = b"G" + self._class(kind)
        return lambda value: prefix + _integer(value.value)  # type: ignore[attr-defined]

    def _dataclass_encoder(self, kind: type) -> Callable[[object], bytes]:
        names = [field.name for field in fields(kind) if field.compare]
        if not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            raise NoCanonicalForm(f"{_name_of(kind)} is a dataclass that is not frozen")
        if not _compares_fields(kind, names):
            raise NoCanonicalForm(f"{_name_of(kind)} is a dataclass with an __eq__ of its own")
        prefix = b"D" + self._class(kind)
        return lambda value: prefix + b"".join([self._encode(getattr(value, name)) for name in names])

    def _class(self, kind: type) -> bytes:
        name = _name_of(kind)
        found: object = sys.modules.get(kind.__module__)
        for part in kind.__qualname__.split("."):
            found = getattr(found, part, None)
        if found is not kind or self._classes.setdefault(name, kind) is not kind:
            raise NoCanonicalForm(f"{name} is a class that is not found under its name")
        return _text(name)


def _name_of(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _compares_fields(kind: type, names: list[str]) -> bool:
    """Whether `==` is the one that `dataclass` writes for these fields."""
    own, written = kind.__eq__, make_dataclass("Written", names).__eq__
    if not isinstance(own, FunctionType) or not isinstance(written, FunctionType):
        return False
    return _code_of(own) == _code_of(written)


def _code_of(function: FunctionType) -> tuple[object, ...]:
    code = function.__code__
    return code.co_code, code.co_names, code.co_consts, code.co_varnames, code.co_freevars


def _length(length: int) -> bytes:
    """Seven bits a byte, the high bit on all but the last: no length is the beginning of another."""
    encoded = bytearray()
    while length > 0x7F:
        encoded.append(length & 0x7F | 0x80)
        length >>= 7
    encoded.append(length)
    return bytes(encoded)


# The methods of the base types are called by name: a subclass may have replaced them.


def _integer(value: object) -> bytes:
    assert isinstance(value, int)
    size = int.bit_length(value) // 8 + 1  # one bit more, for the sign
    return b"I" + _length(size) + int.to_bytes(value, size, "little", signed=True)


def _float(value: object) -> bytes:
    assert isinstance(value, float)
    if float.is_integer(value):
        return _integer(float.__int__(value))
    encoded = struct.pack("<d", value)
    if struct.unpack("<d", encoded) != struct.unpack("<d", encoded):
        raise NoCanonicalForm("NaN does not equal itself")
    return b"F" + encoded


def _text(value: object) -> bytes:
    assert isinstance(value, str)
    encoded = str.encode(value, "utf-8", "surrogatepass")
    return b"S" + _length(len(encoded)) + encoded


def _bytes(value: object) -> bytes:
    encoded = memoryview(value).tobytes()  # type: ignore[arg-type]
    return b"B" + _length(len(encoded)) + encoded


_PLAIN: dict[object, Callable[[object], bytes]] = {
    int.__eq__: _integer,
    float.__eq__: _float,
    str.__eq__: _text,
    bytes.__eq__: _bytes,
}
