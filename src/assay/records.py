"""Dataclasses that cost little until they are used.

`dataclasses.dataclass` writes the text of six methods per class and compiles each when the module is
imported. Assay has some three hundred such classes, a run makes objects of a few, and compiling the others
was half of what a small model waited for. Here `__init__` is written at the first instance, and the other
methods are made of shared parts. Fields are described as the standard library describes them, so that
`fields`, `replace`, `asdict` and `match` work as usual; it compares each annotation with three others by a
pattern, which is half of its time, so they are found here where nothing special is among them. A class that
asks for more than this gets the standard decorator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, cast

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, **asked: bool) -> Any:
        """As that of the standard library."""

        def decorated(plain: type) -> type:
            if set(asked) <= KNOWN and not asks_for_more(plain):
                return record(plain, **asked)
            return dataclasses.dataclass(**asked)(plain)

        return decorated if cls is None else decorated(cls)


KNOWN = {"frozen", "slots", "kw_only"}
OF_RECORDS = ("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__getstate__")


def asks_for_more(plain: type) -> bool:
    """It has written one of the methods itself, or has parameters that are no fields."""
    own = vars(plain)
    annotations = own.get("__annotations__", {}).values()
    return any(name in own for name in OF_RECORDS) or any("InitVar" in str(one) for one in annotations)


def record(plain: type, *, frozen: bool = False, slots: bool = False, kw_only: bool = False) -> type:
    if plain.__doc__ is None:
        plain.__doc__ = plain.__name__  # else the signature would stand there, which takes long to write
    cls: Any = with_fields(
        plain, slots=slots, kw_only=kw_only
    )  # another class than `plain` if that has slots
    fields = dataclasses.fields(cls)
    cls.__init__ = written_at_the_first_call(cls, frozen=frozen)
    cls.__repr__ = shown
    cls.__eq__ = equality([field.name for field in fields if field.compare])
    cls.__hash__ = None
    if frozen:
        hashed = [field.name for field in fields if (field.compare if field.hash is None else field.hash)]
        cls.__hash__ = hashing(hashed)
        cls.__setattr__, cls.__delattr__ = refuse_to_assign, refuse_to_delete
        if slots:
            cls.__getstate__, cls.__setstate__ = pickling([field.name for field in fields])
    decorated: type = cls
    return decorated


def with_fields(plain: Any, *, slots: bool, kw_only: bool) -> type:
    """The class with its fields described, and nothing else of a dataclass."""
    own = vars(plain)
    annotations: dict[str, str] = own.get("__annotations__", {})
    if any(not is_plain(text, own.get(name)) for name, text in annotations.items()):
        find_fields: Callable[[type], type] = dataclasses.dataclass(
            init=False, repr=False, eq=False, slots=slots, kw_only=kw_only
        )
        return find_fields(plain)
    found: dict[str, Any] = {}
    for base in plain.__mro__[-1:0:-1]:
        found |= base.__dict__.get("__dataclass_fields__", {})
    for name, annotation in annotations.items():
        default = own.get(name, MISSING)
        one: Any = default if isinstance(default, Field) else dataclasses.field(default=default)
        one.name, one.type, one._field_type = name, annotation, A_FIELD  # noqa: SLF001 (as `dataclass` does)
        if one.kw_only is MISSING:
            one.kw_only = kw_only
        found[name] = one
        if isinstance(default, Field) and not slots:
            if one.default is MISSING:
                delattr(plain, name)
            else:
                setattr(plain, name, one.default)
    described = {
        "__dataclass_fields__": found,
        "__dataclass_params__": PARAMETERS,
        "__match_args__": tuple(one.name for one in found.values() if one.init and not one.kw_only),
    }
    return with_slots(plain, described) if slots else with_attributes(plain, described)


SPECIAL = ("ClassVar", "InitVar", "KW_ONLY")


def is_plain(annotation: object, default: object) -> bool:
    """A field like any other. What else an annotation can say, and what is refused, the library knows."""
    if not isinstance(annotation, str) or any(word in annotation for word in SPECIAL):
        return False
    value = default.default if isinstance(default, Field) else default
    return type(value).__hash__ is not None and not isinstance(value, MemberDescriptorType)


def with_attributes(plain: type, attributes: dict[str, object]) -> type:
    for name, value in attributes.items():
        if name not in vars(plain) or name != "__match_args__":
            setattr(plain, name, value)
    return plain


def with_slots(plain: Any, attributes: dict[str, Any]) -> type:
    """Slots cannot be added to a class: another one with the same content."""
    names = attributes["__dataclass_fields__"]
    inherited = {slot for base in plain.__mro__[1:-1] for slot in base.__dict__.get("__slots__", ())}
    left_out = {"__dict__", "__weakref__", *names}
    content = attributes | {name: value for name, value in vars(plain).items() if name not in left_out}
    content["__slots__"] = tuple(name for name in names if name not in inherited)
    made: type = type(plain)(plain.__name__, plain.__bases__, content)
    made.__qualname__ = plain.__qualname__
    return made


@dataclasses.dataclass(init=False, repr=False, eq=False)
class _Sample:
    field: int


# What the standard library notes in every class of this kind, and in every field.
PARAMETERS = cast("Any", _Sample).__dataclass_params__
A_FIELD = cast("Any", dataclasses.fields(_Sample)[0])._field_type  # noqa: SLF001


def written_at_the_first_call(cls: Any, *, frozen: bool) -> Callable[..., None]:
    def __init__(self: object, *given: object, **named: object) -> None:  # noqa: N807
        written = initialiser(cls, frozen=frozen)
        cls.__init__ = written
        written(self, *given, **named)

    return __init__


def initialiser(cls: Any, *, frozen: bool) -> Callable[..., None]:
    fields = [field for field in dataclasses.fields(cls) if field.init or has_default(field)]
    names: dict[str, object] = {"MISSING": MISSING, "assign": object.__setattr__}
    parameters = [parameter(field, names) for field in fields if field.init and not field.kw_only]
    by_name = [parameter(field, names) for field in fields if field.init and field.kw_only]
    lines = []
    for field in fields:
        value = field.name
        if field.default_factory is not MISSING:
            names[f"make_{field.name}"] = field.default_factory
            made = f"make_{field.name}()"
            value = f"{made} if {field.name} is MISSING else {field.name}" if field.init else made
        elif not field.init:
            if not hasattr(cls, "__slots__"):
                continue  # the class has it
            names[f"default_{field.name}"] = field.default
            value = f"default_{field.name}"
        lines.append(f"assign(self, {field.name!r}, {value})" if frozen else f"self.{field.name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    head = ", ".join(["self", *parameters, *(["*", *by_name] if by_name else [])])
    text = f"def __init__({head}):\n" + "".join(f"    {line}\n" for line in lines or ["pass"])
    exec(text, names)  # noqa: S102 (names of fields, which are our own)
    function: Callable[..., None] = cast("Any", names["__init__"])
    function.__qualname__ = f"{cls.__qualname__}.__init__"
    return function


def has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def parameter(field: Field[Any], names: dict[str, object]) -> str:
    if field.default_factory is not MISSING:
        return f"{field.name}=MISSING"
    if field.default is MISSING:
        return field.name
    names[f"default_{field.name}"] = field.default
    return f"{field.name}=default_{field.name}"


@recursive_repr("...")
def shown(self: Any) -> str:
    values = [f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr]
    return f"{type(self).__qualname__}({', '.join(values)})"


def values_of(names: list[str]) -> Callable[[Any], Any]:
    """One value or a tuple of them, whose comparison and hash are those of the object."""
    return attrgetter(*names) if names else lambda _: ()


def equality(names: list[str]) -> Callable[[Any, Any], Any]:
    values = values_of(names)
    if len(names) == 1:  # a tuple, too, holds one that is itself for equal

        def __eq__(self: Any, other: Any) -> Any:  # noqa: N807
            if other.__class__ is not self.__class__:
                return NotImplemented
            return (values(self),) == (values(other),)
    else:

        def __eq__(self: Any, other: Any) -> Any:  # noqa: N807
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def hashing(names: list[str]) -> Callable[[Any], int]:
    values = values_of(names)
    if len(names) == 1:
        return lambda self: hash((values(self),))
    return lambda self: hash(values(self))


def refuse_to_assign(_: object, name: str, __: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def refuse_to_delete(_: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def pickling(names: list[str]) -> tuple[Callable[[Any], list[object]], Callable[[Any, list[object]], None]]:
    """How an object is taken apart and put together again, by the names of its fields."""

    def state_of(self: Any) -> list[object]:
        return [getattr(self, name) for name in names]

    def restore(self: Any, state: list[object]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return state_of, restore
