"""Every built-in that can call the program, and what the machine does there. A name that is in no table
fails.

Steps: a function of the library does what CPython's C code does, and the machine can stop inside of
what it calls. Watched: the machine notices that a built-in calls back. Where others can reach what
it works on, it makes sure that they leave it alone meanwhile, or refuses the program. In no table:
CPython calls nothing of the program there, which is asked here with spies.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import assay
from tests.python.adversary.call_backs import (
    FUNCTIONS,
    TYPES,
    call_backs_of,
    call_backs_of_function,
    functions_of,
    methods_of,
)

LIBRARY = Path(assay.__file__).parent / "languages" / "python" / "library"
COMPARED = {
    "__eq__": "compare_eq",
    "__ne__": "compare_ne",
    "__lt__": "compare_lt",
    "__le__": "compare_le",
    "__gt__": "compare_gt",
    "__ge__": "compare_ge",
}
SHOWN = {"__repr__": "repr", "__str__": "str"}


def named(prefix: str, names: str) -> dict[str, str]:
    return {name: f"{prefix}_{name}" for name in names.split()}


# By type: the function of the library that stands for a method.
STEPS: dict[str, dict[str, str]] = {
    "list": {
        **COMPARED,
        **SHOWN,
        **named("list", "__contains__ __iadd__ count index remove extend sort"),
    },
    "tuple": {**COMPARED, **SHOWN, **named("tuple", "__contains__ count index")},
    "deque": {**SHOWN, **named("deque", "__contains__ __iadd__ count index remove extend extendleft")},
    "dict": {**SHOWN, **named("dict", "__ior__ update fromkeys")},
    "defaultdict": {**SHOWN, **named("dict", "__ior__ __missing__ update fromkeys")},
    "OrderedDict": {**named("dict", "update fromkeys __ior__")},
    "Counter": {**named("Counter", "update subtract _keep_positive __iadd__ __isub__ __iand__ __ior__")},
    "set": {
        **SHOWN,
        **named(
            "set",
            "union intersection difference symmetric_difference issubset issuperset isdisjoint update "
            "intersection_update difference_update symmetric_difference_update",
        ),
    },
    "frozenset": {
        **SHOWN,
        **named(
            "frozenset", "union intersection difference symmetric_difference issubset issuperset isdisjoint"
        ),
    },
    "bytearray": {**named("bytearray", "extend join")},
    "str": {"__mod__": "_percent", "join": "str_join"},
}
INDEXED = "__getitem__ __mul__ __rmul__"
KEYED = "__contains__ __delitem__ __eq__ __getitem__ __ne__ __or__ __ror__ __setitem__ get pop setdefault"
OF_SETS = (
    "__and__ __contains__ __eq__ __ge__ __le__ __ne__ __or__ __rand__ __ror__ __rsub__ __rxor__ "
    "__sub__ __xor__"
)
WATCHED: dict[str, set[str]] = {
    "list": {*INDEXED.split(), "__delitem__", "__setitem__", "__imul__", "insert"},
    "tuple": {*INDEXED.split(), "__hash__"},
    "deque": {
        *INDEXED.split(),
        *("__delitem__", "__setitem__", "__imul__", "insert", "rotate"),
        *COMPARED,
    },
    "dict": {*KEYED.split()},
    "defaultdict": {*KEYED.split()},
    "OrderedDict": {*KEYED.split(), "__repr__", "__str__", "copy", "move_to_end", "popitem"},
    "Counter": {
        *KEYED.split(),
        *("__ge__", "__gt__", "__le__", "__lt__", "__neg__", "__pos__", "__repr__", "__str__"),
        *("__add__", "__sub__", "__and__", "most_common", "total"),
    },
    "set": {*OF_SETS.split(), "__iand__", "__ior__", "__isub__", "__ixor__", "add", "discard", "remove"},
    "frozenset": {*OF_SETS.split()},
    "bytearray": {
        *INDEXED.split(),
        *("__contains__", "__delitem__", "__setitem__", "__imul__"),
        *("append", "count", "index", "insert", "pop", "remove"),
    },
    "str": {"__getitem__", "__mul__", "format", "format_map"},
}


def written() -> set[str]:
    """The names that the library defines for the machine."""
    found: set[str] = set()
    for file in ("_builtins.py", "_library_functions.py"):
        for node in ast.parse((LIBRARY / file).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Assign):
                found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_every_method_that_calls_the_program_is_in_a_table(kind: str) -> None:
    calling = {method for method in methods_of(kind) if call_backs_of(kind, method)}
    assert calling == {*STEPS[kind], *WATCHED[kind]}
    assert not STEPS[kind].keys() & WATCHED[kind]


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_what_is_done_in_steps_is_written_in_the_library(kind: str) -> None:
    assert set(STEPS[kind].values()) <= written()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_that_call_the_program_are_written_in_the_library(name: str) -> None:
    assert call_backs_of_function(name)
    assert name.partition(".")[2] in written()


@pytest.mark.parametrize("module", ["heapq", "bisect"])
def test_every_function_of_a_module_on_containers_is_in_the_table(module: str) -> None:
    assert {f"{module}.{name}" for name in functions_of(module)} <= set(FUNCTIONS)


def test_every_iterator_of_itertools_is_written_in_the_library() -> None:
    tree = ast.parse((LIBRARY / "itertools.py").read_text(encoding="utf-8"))
    ours = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert {name for name in functions_of("itertools") if name != "batched"} <= ours
