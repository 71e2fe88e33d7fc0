"""A loop over a subclass of a built-in asks no `__getitem__` and no `__len__` of its own; `reversed` of some does."""

from collections import OrderedDict, deque


class Other:
    def __getitem__(self, place):
        if place > 2 or place < 0:
            raise IndexError
        return "own"

    def __len__(self):
        print("asked")
        return 1


class Short:
    def __len__(self):
        return 1


class Tuple(Other, tuple):
    pass


class List(Other, list):
    pass


class Text(Other, str):
    pass


class Bytes(Other, bytes):
    pass


class Array(Other, bytearray):
    pass


class Deque(Other, deque):
    pass


class Dict(Short, dict):
    pass


class Ordered(Short, OrderedDict):
    pass


class Set(Short, set):
    pass


for kind in (Tuple, List, Text, Bytes, Array, Deque):
    made = kind(b"abc" if kind in (Bytes, Array) else "abc")
    got = []
    for item in made:
        got.append(item)
    print(kind.__name__, got, [item for item in made], next(iter(made)))
    first, *rest = made
    print(first, rest, *made)
    print([place for place, _ in enumerate(made)], [pair for pair in zip(made, made)])
    print([item for item in reversed(made)])

for kind in (Dict, Ordered):
    made = kind(a=1, b=2)
    print(kind.__name__, [key for key in made], [value for value in made.values()], [*made.items()])
    print(next(iter(made)))
print([key for key in reversed(Dict(a=1, b=2))])

made = Set([1])
print([item for item in made], [*made])
