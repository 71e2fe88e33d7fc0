"""A fixed part of the campaign, and the kinds of holes that it was made for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay.transition_system.interface import SourceProblem
from tests.oracles.exploration import outcomes
from tests.python.adversary.campaign import Judgement, judge
from tests.python.adversary.probes import ITEM, Probe, all_probes
from tests.python.adversary.reality import Observer

ONE_OF = 61  # a prime, so that every table has its turn
PART = [pytest.param(probe, id=f"{probe.family}: {probe.name}") for probe in all_probes()[::ONE_OF]]

THREADS = """
ts = [threading.Thread(target=f) for f in (one, two)]
for t in ts:
    t.start()
for t in ts:
    t.join()
"""

# Each fails in CPython under some schedule.
FAILING = {
    "default factory": """
from collections import defaultdict
made = []
def factory():
    made.append(1)
    return []
d = defaultdict(factory)
def one():
    d["a"].append(1)
two = one
@THREADS@
assert d["a"] == [1, 1]
""",
    "default factory of a class in Python": """
from collections import Counter, defaultdict
d = defaultdict(Counter)
def one():
    d["a"]
def two():
    d["a"] = 5
@THREADS@
assert d["a"] == 5
""",
    "list.remove": """
@ITEM@
l = [K(1), K(2)]
def one():
    l.remove(K(1))
def two():
    l.insert(0, K(5))
@THREADS@
assert values(l) == [5, 2]
""",
    "list.index": """
@ITEM@
l = [K(1), K(2)]
def one():
    global found
    found = l[l.index(K(2)) - 1].v
def two():
    l.insert(0, K(5))
@THREADS@
assert found == 1
""",
    "in a list": """
@ITEM@
l = [K(1), K(2), K(3)]
found = True
def one():
    global found
    found = K(3) in l
def two():
    l.append(l.pop(0))
@THREADS@
assert found
""",
    "in an iterator over a list": """
@ITEM@
l = [K(1), K(2), K(3)]
found = True
def one():
    global found
    found = K(2) in iter(l)
def two():
    l.pop(0)
@THREADS@
assert found
""",
    "in a deque": """
from collections import deque
@ITEM@
l = deque([K(1), K(2), K(3)])
def one():
    K(3) in l
def two():
    l.append(K(4))
@THREADS@
""",
    "heappush": """
import heapq
@ITEM@
h = [K(2)]
def one():
    heapq.heappush(h, K(1))
def two():
    heapq.heappush(h, K(3))
@THREADS@
""",
    "list += generator": """
@ITEM@
l = []
def one():
    global l
    l += some(1, 2)
def two():
    global l
    l += some(3, 4)
@THREADS@
assert values(l) in ([1, 2, 3, 4], [3, 4, 1, 2])
""",
    "attribute += map": """
class Box:
    def __init__(self):
        self.items = []
    def add(self, *values):
        self.items += map(lambda v: v, values)
box = Box()
def one():
    box.add(1, 2)
def two():
    box.add(3, 4)
@THREADS@
assert box.items in ([1, 2, 3, 4], [3, 4, 1, 2])
""",
    "dict |= generator": """
d = {}
def pairs(n):
    yield "a", n
    yield "b", n
def one():
    global d
    d |= pairs(1)
def two():
    global d
    d |= pairs(2)
@THREADS@
assert d["a"] == d["b"]
""",
    "sum of a list that grows": """
@ITEM@
l = [K(1), K(2)]
def one():
    global total
    total = sum(l, K(0)).v
def two():
    l.append(K(3))
    l.pop(0)
@THREADS@
assert total in (3, 6, 5)
""",
    "import for the first time": """
n = 0
def one():
    global n
    t = n
    import colorsys
    n = t + 1
two = one
@THREADS@
assert n == 2
""",
    "import from a package": """
import collections
n = 0
def one():
    global n
    t = n
    from collections import deque
    n = t + 1
two = one
@THREADS@
assert n == 2
""",
    "hash of an enumeration": """
from enum import Enum
class Color(Enum):
    RED = 1
d = {Color.RED: 0}
n = 0
def one():
    global n
    t = n
    d[Color.RED]
    n = t + 1
two = one
@THREADS@
assert n == 2
""",
    "a dataclass compared": """
from dataclasses import dataclass
@dataclass
class P:
    x: int
p = P(1)
n = 0
def one():
    global n
    t = n
    p == P(2)
    n = t + 1
two = one
@THREADS@
assert n == 2
""",
    "a dispatch that is kept although it is out of date": """
import functools
@functools.singledispatch
def kind(value):
    return "any"
def of_float(value):
    return "float"
def one():
    kind(1.5)
def two():
    kind.register(float, of_float)
@THREADS@
assert kind(1.5) == "float"
""",
    "a counter that misses a key": """
from collections import Counter
c = Counter()
def one():
    c["a"] += 1
two = one
@THREADS@
assert c["a"] == 2
""",
}

# Each fails in CPython under some schedule, too, and is refused.
REFUSED = {
    "a dict whose keys are replaced under a loop": """
def nothing():
    pass
d = {1: 1, 2: 2}
met = []
def one():
    for key in d:
        nothing()
        met.append(key)
def two():
    d.clear()
    d[5] = d[6] = 1
@THREADS@
assert len(met) == 0 or met in ([1, 2], [5, 6])
""",
    "a dict whose keys are replaced under a loop from its end": """
def nothing():
    pass
d = {1: 1, 2: 2, 3: 3}
met = []
def one():
    for key in reversed(d):
        nothing()
        met.append(key)
def two():
    del d[2]
    d[4] = 4
@THREADS@
assert len(met) == 3
""",
    "a copy that empties the original for a moment": """
from collections import UserDict
class Settings(UserDict):
    pass
settings = Settings(a=1)
def one():
    settings.copy()
def two():
    settings["a"]
@THREADS@
""",
    "keys that are compared": """
@ITEM@
d = {K(1): 0}
def one():
    d[K(1)] = d[K(1)] + 1
two = one
@THREADS@
assert d[K(1)] == 2
""",
    "a closure that a comparison reads": """
import operator
class C:
    def __init__(self, f):
        self.f = f
    def __eq__(self, other):
        return self.f() == other.f()
    def __hash__(self):
        return 1
def make():
    n = 0
    def get():
        return n
    def put():
        nonlocal n
        n += 1
    return get, put
get, put = make()
d = {C(get): 1}
def one():
    first = C(get) in d
def two():
    put()
@THREADS@
assert False
""",
    "a copied object counts": """
import copy
n = 0
class C:
    def __deepcopy__(self, memo):
        global n
        n += 1
        return self
shared = [C()]
def one():
    copy.deepcopy(shared)
two = one
@THREADS@
assert n == 2
""",
}

# None fails in CPython: with a lock a call is as good as one piece, and C code is not interrupted.
CORRECT = {
    "keys that are compared, with a lock": """
@ITEM@
d = {K(1): 0}
lock = threading.Lock()
def one():
    with lock:
        d[K(1)] = d[K(1)] + 1
two = one
@THREADS@
assert d[K(1)] == 2
""",
    "a method that calls the one of the built-in class": """
class Log(list):
    def append(self, entry):
        super().append(entry)
    def __setitem__(self, place, entry):
        super().__setitem__(place, entry)
log = Log([0])
def one():
    log.append(1)
def two():
    log[0] = 2
@THREADS@
assert list(log) == [2, 1]
""",
    "dates are instances of their classes": """
from datetime import date, datetime
day, moment = date(2020, 1, 1), datetime(2020, 1, 1)
def one():
    assert isinstance(moment, date) and isinstance(moment, datetime) and isinstance(datetime.now(), date)
def two():
    assert isinstance(day, date) and not isinstance(day, datetime) and issubclass(datetime, date)
@THREADS@
""",
    "list.remove with a lock": """
@ITEM@
l = [K(1), K(2)]
lock = threading.Lock()
def one():
    with lock:
        l.remove(K(1))
def two():
    with lock:
        l.insert(0, K(5))
@THREADS@
assert values(l) == [5, 2]
""",
    "what a queue compares counts, with its lock": """
import queue
n = 0
class J:
    def __init__(self, v):
        self.v = v
    def __lt__(self, other):
        global n
        t = n
        n = t + 1
        return self.v < other.v
q = queue.PriorityQueue()
q.put(J(0))
def one():
    q.put(J(1))
two = one
@THREADS@
assert n == 2
""",
    "list += map of a built-in": """
l = []
def one():
    global l
    l.extend(map(abs, (1, 2)))
def two():
    global l
    l.extend(map(abs, (3, 4)))
@THREADS@
assert l in ([1, 2, 3, 4], [3, 4, 1, 2])
""",
    "default factory of C": """
from collections import defaultdict
d = defaultdict(list)
def one():
    d["a"].append(1)
two = one
@THREADS@
assert d["a"] == [1, 1]
""",
}


def program(text: str) -> str:
    return "import threading\n" + text.replace("@ITEM@", ITEM).replace("@THREADS@", THREADS)


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    observer = Observer()
    yield observer
    observer.close()


@pytest.mark.parametrize("probe", PART)
def test_cpython_ends_only_as_the_machine_says(probe: Probe, observer: Observer) -> None:
    judged = judge(probe, observer)
    assert judged.judgement is not Judgement.FINDING, judged.words


@pytest.mark.parametrize("granularity", ["gil", "bytecode"])
@pytest.mark.parametrize("name", FAILING)
def test_a_program_that_fails_in_cpython_fails_in_the_machine(name: str, granularity: str) -> None:
    assert {ended for _, ended in outcomes(program(FAILING[name]), granularity)} - {"ok"}


@pytest.mark.parametrize("granularity", ["gil", "bytecode"])
@pytest.mark.parametrize("name", REFUSED)
def test_a_built_in_that_others_see_half_done_is_refused(name: str, granularity: str) -> None:
    with pytest.raises(SourceProblem):
        outcomes(program(REFUSED[name]), granularity)


@pytest.mark.parametrize("granularity", ["gil", "bytecode"])
@pytest.mark.parametrize("name", CORRECT)
def test_a_program_that_is_correct_in_cpython_is_correct_in_the_machine(name: str, granularity: str) -> None:
    assert {ended for _, ended in outcomes(program(CORRECT[name]), granularity)} == {"ok"}


def test_the_campaign_is_as_large_as_it_says() -> None:
    probes = all_probes()
    assert len(probes) >= 1800
    assert len({(probe.family, probe.name) for probe in probes}) == len(probes)
