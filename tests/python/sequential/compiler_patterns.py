"""All kinds of patterns."""

import enum
from dataclasses import dataclass


@dataclass
class P:
    x: int
    y: int = 2


class Color(enum.Enum):
    RED = 1


def m(x):
    match x:
        case 0 | 1:
            return "small"
        case -1.5:
            return "neg"
        case [a]:
            return ("one", a)
        case [a, *_, b] if a == b:
            return ("same", a)
        case [1, [2, y], *rest]:
            return (y, rest)
        case (a, b):
            return ("pair", b, a)
        case {"k": v, **rest}:
            return ("map", v, rest)
        case P(x=0):
            return "P0"
        case P(a, b):
            return ("P", a, b)
        case str() as s:
            return ("str", s)
        case {"a": [p, q]} | [p, q, _]:
            return ("or", p, q)
        case None | True:
            return "single"
        case Color.RED:
            return "red"
        case int(n) if n > 5:
            return n
        case _:
            return "other"


for v in (
    0,
    1,
    -1.5,
    [7],
    [1, 2, 1],
    [1, [2, 3], 4, 5],
    (8, 9),
    {"k": 1, "z": 2},
    P(0),
    P(3, 4),
    "hi",
    {"a": [1, 2]},
    [5, 6, 7],
    None,
    True,
    Color.RED,
    9,
    3,
    b"ab",
):
    print(v, m(v))


def order(v):
    match v:
        case [a, b, c, 1] | [c, a, b, 2] | [b, c, a, 3]:
            return a, b, c


print(order([1, 2, 3, 1]), order([1, 2, 3, 2]), order([1, 2, 3, 3]))
