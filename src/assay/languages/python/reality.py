"""What CPython itself has, so that what the machine lacks is not taken for a mistake of the program.

The machine asks before it lets a program see an AttributeError or ImportError about one of its own modules,
classes or types. If CPython has the thing, nothing is known about the program, and it is refused.
"""

from __future__ import annotations

import dis
import functools
import importlib
import re
import sys
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

list_iterator: type = type(iter(()))
LIBRARY = Path(__file__).parent / "library"
THINGS = (ModuleType, FunctionType, BuiltinFunctionType)


# What the library that stands for this package has not.
LACKING_IN_TYPING_EXTENSIONS = frozenset({"Format", "Reader", "Writer", "__all__", "_TypedDictMeta"})


def has(module: str, path: str, name: str) -> bool:
    """Whether the module, or the class or factory in it that `path` names, has an attribute in CPython."""
    if module == "typing_extensions":  # which version of it the program finds, the compiler knows
        return name in LACKING_IN_TYPING_EXTENSIONS
    thing = found(module, path)
    if thing is None:
        return False
    if hasattr(thing, name):
        return True
    if isinstance(thing, type):
        return name in stored_names(thing)
    return bool(path) and callable(thing) and name in names_of_product(module, path)


def found(module: str, path: str) -> object:
    """What CPython has there; None if nothing. Some classes have another name than in their module."""
    try:
        thing: object = importlib.import_module(module)
    except ImportError:
        return None
    for part in path.split(".") if path else ():
        by_own_name = [value for value in vars(thing).values() if getattr(value, "__name__", "") == part]
        thing = getattr(thing, part, by_own_name[0] if by_own_name else None)
    return thing


# Modules that do something when they are imported.
NEVER_IMPORTED = frozenset(
    {"antigravity", "idlelib", "lib2to3", "test", "this", "turtle", "turtledemo", "tkinter"}
)
# Of which numbers with names in capital letters are the same wherever a program runs.
MODULES_OF_CONSTANTS = frozenset(
    {"io", "os", "selectors", "signal", "socket", "stat", "subprocess", "token", "tokenize"}
)


def module(name: str) -> object:
    """A module of CPython; None if it is not CPython's own, or does something when it is imported."""
    top = name.partition(".")[0]
    if top not in sys.stdlib_module_names or top in NEVER_IMPORTED:
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def is_at(thing: object, place: tuple[str, str]) -> bool:
    """Whether CPython has the thing in this module of its own, under this name."""
    name, path = place
    return name.partition(".")[0] in sys.stdlib_module_names and found(name, path) is thing


@functools.cache
def modules_with_class() -> dict[str, list[str]]:
    """By the name of a class: the libraries for the machine that have one."""
    modules: dict[str, list[str]] = {}
    for file in LIBRARY.rglob("*.py"):
        module = ".".join(file.relative_to(LIBRARY).with_suffix("").parts).removesuffix(".__init__")
        for name in re.findall(r"^class (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            modules.setdefault(name, []).append(module)
    return modules


def has_stand_in(exception: type[BaseException]) -> bool:
    """Whether a library for the machine has an exception of its own in place of this one of CPython."""
    name = exception.__name__
    return any(is_at(exception, (module, name)) for module in modules_with_class().get(name, ()))


def part(thing: object, name: str) -> tuple[object, bool, bool]:
    """An attribute of a module or class of CPython.

    Whether it is to be had as it is: exceptions of which the machine has none of its own, names, and numbers
    that have a name; else whether it is a module, class or function, of which one knows that it is true and
    equal to nothing but itself.
    """
    try:
        value = getattr(thing, name)
    except AttributeError:
        if not isinstance(thing, ModuleType) or module(f"{thing.__name__}.{name}") is None:
            raise
        value = getattr(thing, name)
    if isinstance(value, type) and issubclass(value, BaseException) and not has_stand_in(value):
        return value, True, True
    if isinstance(value, str) and name in {"__name__", "__qualname__", "__module__", "__doc__"}:
        return value, True, True
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and name.isupper()
        and isinstance(thing, ModuleType)
        and thing.__name__ in MODULES_OF_CONSTANTS
    ):
        return value, True, True
    return value, False, isinstance(value, THINGS) or is_plain_class(value)


def is_plain_class(value: object) -> bool:
    """A class whose metaclass does not say otherwise."""
    return (
        isinstance(value, type)
        and type(value).__eq__ is type.__eq__
        and type(value).__hash__ is type.__hash__
    )


@functools.cache
def stored_names(cls: type) -> frozenset[str]:
    """The attributes that the methods of a class, or of its bases, store, in `self` as a rule."""
    pending = [code for base in cls.__mro__ for method in vars(base).values() for code in codes_of(method)]
    found: set[str] = set()
    while pending:
        code = pending.pop()
        found |= {one.argval for one in dis.get_instructions(code) if one.opname == "STORE_ATTR"}
        pending += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return frozenset(found)


def codes_of(method: object) -> list[CodeType]:
    """Of a function, whatever a class wraps it in. From its code, as finding its text takes long."""
    wrapped = [getattr(method, name, None) for name in ("__func__", "__wrapped__", "fget", "fset", "func")]
    codes = [getattr(function, "__code__", None) for function in (method, *wrapped)]
    return [code for code in codes if isinstance(code, CodeType)]


@functools.cache
def names_of_product(module: str, path: str) -> frozenset[str]:
    """The attributes of what a factory without arguments (`threading.Lock`) makes."""
    thing = found(module, path)
    assert callable(thing)
    try:
        return frozenset(dir(thing()))
    except TypeError:
        return frozenset()
