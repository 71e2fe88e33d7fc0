"""What a program's values are inside the oracle.

Numbers, texts and the built-in containers are Python's own. Functions, classes and objects are these.
Whatever the oracle cannot say something true about, it refuses with `Unsupported`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.python.oracle.scopes import Scope
    from tests.python.oracle.synchronisation import Thread


class Unsupported(BaseException):
    """The program uses something the oracle has no answer for. No `except Exception` may swallow it."""


class Raised(Exception):
    """An exception of the program, on its way through the interpreter."""

    def __init__(self, value: BaseException) -> None:
        super().__init__()
        self.value = value


class Nameless:
    """An object whose text would show an address, which differs from run to run."""

    def __repr__(self) -> str:
        raise Unsupported(f"the text of a {type(self).__name__} is not the same in every run")

    __str__ = __repr__

    def __format__(self, format_spec: str, /) -> str:
        return repr(self)


@dataclass(eq=False, repr=False)
class Frame(Nameless):
    """The variables of one call of a function, of a class body or of the module."""

    scope: Scope
    thread: Thread
    outer: Frame | None = None
    variables: dict[str, Any] = field(default_factory=dict)
    function: Function | None = None


@dataclass(eq=False, repr=False)
class Function(Nameless):
    node: ast.FunctionDef | ast.Lambda
    name: str
    scope: Scope
    outer: Frame
    defaults: list[Any]
    keyword_defaults: dict[str, Any]
    owner: Class | None = None


@dataclass(eq=False, repr=False)
class Class(Nameless):
    """A class of the program. Its base is another one, a native type, or nothing."""

    name: str
    base: Class | type | None
    namespace: dict[str, Any]

    def lookup(self, name: str) -> tuple[bool, Any]:
        """Whether a class of the line has the attribute, and its value."""
        at: Class | type | None = self
        while isinstance(at, Class):
            if name in at.namespace:
                return True, at.namespace[name]
            at = at.base
        return False, None

    def native_base(self) -> type | None:
        at: Class | type | None = self
        while isinstance(at, Class):
            at = at.base
        return at

    def descends_from(self, other: Any) -> bool:
        at: Class | type | None = self
        while isinstance(at, Class):
            if at is other:
                return True
            at = at.base
        return at is not None and at is other


@dataclass(eq=False, repr=False)
class Instance(Nameless):
    """An object of a class of the program; a thread when the class descends from Thread."""

    of: Class
    fields: dict[str, Any] = field(default_factory=dict)
    thread: Thread | None = None


@dataclass(eq=False, repr=False)
class BoundMethod(Nameless):
    function: Function
    receiver: Instance


@dataclass(eq=False, repr=False)
class NativeMethod(Nameless):
    """A method of a synchronisation object or of a built-in value."""

    receiver: Any
    name: str


@dataclass(eq=False, repr=False)
class Super(Nameless):
    """What `super()` gives: the receiver, seen from above a class."""

    above: Class | type | None
    receiver: Instance


@dataclass(eq=False, repr=False)
class Module(Nameless):
    """One of the few modules a program may import."""

    name: str
    members: dict[str, Any]


@dataclass(eq=False, repr=False)
class Position(Nameless):
    """An iterator whose place can be seen, so that states with the same place are the same.

    Over a sequence it counts; over a dictionary it counts entries and complains like CPython.
    """

    container: Any
    index: int = 0
    size: int = -1
    keys: tuple[Any, ...] = ()
    over: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.container, dict) or type(self.container) in VIEWS:
            self.size = len(self.container)
            self.keys = tuple(keys_of(self.container))

    @property
    def is_shared(self) -> bool:
        return isinstance(self.container, (list, dict, set, *VIEWS))

    def advance(self) -> tuple[bool, Any]:
        """Whether there is a next item, and the item."""
        if self.over:
            return False, None
        if self.size >= 0:
            return self._advance_in_dictionary()
        if self.index >= len(self.container):
            self.over = True
            return False, None
        self.index += 1
        return True, self.container[self.index - 1]

    def _advance_in_dictionary(self) -> tuple[bool, Any]:
        if len(self.container) != self.size:
            self.size = -2  # CPython keeps complaining
            raise RuntimeError("dictionary changed size during iteration")
        if tuple(keys_of(self.container)) != self.keys:
            raise Unsupported("a dictionary whose keys change while someone walks over it")
        if self.index >= self.size:
            self.over = True
            return False, None
        self.index += 1
        if isinstance(self.container, dict):
            return True, self.keys[self.index - 1]
        return True, list(self.container)[self.index - 1]


VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def keys_of(container: Any) -> Iterator[Any]:
    """The keys of a dictionary, or of the one behind a view."""
    return iter(container if isinstance(container, dict) else container.mapping)


def iterate(value: Any) -> Position:
    """An iterator over a built-in container."""
    if isinstance(value, (list, tuple, str, range, dict, *VIEWS)):
        return Position(value)
    if isinstance(value, Nameless | set | frozenset):
        raise Unsupported(f"iterating over a {type(value).__name__}")
    iter(value)  # complains in CPython's words
    raise Unsupported(f"iterating over a {type(value).__name__}")


def is_shared_container(value: Any) -> bool:
    """Whether reading a value's content is reading memory that others may write."""
    if isinstance(value, tuple):
        return any(map(is_shared_container, value))
    return isinstance(value, (list, dict, set, *VIEWS))


def holds_only_plain_values(values: Sequence[Any]) -> bool:
    return not any(isinstance(value, Nameless) for value in values)
