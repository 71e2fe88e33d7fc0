"""Which methods of the program each built-in calls, found out by asking CPython, for every name that it
has.

A `Spy` has every special method and writes down which of them is called. EXAMPLES calls each method
of each container type, and each function of the modules that work on containers, with spies for
items, keys and arguments.
"""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import itertools
import operator
from collections.abc import Callable
from typing import Any

called: list[str] = []


def _spied(name: str, answer: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any) -> Any:
        called.append(name)
        return answer(self, *arguments)

    return method


class Spy:
    """An item that behaves like its number."""

    def __init__(self, number: int) -> None:
        self.number = number


ANSWERS: dict[str, Callable[..., Any]] = {
    "__eq__": lambda self, other: self.number == getattr(other, "number", other),
    "__lt__": lambda self, other: self.number < getattr(other, "number", other),
    "__gt__": lambda self, other: self.number > getattr(other, "number", other),
    "__le__": lambda self, other: self.number <= getattr(other, "number", other),
    "__ge__": lambda self, other: self.number >= getattr(other, "number", other),
    "__hash__": lambda self: 1,
    "__index__": lambda self: self.number,
    "__bool__": lambda self: True,
    "__repr__": lambda self: "spy",
    "__str__": lambda self: "spy",
    "__format__": lambda self, spec: "spy",
    "__add__": lambda self, other: self,
    "__radd__": lambda self, other: self,
    "__call__": lambda self, *arguments: 1,
}
for _name, _answer in ANSWERS.items():
    setattr(Spy, _name, _spied(_name, _answer))


class Many:
    """An iterable of spies."""

    def __init__(self, *items: Any) -> None:
        self.things = items

    def __iter__(self) -> Any:
        called.append("__iter__")
        return self.generate()

    def generate(self) -> Any:
        for item in self.things:
            called.append("__next__")
            yield item

    def __len__(self) -> int:
        called.append("__len__")
        return len(self.things)


def a_list() -> list[Any]:
    return [Spy(1), Spy(2), Spy(3)]


def a_dict() -> dict[Any, Any]:
    return {Spy(1): Spy(1), Spy(2): Spy(2)}


def many() -> Many:
    return Many(Spy(2), Spy(4))


def pairs() -> Many:
    return Many((Spy(2), 1), (Spy(4), 1))


# What stands for an object of each type, and how each of its methods is called. A method that is not here is
# called without arguments.
SEQUENCE: dict[str, Callable[[Any], Any]] = {
    "count": lambda x: x.count(Spy(2)),
    "index": lambda x: x.index(Spy(2)),
    "__contains__": lambda x: Spy(2) in x,
    "__getitem__": lambda x: x[Spy(1)],
    "__add__": lambda x: x + x,
    "__mul__": lambda x: x * Spy(2),
    "__rmul__": lambda x: Spy(2) * x,
}
MUTABLE: dict[str, Callable[[Any], Any]] = {
    "append": lambda x: x.append(Spy(4)),
    "extend": lambda x: x.extend(many()),
    "insert": lambda x: x.insert(Spy(1), Spy(4)),
    "remove": lambda x: x.remove(Spy(2)),
    "__setitem__": lambda x: operator.setitem(x, Spy(1), Spy(4)),
    "__delitem__": lambda x: operator.delitem(x, Spy(1)),
    "__iadd__": lambda x: operator.iadd(x, many()),
    "__imul__": lambda x: operator.imul(x, Spy(2)),
}
KEYED: dict[str, Callable[[Any], Any]] = {
    "get": lambda x: x.get(Spy(2)),
    "pop": lambda x: x.pop(Spy(2)),
    "setdefault": lambda x: x.setdefault(Spy(2), 1),
    "update": lambda x: x.update(pairs()),
    "fromkeys": lambda x: type(x).fromkeys(many()),
    "__contains__": lambda x: Spy(2) in x,
    "__getitem__": lambda x: x[Spy(2)],
    "__setitem__": lambda x: operator.setitem(x, Spy(2), 1),
    "__delitem__": lambda x: operator.delitem(x, Spy(2)),
    "__or__": lambda x: x | a_dict(),
    "__ror__": lambda x: a_dict() | x,
    "__ior__": lambda x: operator.ior(x, pairs()),
    "move_to_end": lambda x: x.move_to_end(Spy(2)),
    "__missing__": lambda x: type(x).__missing__(x, Spy(2)),
    "subtract": lambda x: x.subtract(many()),
    "most_common": lambda x: x.most_common(1),
    "new_child": lambda x: x.new_child(),
}
HASHED: dict[str, Callable[[Any], Any]] = {
    "add": lambda x: x.add(Spy(2)),
    "remove": lambda x: x.remove(Spy(2)),
    "discard": lambda x: x.discard(Spy(2)),
    "__contains__": lambda x: Spy(2) in x,
}
for _name in (
    "union intersection difference symmetric_difference issubset issuperset isdisjoint update "
    "intersection_update difference_update symmetric_difference_update"
).split():
    HASHED[_name] = lambda x, name=_name: getattr(x, name)(many())
for _name in "or and sub xor ior iand isub ixor ror rand rsub rxor".split():
    HASHED[f"__{_name}__"] = lambda x, name=_name: getattr(type(x), f"__{name}__")(x, {Spy(2), Spy(4)})
COUNTED: dict[str, Callable[[Any], Any]] = {}
for _name in "add sub and or iadd isub iand ior".split():
    COUNTED[f"__{_name}__"] = lambda x, name=_name: getattr(type(x), f"__{name}__")(
        x, collections.Counter(a_list())
    )
COUNTED |= {  # with counts that are spies, too
    "most_common": lambda x: collections.Counter(a_dict()).most_common(1),
    "total": lambda x: collections.Counter(a_dict()).total(),
    "__neg__": lambda x: -collections.Counter(a_dict()),
    "_keep_positive": lambda x: collections.Counter(a_dict())._keep_positive(),  # type: ignore[attr-defined]
}
COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")

TYPES: dict[str, tuple[Callable[[], Any], dict[str, Callable[[Any], Any]]]] = {
    "list": (a_list, {**SEQUENCE, **MUTABLE}),
    "tuple": (lambda: tuple(a_list()), SEQUENCE),
    "deque": (
        lambda: collections.deque(a_list()),
        {
            **SEQUENCE,
            **MUTABLE,
            "appendleft": lambda x: x.appendleft(Spy(4)),
            "extendleft": lambda x: x.extendleft(many()),
            "rotate": lambda x: x.rotate(Spy(1)),
        },
    ),
    "dict": (a_dict, KEYED),
    "defaultdict": (lambda: collections.defaultdict(Spy(0), a_dict()), KEYED),
    "OrderedDict": (lambda: collections.OrderedDict(a_dict()), KEYED),
    "Counter": (lambda: collections.Counter({Spy(1): 1, Spy(2): 2}), {**KEYED, **COUNTED}),
    "set": (lambda: set(a_list()), HASHED),
    "frozenset": (lambda: frozenset(a_list()), HASHED),
    "bytearray": (
        lambda: bytearray([1, 2, 3]),
        {
            **{name: call for name, call in SEQUENCE.items() if name != "__add__"},
            "append": lambda x: x.append(Spy(4)),
            "extend": lambda x: x.extend(many()),
            "insert": lambda x: x.insert(Spy(1), Spy(4)),
            "remove": lambda x: x.remove(Spy(2)),
            "pop": lambda x: x.pop(Spy(1)),
            "__setitem__": lambda x: operator.setitem(x, Spy(1), Spy(4)),
            "__delitem__": lambda x: operator.delitem(x, Spy(1)),
            "__imul__": lambda x: operator.imul(x, Spy(2)),
            "join": lambda x: x.join(Many(b"a", b"b")),
        },
    ),
    "str": (
        lambda: "a{}b",
        {
            "__mul__": lambda x: x * Spy(2),
            "__getitem__": lambda x: x[Spy(1)],
            "__mod__": lambda x: operator.mod("%s", Spy(1)),
            "format": lambda x: x.format(Spy(1)),
            "format_map": lambda x: "{a}".format_map({"a": Spy(1)}),
            "join": lambda x: x.join(Many("a", "b")),
        },
    ),
}
FUNCTIONS: dict[str, Callable[[], Any]] = {
    "builtins.list": lambda: list(many()),
    "builtins.tuple": lambda: tuple(many()),
    "builtins.set": lambda: set(many()),
    "builtins.frozenset": lambda: frozenset(many()),
    "builtins.dict": lambda: dict(pairs()),
    "builtins.bytes": lambda: bytes(many()),
    "builtins.bytearray": lambda: bytearray(many()),
    "builtins.sorted": lambda: sorted(many()),
    "builtins.min": lambda: min(many()),
    "builtins.max": lambda: max(many()),
    "builtins.sum": lambda: sum(many(), Spy(0)),
    "builtins.any": lambda: any(many()),
    "builtins.all": lambda: all(many()),
    "builtins.map": lambda: list(map(Spy(1), many())),
    "builtins.filter": lambda: list(filter(Spy(1), many())),
    "builtins.zip": lambda: list(zip(many(), many(), strict=True)),
    "builtins.enumerate": lambda: list(enumerate(many())),
    "heapq.heappush": lambda: heapq.heappush(a_list(), Spy(0)),
    "heapq.heappop": lambda: heapq.heappop(a_list()),
    "heapq.heapify": lambda: heapq.heapify(a_list()),
    "heapq.heapreplace": lambda: heapq.heapreplace(a_list(), Spy(4)),
    "heapq.heappushpop": lambda: heapq.heappushpop(a_list(), Spy(4)),
    "heapq.nsmallest": lambda: heapq.nsmallest(2, many()),
    "heapq.nlargest": lambda: heapq.nlargest(2, many()),
    "heapq.merge": lambda: list(heapq.merge(a_list(), a_list())),
    "bisect.bisect": lambda: bisect.bisect(a_list(), Spy(2)),
    "bisect.bisect_left": lambda: bisect.bisect_left(a_list(), Spy(2)),
    "bisect.bisect_right": lambda: bisect.bisect_right(a_list(), Spy(2)),
    "bisect.insort": lambda: bisect.insort(a_list(), Spy(2)),
    "bisect.insort_left": lambda: bisect.insort_left(a_list(), Spy(2)),
    "bisect.insort_right": lambda: bisect.insort_right(a_list(), Spy(2)),
    "functools.reduce": lambda: functools.reduce(Spy(1), many()),
}


def methods_of(name: str) -> list[str]:
    """What an object of that type can do that its items or arguments could take part in."""
    kind = type(TYPES[name][0]())
    dull = {"__class__", "__doc__", "__init__", "__new__", "__init_subclass__", "__subclasshook__", "__dir__"}
    dull |= {"__getattribute__", "__setattr__", "__delattr__", "__getstate__", "__reduce__", "__reduce_ex__"}
    dull |= {
        "__sizeof__",
        "__alloc__",
        "__class_getitem__",
        "__getnewargs__",
        "__format__",
        "__dict__",
        "__weakref__",
    }
    dull |= {"__module__", "__slotnames__"}
    return [method for method in dir(kind) if method not in dull and callable(getattr(kind, method))]


def call_backs_of(kind: str, method: str) -> frozenset[str]:
    """The special methods that CPython calls there."""
    make, calls = TYPES[kind]
    subject, other = make(), make()
    call = calls.get(method)
    called.clear()
    try:
        if call is not None:
            call(subject)
        elif method in COMPARISONS:
            getattr(type(subject), method)(subject, other)
        else:
            getattr(subject, method)()
    except (TypeError, ValueError, LookupError, NotImplementedError):
        pass
    return frozenset(called)


def call_backs_of_function(name: str) -> frozenset[str]:
    called.clear()
    FUNCTIONS[name]()
    return frozenset(called)


def functions_of(module: str) -> list[str]:
    found = {"heapq": heapq, "bisect": bisect, "itertools": itertools}[module]
    return [name for name in dir(found) if not name.startswith("_") and callable(getattr(found, name, None))]
