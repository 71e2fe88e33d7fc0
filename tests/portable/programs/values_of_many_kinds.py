"""What states hold besides numbers: values that only the program, or a library, makes."""

import datetime
import enum
import math
import operator
import re
import threading
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


Point = namedtuple("Point", "x y")


@dataclass(frozen=True)
class Key:
    name: str
    at: Point


@dataclass
class Box:
    items: list = field(default_factory=list)
    seen: dict = field(default_factory=dict)


class Text(str):
    pass


class Failed(Exception):
    pass


box = Box()
lock = threading.Lock()
shared = deque(maxlen=4)
by_name = defaultdict(list)
ordered = OrderedDict()


def numbers():
    yield from range(3)


def work(n):
    day = datetime.date(2020, 1, 1) + datetime.timedelta(days=n)
    with lock:
        box.items.append((Decimal(n) / 7, Fraction(n, 3), day, Text("a"), 1.5 * n, math.inf, 2**70 + n))
    try:
        if n:
            raise Failed("no", Colour.RED)
    except Failed as problem:
        with lock:
            box.seen[Key("k", Point(n, None))] = problem
    going = numbers()
    next(going)
    with lock:
        shared.append((Colour.BLUE, Rights.READ | Rights.WRITE, frozenset({Point(0, n), Colour.RED})))
        by_name["x"].append(re.compile("a+"))
        ordered[Point(n, n)] = [
            operator.itemgetter(n),
            (lambda: n),
            going,
            math.nan,
            {lock, box.items.append},
        ]
        next(going)


threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(shared) == 2
