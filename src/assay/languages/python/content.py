"""What can be reached from a value, for comparing it with what could be reached before.

Functions of CPython that are written in Python run in one piece in the machine, although others could come
between what they do. The library `_builtins` looks before such a call whether that would make a difference.
"""

from __future__ import annotations

import gc
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from types import (
    BuiltinFunctionType,
    FunctionType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)

IMMUTABLE_TYPE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE: no class of the program
NOT_FOLLOWED = (FunctionType, ModuleType, BuiltinFunctionType)
OF_CPYTHON = (FunctionType, WrapperDescriptorType, MethodDescriptorType, BuiltinFunctionType)
METHODS = {
    "compare": ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__getattribute__"),
    "repr": ("__repr__", "__str__", "__format__", "__getattribute__"),
}
ATOMS = frozenset({int, str, float, bool, bytes, complex, range, type(None)})


def content(value: object, use: str = "all") -> tuple[object, ...]:
    """All that can be reached from a value, in one flat tuple.

    Two such tuples are equal if nothing has changed in between. Objects are numbered in the order in which
    they are found; what has no identity in a state (tuples, bound methods) is written out where it stands. Of
    dataclasses only the fields for that use count: those that are compared, or shown; all of them if the
    program wrote a method for that use.
    """
    numbers: dict[int, int] = {}
    pending: list[object] = []
    written: list[object] = []

    def write(part: object) -> None:
        kind = type(part)
        if kind in ATOMS:
            written.extend((kind.__name__, repr(part) if kind is float else part))
        elif isinstance(part, type | Enum):
            written.append(part)
        elif isinstance(part, tuple):
            written.extend((kind.__name__, len(part)))
            for item in part:
                write(item)
        elif isinstance(part, MethodType):
            written.append(part.__func__.__qualname__)
            write(part.__self__)
        else:
            if id(part) not in numbers:
                numbers[id(part)] = len(numbers)
                pending.append(part)
            written.extend(("object", numbers[id(part)]))

    write(value)
    while pending:
        found = pending.pop()
        written.extend(("begin", type(found).__name__))
        for part in parts_of(found, use):
            write(part)
    return tuple(written)


def has_method_of_the_program(kind: type, names: tuple[str, ...]) -> bool:
    """Whether one of these methods is neither CPython's nor made by the decorator of dataclasses."""
    return any(
        name in vars(base) and vars(base)[name] is not None and not isinstance(vars(base)[name], OF_CPYTHON)
        for base in kind.__mro__
        for name in names
    )


def parts_of(found: object, use: str) -> Iterator[object]:
    """What an object consists of, in an order that does not depend on addresses."""
    fields = getattr(type(found), "__dataclass_fields__", None)
    if fields is not None and use != "all" and not has_method_of_the_program(type(found), METHODS[use]):
        for name, field in fields.items():
            if getattr(field, use):
                with suppress(AttributeError):
                    yield name
                    yield object.__getattribute__(found, name)
        return
    if isinstance(found, dict):
        items = OrderedDict.items(found) if isinstance(found, OrderedDict) else dict.items(found)
        for key, item in items:
            yield key
            yield item
    elif isinstance(found, list):
        yield from list.__iter__(found)
    elif isinstance(found, deque):
        yield from deque.__iter__(found)
    elif isinstance(found, set | frozenset):
        yield from sorted(found, key=lambda element: repr(content(element, use)))
    elif isinstance(found, BaseException):
        yield found.args
    elif isinstance(found, bytearray):
        yield bytes(found)
    elif type(found).__flags__ & IMMUTABLE_TYPE and not issubclass(type(found), NOT_FOLLOWED):
        if hasattr(type(found), "__next__"):
            # How far it has come is written nowhere that could be compared.
            raise NotImplementedError(
                "a function of CPython goes through an iterator or generator while others could come in, "
                "which is not modelled; write the loop yourself"
            )
        yield from gc.get_referents(found)  # a cell, a view, a closure of the program
    for kind in type(found).__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, MemberDescriptorType) and kind.__module__ != "builtins":
                with suppress(AttributeError):  # it has no value yet
                    yield name
                    yield member.__get__(found)
    with suppress(AttributeError):  # it has no attributes of its own
        for name, item in object.__getattribute__(found, "__dict__").items():
            yield name
            yield item
