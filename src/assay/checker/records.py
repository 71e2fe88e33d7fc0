"""Dataclasses for which nothing is imported: the standard library's need `inspect`, which takes longer to
import than a small proof takes to check.

A record has what its annotations name, in their order; `frozen` ones cannot be changed and have a hash.
Fields are described to the standard library when it asks for them (`dataclasses.replace` and its relatives).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:

    class field:  # noqa: N801 (as the standard library calls it)
        """A default that is made anew for each record."""

        def __init__(self, *, default_factory: Any) -> None:
            self.make = default_factory

    def replace(record: Any, /, **changes: Any) -> Any:
        known = {name: getattr(record, name) for name in record.__match_args__}
        return type(record)(**{**known, **changes})

    def dataclass(cls: Any = None, /, *, frozen: bool = False, slots: bool = False) -> Any:  # noqa: ARG001
        """`slots` is said for readers: attributes are kept in a dictionary all the same."""
        return (lambda plain: _record(plain, frozen)) if cls is None else _record(cls, frozen)


A_FIELD: Any = field


class _Described:
    """What the standard library has in a class, made when somebody looks at it."""

    def __get__(self, _: object, owner: Any) -> Any:
        import dataclasses

        content: dict[str, Any] = {"__annotations__": dict.fromkeys(owner.__match_args__, "object")}
        for name, default in owner.__defaults__.items():
            is_made = isinstance(default, A_FIELD)
            content[name] = dataclasses.field(default_factory=default.make) if is_made else default
        described: Any = dataclasses.dataclass(type(owner.__name__, (), content))
        return described.__dataclass_fields__


def _record(cls: Any, frozen: bool) -> Any:
    own = vars(cls)
    names = tuple(own.get("__annotations__", ()))
    setattr(cls, "__match_args__", (*getattr(cls, "__match_args__", ()), *names))  # noqa: B010 (for mypy)
    defaults = {name: own[name] for name in names if name in own}
    cls.__defaults__ = {**getattr(cls, "__defaults__", {}), **defaults}
    cls.__dataclass_fields__ = _Described()
    cls.__init__, cls.__eq__, cls.__repr__ = _made_at_first, _equal, _shown
    cls.__hash__ = None
    if frozen:
        cls.__hash__, cls.__setattr__, cls.__delattr__ = _hash, _refuse, _refuse
    return cls


def _made_at_first(self: Any, *given: Any, **named: Any) -> None:
    """The first record of its class: what makes the others is written now."""
    cls: Any = next(one for one in type(self).__mro__ if one.__dict__.get("__init__") is _made_at_first)
    known: dict[str, Any] = {"__defaults": cls.__defaults__, "__NONE": object()}
    words, lines = [], ["    __own = __self.__dict__"]
    for name in cls.__match_args__:
        if name not in cls.__defaults__:
            words.append(name)
            lines.append(f"    __own[{name!r}] = {name}")
            continue
        default = cls.__defaults__[name]
        if isinstance(default, A_FIELD):
            known[f"__make_{name}"] = default.make
            words.append(f"{name}=__NONE")
            lines.append(f"    __own[{name!r}] = __make_{name}() if {name} is __NONE else {name}")
        else:
            words.append(f"{name}=__defaults[{name!r}]")
            lines.append(f"    __own[{name!r}] = {name}")
    text = f"def __init__({', '.join(['__self', *words])}):\n" + "\n".join(lines)
    exec(text, known)  # noqa: S102 (names of fields, which are our own)
    cls.__init__ = known["__init__"]
    cls.__init__(self, *given, **named)


def _values(self: Any) -> tuple[Any, ...]:
    own = self.__dict__
    return tuple([own[name] for name in self.__match_args__])


def _equal(self: Any, other: Any) -> Any:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _shown(self: Any) -> str:
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({values})"


def _refuse(self: Any, name: str, *_: Any) -> None:
    raise AttributeError(f"cannot assign to or delete '{name}' of a {type(self).__name__}")
