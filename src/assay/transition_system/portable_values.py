"""Values of hand-written states as bytes from which another process makes them again.

`canonical` tells which values are equal; here bytes tell what a value *is*, so that `decode` gives it back:
True stays True, though it equals 1. The same types can be told, less what bytes cannot give back (an instance
with attributes beside its value). Reading makes objects of types that this process has loaded already, by
their own constructors of plain values; it imports nothing, and of the class it calls what hashes need.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum, Flag

from assay.transition_system.canonical import NoCanonicalForm

DEEPEST = 200  # values in values


class NoSuchValue(ValueError):
    """Bytes that `encode` never gave, or that name what this process has not."""


def encode(value: object) -> bytes:
    """Raises `NoCanonicalForm` where no bytes can say what the value is."""
    return _encoded(value, 0)


def decode(content: bytes) -> object:
    reader = _Reader(content)
    value = reader.value(0)
    if reader.at != len(content):
        raise NoSuchValue("there is more than one value")
    return value


def _encoded(value: object, depth: int) -> bytes:
    if depth > DEEPEST:
        raise NoCanonicalForm("it is nested too deeply")
    kind = type(value)
    if isinstance(value, Enum):
        if isinstance(value, Flag):
            return b"G" + _text(_path(kind)) + _encoded(value._value_, depth + 1)
        return b"E" + _text(_path(kind)) + _text(value._name_)
    if is_dataclass(kind) and not issubclass(kind, _BASES):
        names = [field.name for field in fields(kind)]
        if set(getattr(value, "__dict__", ())) - set(names):
            raise NoCanonicalForm(f"{_path(kind)} has attributes beside its fields")
        parts = [_encoded(getattr(value, name), depth + 1) for name in names]
        return b"D" + _text(_path(kind)) + _length(len(parts)) + b"".join(parts)
    for letter, base in _LETTERS.items():
        if kind is base:
            return letter + _plain(base, value, depth)
    for letter, base in _LETTERS.items():
        if isinstance(value, base):
            if getattr(value, "__dict__", None) or _has_slots(kind, base):
                raise NoCanonicalForm(f"{_path(kind)} has attributes beside its value")
            return b"S" + _text(_path(kind)) + letter + _plain(base, value, depth)
    raise NoCanonicalForm(f"{_path(kind)} is no type that can be told by bytes")


def _plain(base: type, value: object, depth: int) -> bytes:
    if value is None:
        return b""
    if base is bool:
        return b"1" if value else b"0"
    if base is int:
        assert isinstance(value, int)
        size = int.bit_length(value) // 8 + 1
        return _length(size) + int.to_bytes(value, size, "little", signed=True)
    if base is float:
        assert isinstance(value, float)
        return struct.pack("<d", float(value))
    if base is str:
        assert isinstance(value, str)
        return _text(str.__str__(value))
    if base is bytes:
        content = memoryview(value).tobytes()  # type: ignore[arg-type]
        return _length(len(content)) + content
    if base is tuple:
        assert isinstance(value, tuple)
        parts = [_encoded(part, depth + 1) for part in tuple.__iter__(value)]
    else:
        assert isinstance(value, frozenset)
        parts = sorted(_encoded(part, depth + 1) for part in frozenset.__iter__(value))
    return _length(len(parts)) + b"".join(parts)


def _has_slots(kind: type, base: type) -> bool:
    return any(
        isinstance(part.__dict__.get("__slots__"), (tuple, list, str)) and part.__dict__["__slots__"]
        for part in kind.__mro__[: kind.__mro__.index(base)]
    )


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self.at = 0

    def value(self, depth: int) -> object:
        if depth > DEEPEST:
            raise NoSuchValue("it is nested too deeply")
        letter = self._bytes(1)
        if letter in _LETTERS:
            return self._plain(_LETTERS[letter], depth)
        kind = _class_named(self._text())
        if letter == b"E" and issubclass(kind, Enum):
            member = kind._member_map_.get(self._text())
            if member is None:
                raise NoSuchValue(f"{kind.__qualname__} has no such member")
            return member
        if letter == b"G" and issubclass(kind, Flag):
            number = self.value(depth + 1)
            try:
                return kind(number)
            except ValueError:
                raise NoSuchValue(f"{kind.__qualname__} has no such flags") from None
        if letter == b"D" and is_dataclass(kind) and not issubclass(kind, _BASES):
            names = [field.name for field in fields(kind)]
            if self._length() != len(names):
                raise NoSuchValue(f"{kind.__qualname__} has other fields")
            made = object.__new__(kind)
            for name in names:
                object.__setattr__(made, name, self.value(depth + 1))
            return made
        if letter == b"S":
            base = _LETTERS.get(self._bytes(1))
            if base is not None and base not in {bool, type(None)} and issubclass(kind, base):
                make: Callable[..., object] = base.__new__
                return make(kind, self._plain(base, depth))
        raise NoSuchValue("expected a value of a type that can be told by bytes")

    def _plain(self, base: type, depth: int) -> object:
        if base is type(None):
            return None
        if base is bool:
            return self._bytes(1) == b"1"
        if base is float:
            return struct.unpack("<d", self._bytes(8))[0]
        if base is str:
            return self._text()
        length = self._length()
        if base is int:
            return int.from_bytes(self._bytes(length), "little", signed=True)
        if base is bytes:
            return self._bytes(length)
        parts = [self.value(depth + 1) for _ in range(length)]  # each takes a byte at least
        try:
            return tuple(parts) if base is tuple else frozenset(parts)
        except TypeError:
            raise NoSuchValue("an element of a set has no hash") from None

    def _bytes(self, count: int) -> bytes:
        if count > len(self._content) - self.at:
            raise NoSuchValue("it ends too early")
        found = self._content[self.at : self.at + count]
        self.at += count
        return found

    def _length(self) -> int:
        return int.from_bytes(self._bytes(4), "little")

    def _text(self) -> str:
        try:
            return self._bytes(self._length()).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise NoSuchValue("expected a text") from None


def _class_named(path: str) -> type:
    module, _, name = path.partition(":")
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = vars(found).get(part) if isinstance(found, type) or hasattr(found, "__dict__") else None
    if not isinstance(found, type):
        raise NoSuchValue(f"this process has no class {name[:60]!r}")
    return found


def _path(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _length(length: int) -> bytes:
    return length.to_bytes(4, "little")


def _text(text: str) -> bytes:
    encoded = text.encode("utf-8", "surrogatepass")
    return _length(len(encoded)) + encoded


_LETTERS: dict[bytes, type] = {
    b"N": type(None),
    b"b": bool,  # before int, of which it is a subclass
    b"i": int,
    b"f": float,
    b"s": str,
    b"y": bytes,
    b"t": tuple,
    b"z": frozenset,
}
_BASES = (int, float, str, bytes, tuple, frozenset)
