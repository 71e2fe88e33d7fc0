"""The programs of the campaign: tables of what can happen to what, multiplied out.

Each program has two threads, `one` and `two`, and puts what became of them into the global
`result`. The tables are meant to be complete, not tasteful: every operation of CPython that calls a
method of the program while it works on a container, times every way in which another thread can
change that container meanwhile; every operation inside of which CPython could switch, between
reading a number and writing it back; every function that a library calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Probe:
    family: str
    name: str
    text: str


ITEM = """
class K:
    def __init__(self, v):
        self.v = v
    def __eq__(self, other):
        return self.v == other.v
    def __lt__(self, other):
        return self.v < other.v
    def __gt__(self, other):
        return self.v > other.v
    def __le__(self, other):
        return self.v <= other.v
    def __hash__(self):
        return self.v % 2
    def __add__(self, other):
        return K(self.v + other.v)
    def __bool__(self):
        return self.v > 0
    def __repr__(self):
        return "K" + str(self.v)
    def __str__(self):
        return "k" + str(self.v)
    def __format__(self, spec):
        return "f" + str(self.v) + spec
    def __index__(self):
        return self.v
    def __copy__(self):
        return K(self.v)
    def __deepcopy__(self, memo):
        return K(self.v)


class Index:
    def __init__(self, v):
        self.v = v
    def __index__(self):
        return self.v


class Sized:
    def __init__(self, items):
        self.items = items
    def __iter__(self):
        return iter(self.items)
    def __len__(self):
        return len(self.items)


class Pairs:
    def __init__(self, pairs):
        self.pairs = pairs
    def keys(self):
        return [key for key, _ in self.pairs]
    def __getitem__(self, wanted):
        for key, value in self.pairs:
            if key is wanted:
                return value
        raise KeyError(wanted)


def some(*values):
    for value in values:
        yield K(value)


def pairs(*values):
    for value in values:
        yield (K(value), value)


def is_odd(item):
    return item.v % 2 == 1


def same(item):
    return item


def plus(a, b):
    return K(a.v + b.v)


def values(items):
    return [item.v for item in items]
"""

FRAME = """\
import threading
{imports}
{classes}

{setup}
first = None
second = None


def one():
    global first
    try:
{one}
    except Exception as problem:
        first = type(problem).__name__


def two():
    global second
    try:
{two}
    except Exception as problem:
        second = type(problem).__name__


threads = [threading.Thread(target=one), threading.Thread(target=two)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
result = (first, second, {show})
"""


def program(*, one: str, two: str, setup: str, show: str, imports: str = "", classes: str = ITEM) -> str:
    def indented(text: str) -> str:
        return "\n".join("        " + line for line in text.splitlines())

    return FRAME.format(
        imports=imports, classes=classes, setup=setup, one=indented(one), two=indented(two), show=show
    )


def value_of(expression: str) -> str:
    """Statements begin with an exclamation mark; the value of an expression is kept."""
    return expression[1:] if expression.startswith("!") else f"first = {expression}"


IMPORTS = (
    "import bisect, copy, functools, heapq, itertools, json, operator\n"
    "from collections import Counter, OrderedDict, defaultdict, deque"
)

# --- lists

LIST_SETUP = "l = [K(1), K(2), K(3)]"
LIST_SHOW = "values(l)"

# What looks at the list, or changes it, and calls methods of its items or other code meanwhile.
LIST_OPERATIONS = {
    "remove": "l.remove(K(2))",
    "remove last": "l.remove(K(3))",
    "index": "l.index(K(2))",
    "index from": "l.index(K(3), 1)",
    "index within": "l.index(K(3), 0, 2)",
    "count": "l.count(K(2))",
    "in": "K(2) in l",
    "not in": "K(3) not in l",
    "eq": "l == [K(1), K(2), K(3)]",
    "ne": "l != [K(1), K(2), K(3)]",
    "lt": "l < [K(1), K(2), K(4)]",
    "le": "l <= [K(1), K(2), K(3)]",
    "gt": "l > [K(1), K(1)]",
    "eq reflected": "[K(1), K(2), K(3)] == l",
    "in tuple": "l in ([K(0)], [K(1), K(2), K(3)])",
    "sort": "!l.sort()\nfirst = 0",
    "sort reversed": "!l.sort(reverse=True)\nfirst = 0",
    "sort by key": "!l.sort(key=same)\nfirst = 0",
    "sorted": "values(sorted(l))",
    "sorted by key": "values(sorted(l, key=same))",
    "min": "min(l).v",
    "max": "max(l).v",
    "max by key": "max(l, key=same).v",
    "sum": "sum(l, K(0)).v",
    "any": "any(map(is_odd, l))",
    "all": "all(l)",
    "heappush": "heapq.heappush(l, K(0))",
    "heappop": "heapq.heappop(l).v",
    "heapify": "!l.reverse()\nheapq.heapify(l)\nfirst = 0",
    "heapreplace": "heapq.heapreplace(l, K(4)).v",
    "heappushpop": "heapq.heappushpop(l, K(4)).v",
    "nsmallest": "values(heapq.nsmallest(2, l))",
    "nlargest": "values(heapq.nlargest(2, l))",
    "merge": "values(heapq.merge(l, [K(2)]))",
    "bisect": "bisect.bisect(l, K(2))",
    "bisect left": "bisect.bisect_left(l, K(2))",
    "bisect by key": "bisect.bisect(l, K(2), key=same)",
    "insort": "bisect.insort(l, K(2))",
    "insort left": "bisect.insort_left(l, K(2))",
    "extend generator": "l.extend(some(7, 8))",
    "extend map": "l.extend(map(K, (7, 8)))",
    "extend sized": "l.extend(Sized([K(7), K(8)]))",
    "iadd generator": "!global l\nl += some(7, 8)\nfirst = 0",
    "iadd map": "!global l\nl += map(K, [7, 8])\nfirst = 0",
    "iadd sized": "!global l\nl += Sized([K(7), K(8)])\nfirst = 0",
    "slice from generator": "!l[1:2] = some(7, 8)\nfirst = 0",
    "slice at end": "!l[len(l):] = some(7, 8)\nfirst = 0",
    "whole slice from map": "!l[:] = map(K, (7, 8))\nfirst = 0",
    "slice from sized": "!l[0:1] = Sized([K(7)])\nfirst = 0",
    "item by index": "l[Index(1)].v",
    "store by index": "!l[Index(1)] = K(7)\nfirst = 0",
    "delete by index": "!del l[Index(1)]\nfirst = 0",
    "slice by index": "values(l[Index(1):])",
    "insert by index": "l.insert(Index(1), K(7))",
    "pop by index": "l.pop(Index(1)).v",
    "imul by index": "!global l\nl *= Index(2)\nfirst = 0",
    "mul by index": "values(l * Index(2))",
    "set": "sorted(values(set(l)))",
    "frozenset": "len(frozenset(l))",
    "fromkeys": "values(dict.fromkeys(l))",
    "Counter": "len(Counter(l))",
    "dict of pairs": "len(dict([(k, 1) for k in l]))",
    "set update": "sorted(values({K(9)} | set(l)))",
    "set union": "sorted(values({K(9)}.union(l)))",
    "set intersection": "sorted(values({K(1), K(3)}.intersection(l)))",
    "set difference": "sorted(values({K(1), K(3)}.difference(l)))",
    "set isdisjoint": "{K(3)}.isdisjoint(l)",
    "set issuperset": "{K(1), K(2), K(3)}.issuperset(l)",
    "repr": "repr(l)",
    "str": "str(l)",
    "f-string": "f'{l}'",
    "format": "'{}'.format(l)",
    "format items": "'{0[0]} {0[1]}'.format(l)",
    "percent": "'%s' % (l,)",
    "join": "','.join(map(str, l))",
    "join generator": "','.join(str(k) for k in l)",
    "map": "values(map(same, l))",
    "filter": "values(filter(is_odd, l))",
    "filter truth": "values(filter(None, l))",
    "zip": "[a.v + b.v for a, b in zip(l, some(1, 2, 3))]",
    "enumerate": "[i + k.v for i, k in enumerate(map(same, l))]",
    "reversed": "values(map(same, reversed(l)))",
    "reduce": "functools.reduce(plus, l).v",
    "list of map": "values(list(map(same, l)))",
    "tuple of map": "values(tuple(map(same, l)))",
    "star": "values([*l, *map(same, l)])",
    "unpack": "!a, b, c = map(same, l)\nfirst = a.v + b.v + c.v",
    "unpack rest": "!a, *b = map(same, l)\nfirst = a.v",
    "accumulate": "values(itertools.accumulate(l))",
    "accumulate function": "values(itertools.accumulate(l, plus))",
    "groupby": "len(list(itertools.groupby(l)))",
    "groupby key": "len(list(itertools.groupby(l, is_odd)))",
    "takewhile": "values(itertools.takewhile(is_odd, l))",
    "dropwhile": "values(itertools.dropwhile(is_odd, l))",
    "filterfalse": "values(itertools.filterfalse(is_odd, l))",
    "starmap": "values(itertools.starmap(plus, [(k, k) for k in l]))",
    "chain": "values(itertools.chain(l, map(same, l)))",
    "islice": "values(itertools.islice(map(same, l), 2))",
    "zip_longest": "len(list(itertools.zip_longest(l, map(same, l))))",
    "pairwise": "len(list(itertools.pairwise(map(same, l))))",
    "compress": "values(itertools.compress(l, map(is_odd, l)))",
    "product": "len(list(itertools.product(l, map(same, l))))",
    "operator contains": "operator.contains(l, K(2))",
    "operator countOf": "operator.countOf(l, K(2))",
    "operator indexOf": "operator.indexOf(l, K(2))",
    "operator iadd": "len(operator.iadd(l, some(7, 8)))",
    "operator eq": "operator.eq(l, [K(1), K(2), K(3)])",
    "operator getitem": "operator.getitem(l, Index(1)).v",
    "copy": "values(copy.copy(l))",
    "deepcopy": "values(copy.deepcopy(l))",
    "json default": "json.dumps(l, default=str)",
    "in iterator": "K(2) in iter(l)",
    "in generator": "K(2) in map(same, l)",
    "iter sentinel": "values(iter(lambda: l.pop(0), K(2)))",
    "comprehension": "[k.v for k in l if is_odd(k)]",
    "cmp_to_key": "values(sorted(l, key=functools.cmp_to_key(lambda a, b: a.v - b.v)))",
}
LIST_DISTURBANCES = {
    "append": "second = l.append(K(9))",
    "insert": "second = l.insert(0, K(9))",
    "pop": "second = l.pop().v",
    "pop first": "second = l.pop(0).v",
    "clear": "second = l.clear()",
    "store": "l[0] = K(9)",
    "reverse": "second = l.reverse()",
}

# --- deques

DEQUE_SETUP = "d = deque([K(1), K(2), K(3)])"
DEQUE_SHOW = "values(d)"
DEQUE_OPERATIONS = {
    "remove": "d.remove(K(2))",
    "index": "d.index(K(2))",
    "index from": "d.index(K(3), 1)",
    "count": "d.count(K(2))",
    "in": "K(2) in d",
    "eq": "d == deque([K(1), K(2), K(3)])",
    "lt": "d < deque([K(1), K(2), K(4)])",
    "extend generator": "d.extend(some(7, 8))",
    "extendleft generator": "d.extendleft(some(7, 8))",
    "extend map": "d.extend(map(K, (7, 8)))",
    "iadd generator": "!global d\nd += some(7, 8)\nfirst = 0",
    "insert by index": "d.insert(Index(1), K(7))",
    "item by index": "d[Index(1)].v",
    "rotate by index": "d.rotate(Index(1))",
    "imul by index": "!global d\nd *= Index(2)\nfirst = 0",
    "max": "max(d).v",
    "sum": "sum(d, K(0)).v",
    "sorted": "values(sorted(d))",
    "set": "sorted(values(set(d)))",
    "map": "values(map(same, d))",
    "repr": "repr(d)",
    "deque of map": "values(deque(map(same, d)))",
    "operator contains": "operator.contains(d, K(2))",
    "operator indexOf": "operator.indexOf(d, K(2))",
    "copy": "values(copy.copy(d))",
    "nsmallest": "values(heapq.nsmallest(1, d))",
}
DEQUE_DISTURBANCES = {
    "append": "second = d.append(K(9))",
    "appendleft": "second = d.appendleft(K(9))",
    "pop": "second = d.pop().v",
    "popleft": "second = d.popleft().v",
    "clear": "second = d.clear()",
    "rotate": "second = d.rotate(1)",
}

# --- dicts

DICT_SETUP = "d = {K(1): 1, K(2): 2, K(3): 3}"
DICT_SHOW = "[(k.v, v) for k, v in d.items()]"
DICT_OPERATIONS = {
    "item": "d[K(3)]",
    "get": "d.get(K(3))",
    "get absent": "d.get(K(5))",
    "store": "!d[K(3)] = 30\nfirst = 0",
    "store new": "!d[K(5)] = 5\nfirst = 0",
    "add": "!d[K(3)] = d[K(3)] + 1\nfirst = 0",
    "iadd": "!d[K(3)] += 1\nfirst = 0",
    "delete": "!del d[K(3)]\nfirst = 0",
    "in": "K(3) in d",
    "not in": "K(5) not in d",
    "pop": "d.pop(K(3))",
    "pop absent": "d.pop(K(5), None)",
    "setdefault": "d.setdefault(K(3), 30)",
    "setdefault new": "d.setdefault(K(5), 5)",
    "update dict": "d.update({K(3): 30})",
    "update generator": "d.update(pairs(3, 5))",
    "update mapping": "d.update(Pairs([(K(3), 30), (K(5), 5)]))",
    "ior dict": "!global d\nd |= {K(3): 30}\nfirst = 0",
    "ior generator": "!global d\nd |= pairs(3, 5)\nfirst = 0",
    "ior mapping": "!global d\nd |= Pairs([(K(3), 30)])\nfirst = 0",
    "or": "len(d | {K(3): 30})",
    "eq": "d == {K(1): 1, K(2): 2, K(3): 3}",
    "in keys": "K(3) in d.keys()",
    "in values": "K(3) in {1: K(1), 2: K(3)}.values() and K(3) in d",
    "keys and": "len(d.keys() & [K(3)])",
    "keys minus": "len(d.keys() - [K(3)])",
    "in items": "(K(3), 3) in d.items()",
    "max": "max(d).v",
    "sorted": "values(sorted(d))",
    "list of map": "values(map(same, d))",
    "items comprehension": "[k.v for k, v in d.items() if is_odd(k)]",
    "dict comprehension": "len({k: v for k, v in d.items()})",
    "set": "sorted(values(set(d)))",
    "repr": "repr(d)",
    "f-string": "f'{d}'",
    "copy": "len(copy.copy(d))",
    "dict": "len(dict(d))",
    "star": "len({**d, K(3): 4})",
    "fromkeys": "len(dict.fromkeys(some(3, 3)))",
    "OrderedDict": "len(OrderedDict(d))",
    "operator getitem": "operator.getitem(d, K(3))",
    "operator setitem": "operator.setitem(d, K(3), 30)",
}
DICT_DISTURBANCES = {
    "store": "d[list(d)[2]] = 300",
    "store new": "d[K(9)] = 9",
    "pop": "second = d.pop(next(iter(d)), None)",
    "popitem": "second = d.popitem()[1]",
    "clear": "second = d.clear()",
}
OTHER_DICTS = {
    "OrderedDict": ("d = OrderedDict([(K(1), 1), (K(2), 2), (K(3), 3)])", DICT_SHOW),
    "defaultdict": ("d = defaultdict(int, {K(1): 1, K(2): 2, K(3): 3})", DICT_SHOW),
    "Counter": ("d = Counter({K(1): 1, K(2): 2, K(3): 3})", DICT_SHOW),
}
OTHER_DICT_OPERATIONS = (
    "item",
    "store",
    "store new",
    "iadd",
    "delete",
    "in",
    "pop",
    "setdefault new",
    "update generator",
    "eq",
)

# --- what makes missing values

FACTORIES = {
    "lambda": ("", "lambda: 0"),
    "function": ("def make():\n    return 0\n", "make"),
    "method": ("class Maker:\n    def make(self):\n        return 0\n", "Maker().make"),
    "callable": ("class Maker:\n    def __call__(self):\n        return 0\n", "Maker()"),
    "partial": ("def make(n):\n    return n\n", "functools.partial(make, 0)"),
    "class": ("class Zero(int):\n    def __init__(self):\n        pass\n", "Zero"),
    "built-in": ("", "int"),
    "Counter": ("", "Counter"),
}
MISSING_ONE = {
    "item": "!d['a']\nfirst = 0",
    "iadd": "!d['a'] += 1\nfirst = 0",
    "operator": "!operator.getitem(d, 'a')\nfirst = 0",
    "missing": "!d.__missing__('a')\nfirst = 0",
}
MISSING_TWO = {
    "item": "d['a']",
    "iadd": "d['a'] += 1",
    "store": "d['a'] = 5",
    "other": "d['b']",
    "clear": "d.clear()",
}

# --- sets

SET_SETUP = "s = {K(1), K(2), K(3)}"
SET_SHOW = "sorted(values(s))"
SET_OPERATIONS = {
    "add": "s.add(K(3))",
    "add new": "s.add(K(5))",
    "remove": "s.remove(K(3))",
    "discard": "s.discard(K(3))",
    "in": "K(3) in s",
    "update list": "s.update([K(3), K(5)])",
    "update generator": "s.update(some(3, 5))",
    "update set": "s.update({K(3), K(5)})",
    "ior": "!global s\ns |= {K(3), K(5)}\nfirst = 0",
    "iand": "!global s\ns &= {K(3), K(5)}\nfirst = 0",
    "isub": "!global s\ns -= {K(3), K(5)}\nfirst = 0",
    "ixor": "!global s\ns ^= {K(3), K(5)}\nfirst = 0",
    "or": "len(s | {K(3), K(5)})",
    "and": "len(s & {K(3), K(5)})",
    "union generator": "len(s.union(some(3, 5)))",
    "intersection generator": "len(s.intersection(some(3, 5)))",
    "difference generator": "len(s.difference(some(3, 5)))",
    "symmetric_difference generator": "len(s.symmetric_difference(some(3, 5)))",
    "intersection_update generator": "s.intersection_update(some(3, 5))",
    "difference_update generator": "s.difference_update(some(3, 5))",
    "symmetric_difference_update generator": "s.symmetric_difference_update(some(3, 5))",
    "issubset generator": "s.issubset(some(1, 2, 3))",
    "issuperset generator": "s.issuperset(some(1, 3))",
    "isdisjoint generator": "s.isdisjoint(some(5, 3))",
    "eq": "s == {K(1), K(2), K(3)}",
    "le": "s <= {K(1), K(2), K(3)}",
    "sorted": "values(sorted(s))",
    "max": "max(s).v",
    "frozenset": "len(frozenset(s))",
    "comprehension": "len({k for k in s})",
}
SET_DISTURBANCES = {
    "add": "second = s.add(K(9))",
    "discard": "second = s.discard(K(1))",
    "clear": "second = s.clear()",
}

# --- bytes

BYTES_OPERATIONS = {
    "extend generator": "b.extend(n for n in (7, 8))",
    "extend sized": "b.extend(Sized([7, 8]))",
    "slice": "!b[0:1] = (n for n in (7, 8))\nfirst = 0",
    "append by index": "b.append(Index(7))",
    "store by index": "!b[Index(0)] = Index(7)\nfirst = 0",
    "insert by index": "b.insert(Index(0), 7)",
    "in by index": "Index(2) in b",
    "count by index": "b.count(Index(2))",
    "iadd": "!global b\nb += bytes(n for n in (7, 8))\nfirst = 0",
    "bytearray": "list(bytearray(n for n in b))",
}
BYTES_DISTURBANCES = {"append": "b.append(9)", "pop": "b.pop(0)", "clear": "b.clear()"}

# --- between reading a number and writing it back

# What CPython does there; where it runs anything in Python, or calls a built-in, others may come in between.
PLACES = {
    "nothing": "pass",
    "import": "import colorsys",
    "import again": "import threading",
    "from package": "from collections import deque",
    "from native": "from math import sqrt",
    "import package": "import concurrent.futures",
    "import own": "import json.decoder",
    "function": "f()",
    "built-in": "len(q)",
    "type": "int('1')",
    "method": "q.append(1)",
    "attribute": "o.plain",
    "property": "o.prop",
    "descriptor": "o.described",
    "getattr": "o.anything",
    "setattr": "o.prop = 1",
    "cached": "o.cached",
    "store attribute": "m.x = 1",
    "eq": "K(1) == K(2)",
    "eq bound": "k == k2",
    "lt": "k < k2",
    "add": "k + k2",
    "bool": "bool(k)",
    "if": "if k: pass",
    "not": "not k",
    "hash": "hash(k)",
    "index": "q[i]",
    "key": "{k: 1}",
    "key of shared": "kd[k]",
    "key stored": "kd[k] = 1",
    "in dict": "k in kd",
    "in list": "k in kl",
    "in set": "k in ks",
    "remove": "kl2.remove(k)",
    "f-string": "f'{k}'",
    "f-string plain": "f'{1}'",
    "format spec": "f'{k:>3}'",
    "percent": "'%s' % k",
    "repr": "repr(k)",
    "for": "for _ in (1, 2): pass",
    "for iterator": "for _ in it(): pass",
    "generator": "next(g())",
    "comprehension": "[x for x in (1, 2)]",
    "generator expression": "list(x for x in (1, 2))",
    "unpack": "a, b = g()",
    "star": "[*g()]",
    "with": "with cm: pass",
    "with lock": "with lock2: pass",
    "try": "try:\n    raise KeyError\nexcept KeyError:\n    pass",
    "try custom": "try:\n    raise Problem(1)\nexcept Problem:\n    pass",
    "assert": "assert k, f()",
    "lambda": "(lambda: 1)()",
    "call instance": "o()",
    "class method": "O.make()",
    "static method": "O.stand()",
    "instance": "K(1)",
    "dataclass": "P(1, 2)",
    "dataclass eq": "p == p2",
    "dataclass repr": "repr(p)",
    "dataclass hash": "hash(fp)",
    "dataclass in list": "p in [p2]",
    "frozen key": "fd[fp]",
    "enum value": "Color.RED.value",
    "enum name": "Color.RED.name",
    "enum call": "Color(1)",
    "enum item": "Color['RED']",
    "enum key": "ed[Color.RED]",
    "enum key stored": "ed[Color.RED] = 1",
    "enum eq": "Color.RED == Color.BLUE",
    "enum text": "f'{Color.RED}'",
    "flag or": "Flags.A | Flags.B",
    "flag in": "Flags.A in Flags.A",
    "fraction": "Fraction(1, 2)",
    "fraction add": "fr + fr",
    "fraction eq": "fr == fr2",
    "decimal": "de + de",
    "named tuple": "Pair(1, 2)",
    "named tuple field": "pair.x",
    "counter missing": "c['z']",
    "counter item": "c['a']",
    "default factory": "dd['z']",
    "chain map": "cm2['a']",
    "isinstance": "isinstance(k, K)",
    "isinstance hook": "isinstance(k, Hooked)",
    "getattr built-in": "getattr(o, 'plain')",
    "setattr built-in": "setattr(m, 'x', 1)",
    "print": "print(end='')",
    "sorted": "sorted([2, 1])",
    "sorted key": "sorted([2, 1], key=neg)",
    "sum": "sum([1, 2])",
    "copy": "copy.copy(k)",
    "deepcopy": "copy.deepcopy(k)",
    "json": "json.dumps({'a': 1})",
    "re": "re.sub('a', 'b', 'aa')",
    "re function": "re.sub('a', lambda m: 'b', 'aa')",
    "partial": "functools.partial(f)()",
    "lru_cache": "lru(1)",
    "reduce": "functools.reduce(max, [1, 2])",
    "del": "x = 1\ndel x",
    "slice": "q[0:1]",
    "arithmetic": "1 + 2",
    "float": "1.5 * 2",
    "big": "10 ** 50",
    "string": "'a' + 'b'",
    "tuple": "(1, 2)",
    "dict": "{'a': 1}",
    "global": "M",
    "match": "match k:\n    case K(v=1): pass\n    case _: pass",
    "match value": "match 1:\n    case 2: pass",
    "while": "w = 2\nwhile w:\n    w -= 1",
    "walrus": "(w := 1)",
    "conditional": "1 if k else 2",
    "chained": "1 < k2.v < 3",
    "nested function": "def inner(): pass",
    "closure": "def inner(): return k\ninner()",
    "super": "sub.call()",
    "str method": "'a,b'.split(',')",
    "join": "','.join(['a'])",
    "zip": "list(zip([1], [2]))",
    "map native": "list(map(abs, [1]))",
    "sleep": "time.sleep(0)",
    "time": "time.time()",
    "lock": "lock2.acquire()\nlock2.release()",
    "event": "event.is_set()",
    "queue": "qq.put(1)",
    "random": "random.seed(1)",
    "thread name": "threading.current_thread()",
}
PLACE_CLASSES = (
    ITEM
    + """
from dataclasses import dataclass
from enum import Enum, Flag
from fractions import Fraction
from decimal import Decimal
from collections import Counter, ChainMap, defaultdict, deque, namedtuple
import copy, functools, json, queue, random, re, time


class Described:
    def __get__(self, instance, owner=None):
        return 1


class O:
    plain = 1
    described = Described()
    @property
    def prop(self):
        return 1
    @prop.setter
    def prop(self, value):
        pass
    @functools.cached_property
    def cached(self):
        return 1
    def __getattr__(self, name):
        return 1
    def __call__(self):
        return 1
    @classmethod
    def make(cls):
        return 1
    @staticmethod
    def stand():
        return 1


class Sub(O):
    def call(self):
        return super().stand()


class M:
    x = 0


class It:
    def __init__(self):
        self.left = 2
    def __iter__(self):
        return self
    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return 1


class Manager:
    def __enter__(self):
        return self
    def __exit__(self, *args):
        return False


class Problem(Exception):
    def __init__(self, n):
        self.n = n


class HookedMeta(type):
    def __instancecheck__(cls, instance):
        return True


class Hooked(metaclass=HookedMeta):
    pass


@dataclass
class P:
    x: int
    y: int


@dataclass(frozen=True)
class FP:
    x: int


class Color(Enum):
    RED = 1
    BLUE = 2


class Flags(Flag):
    A = 1
    B = 2


Pair = namedtuple("Pair", "x y")


def f():
    return 1


def neg(x):
    return -x


def it():
    return It()


def g():
    yield 1
    yield 2


@functools.lru_cache
def lru(x):
    return x
"""
)
PLACE_SETUP = """\
n = 0
q = [1, 2, 3]
o = O()
m = M()
k = K(1)
k2 = K(2)
i = Index(1)
kd = {k: 1}
kl = [K(2), k]
kl2 = [K(2), k, K(1), K(1)]
ks = {k}
cm = Manager()
lock2 = threading.Lock()
p = P(1, 2)
p2 = P(1, 2)
fp = FP(1)
fd = {fp: 1}
ed = {Color.RED: 1}
fr = Fraction(1, 2)
fr2 = Fraction(1, 3)
de = Decimal(1)
pair = Pair(1, 2)
c = Counter(a=1)
dd = defaultdict(lambda: 1)
cm2 = ChainMap({'a': 1})
sub = Sub()
event = threading.Event()
qq = queue.Queue()
"""

# --- functions that something else calls, which count without a lock

CALLERS = {
    "list.remove": "[K(1), K(2)].remove(K(2))",
    "list.index": "[K(1), K(2)].index(K(2))",
    "list.count": "[K(1), K(2)].count(K(2))",
    "in list": "K(2) in [K(1), K(2)]",
    "in tuple": "K(2) in (K(1), K(2))",
    "tuple.index": "(K(1), K(2)).index(K(2))",
    "list ==": "[K(1)] == [K(2)]",
    "tuple <": "(K(1), 1) < (K(1), 2)",
    "nested ==": "[[[[[[K(1)]]]]]] == [[[[[[K(1)]]]]]]",
    "dict ==": "{1: K(1)} == {1: K(1)}",
    "dict key": "{K(1): 1}[K(1)]",
    "set": "{K(1), K(1)}",
    "set add": "{K(1)}.add(K(1))",
    "set of list": "set([K(1), K(1)])",
    "sorted": "sorted([K(2), K(1)])",
    "min": "min([K(2), K(1)])",
    "min two": "min(K(2), K(1))",
    "sum": "sum([K(2), K(1)], K(0))",
    "any": "any([K(0), K(1)])",
    "heappush": "heapq.heappush([K(1)], K(0))",
    "heap of tuples": "heapq.heappush([(1, K(1))], (1, K(0)))",
    "bisect": "bisect.bisect([K(1)], K(0))",
    "deque.remove": "deque([K(1), K(2)]).remove(K(2))",
    "deque ==": "deque([K(1)]) == deque([K(2)])",
    "repr": "repr([K(1)])",
    "str": "str([K(1)])",
    "format": "'{}'.format(K(1))",
    "format spec": "'{:>3}'.format(K(1))",
    "format_map": "'{a}'.format_map({'a': K(1)})",
    "percent": "'%s' % K(1)",
    "percent dict": "'%(a)s' % {'a': K(1)}",
    "percent d": "'%d' % K(1)",
    "percent list": "'%s' % [K(1)]",
    "f-string list": "f'{[K(1)]}'",
    "f-string": "f'{K(1)}'",
    "range": "range(K(2))",
    "slice": "[1, 2, 3][K(1):]",
    "item": "[1, 2, 3][K(1)]",
    "repeat": "[1] * K(2)",
    "bytes": "bytes([K(1)])",
    "int": "int(K(1))",
    "hex": "hex(K(1))",
    "chr": "chr(K(65))",
    "round": "round(1.5, K(0))",
    "divmod": "divmod(R(1), R(2))",
    "pow": "pow(R(1), R(2))",
    "abs": "abs(R(1))",
    "float": "float(R(1))",
    "math.floor": "math.floor(R(1))",
    "math.gcd": "math.gcd(K(2), 4)",
    "len": "len(R(1))",
    "dir": "dir(R(1))",
    "isinstance": "isinstance(1, H)",
    "issubclass": "issubclass(int, H)",
    "copy": "copy.copy(K(1))",
    "deepcopy": "copy.deepcopy([K(1)])",
    "json": "json.dumps([K(1)], default=hook)",
    "json.loads": "json.loads('{}', object_hook=hook)",
    "re.sub": "re.sub('a', hook, 'a')",
    "reduce": "functools.reduce(lambda a, b: hook(a), [1, 2])",
    "map": "list(map(hook, [1]))",
    "filter": "list(filter(hook, [1]))",
    "max key": "max([1, 2], key=hook)",
    "sort key": "[2, 1].sort(key=hook)",
    "defaultdict": "defaultdict(lambda: hook(0))[1]",
    "Counter": "Counter([K(1), K(1)])",
    "fromkeys": "dict.fromkeys([K(1), K(1)])",
    "setattr": "setattr(R(1), 'p', 1)",
    "getattr": "getattr(R(1), 'p')",
    "attrgetter": "operator.attrgetter('p')(R(1))",
    "itemgetter": "operator.itemgetter(1)(R(1))",
    "methodcaller": "operator.methodcaller('call')(R(1))",
    "lru_cache": "lru(K(1))",
    "partial": "functools.partial(hook, 1)()",
    "cmp_to_key": "sorted([2, 1], key=functools.cmp_to_key(lambda a, b: hook(a)))",
    "groupby": "list(itertools.groupby([1], hook))",
    "accumulate": "list(itertools.accumulate([1, 2], lambda a, b: hook(a)))",
    "takewhile": "list(itertools.takewhile(hook, [1]))",
    "starmap": "list(itertools.starmap(hook, [(1,)]))",
    "join": "','.join(hook(str(x)) or 'a' for x in [1])",
    "dataclass eq": "P(K(1)) == P(K(1))",
    "dataclass order": "P(K(1)) < P(K(2))",
    "dataclass repr": "repr(P(K(1)))",
    "dataclass factory": "Q()",
    "dataclass post init": "I(1)",
    "PriorityQueue": "pq()",
    "ExitStack": "exit_stack()",
    "contextmanager": "managed()",
    "wait_for": "waited()",
    "Timer-like": "threading.Thread(target=hook, args=(1,)).run()",
    "set_name": "unpacked()",
    "unpack": "a, b = gen()",
    "star": "[*gen()]",
    "call star": "len([*gen()])",
    "dict star": "{**Mapping()}",
    "list iadd": "l = []\nl += gen()",
    "slice store": "l = []\nl[:] = gen()",
    "list extend": "[].extend(gen())",
    "sum generator": "sum(gen())",
    "statistics": "statistics.mean(gen())",
    "fraction": "fractions.Fraction(1, 2) + RR(1)",
    "string.Template": "string.Template('$a').substitute({'a': K(1)})",
    "next default": "next(gen(), 1)",
    "iter sentinel": "list(iter(lambda: hook(1) and 0, 0))",
    "property": "R(1).p",
    "missing": "D()[1]",
    "bool": "bool(K(1))",
    "and": "K(1) and 1",
    "contains": "1 in R(1)",
    "with": "with R(1): pass",
    "del item": "del R(1)[0]",
    "set item": "R(1)[0] = 1",
    "matmul": "R(1) @ R(1)",
    "iadd": "r = R(1)\nr += 1",
    "neg": "-R(1)",
    "class getitem": "R[int]",
    "reversed": "reversed(R(1))",
    "hash of tuple": "hash((K(1), 1))",
    "frozenset": "frozenset([K(1)])",
    "sorted tuples": "sorted([(1, K(2)), (1, K(1))])",
    "max tuples": "max((1, K(2)), (1, K(1)))",
}
CALLER_IMPORTS = (
    "import bisect, contextlib, copy, fractions, functools, heapq, itertools, json, math, operator, queue\n"
    "import re, statistics, string\n"
    "from collections import Counter, defaultdict, deque\nfrom dataclasses import dataclass, field"
)
CALLER_CLASSES = """
n = 0


def count():
    global n
    seen = n
    nothing()
    n = seen + 1


def nothing():
    pass


def hook(x):
    count()
    return x if isinstance(x, (int, str)) else "a"


class K:
    def __init__(self, v):
        self.v = v
    def __eq__(self, other):
        count()
        return self.v == other.v
    def __lt__(self, other):
        count()
        return self.v < other.v
    def __gt__(self, other):
        count()
        return self.v > other.v
    def __hash__(self):
        count()
        return 1
    def __add__(self, other):
        count()
        return K(self.v + other.v)
    def __bool__(self):
        count()
        return self.v > 0
    def __repr__(self):
        count()
        return "K"
    def __str__(self):
        count()
        return "k"
    def __format__(self, spec):
        count()
        return "f"
    def __index__(self):
        count()
        return self.v
    def __copy__(self):
        count()
        return self
    def __deepcopy__(self, memo):
        count()
        return self


class R:
    def __init__(self, v):
        self.v = v
    def __divmod__(self, other):
        count()
        return 1
    def __pow__(self, other, modulus=None):
        count()
        return 1
    def __abs__(self):
        count()
        return 1
    def __float__(self):
        count()
        return 1.0
    def __floor__(self):
        count()
        return 1
    def __len__(self):
        count()
        return 1
    def __dir__(self):
        count()
        return []
    @property
    def p(self):
        count()
        return 1
    @p.setter
    def p(self, value):
        count()
    def call(self):
        count()
        return 1
    def __getitem__(self, key):
        count()
        return 1
    def __setitem__(self, key, value):
        count()
    def __delitem__(self, key):
        count()
    def __contains__(self, key):
        count()
        return True
    def __enter__(self):
        count()
        return self
    def __exit__(self, *args):
        return None
    def __matmul__(self, other):
        count()
        return 1
    def __iadd__(self, other):
        count()
        return self
    def __neg__(self):
        count()
        return 1
    def __reversed__(self):
        count()
        return iter(())
    def __class_getitem__(cls, item):
        count()
        return cls


class RR:
    def __init__(self, v):
        self.v = v
    def __radd__(self, other):
        count()
        return 1


class HM(type):
    def __instancecheck__(cls, instance):
        count()
        return True
    def __subclasscheck__(cls, other):
        count()
        return True


class H(metaclass=HM):
    pass


class D(dict):
    def __missing__(self, key):
        count()
        return 1


class Mapping:
    def keys(self):
        count()
        return ["a"]
    def __getitem__(self, key):
        return 1


def gen():
    count()
    yield 1
    yield 2


def made():
    count()
    return []


@dataclass(order=True)
class P:
    x: object


@dataclass
class Q:
    x: list = field(default_factory=made)


@dataclass
class I:
    x: int
    def __post_init__(self):
        count()


@functools.lru_cache
def lru(x):
    return 1


def pq():
    q = queue.PriorityQueue()
    q.put(K(2))
    q.put(K(1))


def exit_stack():
    with contextlib.ExitStack() as stack:
        stack.callback(hook, 1)


@contextlib.contextmanager
def manager():
    count()
    yield


def managed():
    with manager():
        pass


condition = threading.Condition()


def waited():
    with threading.Condition() as c:
        c.wait_for(lambda: hook(1))


def unpacked():
    for a, b in [gen()]:
        pass
"""


# --- methods of a container that a class has itself, by the arguments that they are called with

OF_SEQUENCES = {
    **dict.fromkeys(("append", "count", "__contains__"), "7"),
    "extend": "[7]",
    "insert": "0, 7",
    "remove": "1",
    "index": "1",
    "pop": "",
    "reverse": "",
    "clear": "",
    "__getitem__": "0",
    "__setitem__": "0, 7",
    "__delitem__": "0",
    "__len__": "",
    "__eq__": "[1]",
    "__iadd__": "[7]",
    "__add__": "[7]",
    "__repr__": "",
    "copy": "",
}
OF_MAPPINGS = {
    **dict.fromkeys(("get", "pop", "__contains__", "__getitem__", "__delitem__"), "'a'"),
    "setdefault": "'z', 3",
    "update": "{'z': 3}",
    "popitem": "",
    "clear": "",
    "copy": "",
    "__eq__": "{}",
    "__setitem__": "'a', 7",
    "__len__": "",
    "__repr__": "",
}
OVERRIDDEN: dict[str, tuple[str, dict[str, str]]] = {
    "list": ("[1, 2]", {**OF_SEQUENCES, "sort": ""}),
    "deque": (
        "[1, 2]",
        {**OF_SEQUENCES, "__add__": "deque()", "appendleft": "7", "popleft": "", "rotate": "1"},
    ),
    "UserList": ("[1, 2]", OF_SEQUENCES),
    "dict": ("{'a': 1}", {**OF_MAPPINGS, "__or__": "{'z': 1}", "__ior__": "{'z': 1}"}),
    "OrderedDict": ("{'a': 1}", {**OF_MAPPINGS, "move_to_end": "'a'"}),
    "Counter": ("{'a': 1}", OF_MAPPINGS),
    "UserDict": ("{'a': 1}", OF_MAPPINGS),
    "set": (
        "{1}",
        {
            **dict.fromkeys(("add", "discard", "__contains__"), "5"),
            "remove": "1",
            "pop": "",
            "clear": "",
            "copy": "",
            "union": "[9]",
            "update": "[9]",
            "__or__": "{9}",
            "__ior__": "{9}",
            "__len__": "",
            "__eq__": "{9}",
        },
    ),
}


def product(
    family: str,
    operations: dict[str, str],
    disturbances: dict[str, str],
    setup: str,
    show: str,
    imports: str = IMPORTS,
) -> Iterator[Probe]:
    for operation, one in operations.items():
        for disturbance, two in disturbances.items():
            body = two.replace("second = ", "got = ") + "\nsecond = 'done'"
            text = program(one=value_of(one), two=body, setup=setup, show=show, imports=imports)
            yield Probe(family, f"{operation} / {disturbance}", text)


def missing() -> Iterator[Probe]:
    for factory, (classes, expression) in FACTORIES.items():
        setup = f"{classes}\nd = defaultdict({expression})"
        for operation, one in MISSING_ONE.items():
            for disturbance, two in MISSING_TWO.items():
                if factory == "Counter" and "iadd" in (operation, disturbance):
                    continue
                text = program(
                    one=value_of(one),
                    two=two + "\nsecond = 'done'",
                    setup=setup,
                    show="sorted((k, v if isinstance(v, int) else len(v)) for k, v in d.items())",
                    imports=IMPORTS,
                )
                yield Probe("missing", f"{factory}: {operation} / {disturbance}", text)


def places() -> Iterator[Probe]:
    for name, place in PLACES.items():
        body = f"global n\nt = n\n{place}\nn = t + 1"
        text = program(
            one=body + "\nfirst = 0",
            two=body + "\nsecond = 0",
            setup=PLACE_SETUP,
            show="n",
            classes=PLACE_CLASSES,
        )
        yield Probe("place", name, text)


def callers() -> Iterator[Probe]:
    for name, call in CALLERS.items():
        text = program(
            one=call + "\nfirst = 0",
            two=call + "\nsecond = 0",
            setup="",
            show="n",
            imports=CALLER_IMPORTS,
            classes=CALLER_CLASSES,
        )
        yield Probe("caller", name, text)


def overridden() -> Iterator[Probe]:
    """Classes that have a method of the container that they derive from, and call that of the container."""
    for kind, (value, arguments) in OVERRIDDEN.items():
        for method, given in arguments.items():
            setup = (
                f"class X({kind}):\n    n = 0\n    def {method}(self, *arguments):\n        X.n += 1\n"
                f"        return super().{method}(*arguments)\nx = X({value})"
            )
            call = f"str(x.{method}({given}))[:3]"
            text = program(
                one=f"first = {call}",
                two=f"second = {call}",
                setup=setup,
                show="(X.n, len(x))",
                imports="from collections import Counter, OrderedDict, UserDict, UserList, deque",
                classes="",
            )
            yield Probe("overridden", f"{kind}.{method}", text)


# What came with packages: what one thread does to it while another one does the same, or something else.
PACKAGE_SETUP = """
import dataclasses, inspect, operator, sys, types, weakref


class C:
    count = 0

    def __init__(self):
        self.n = 0

    def f(self):
        return self.n


@dataclasses.dataclass
class D:
    n: int = 0


def counted(*values):
    return len(values)


c = C()
items = [D(1), D(2)]
space = types.SimpleNamespace(n=0)
plain = {"n": 0}
proxy = types.MappingProxyType(plain)
ref = weakref.ref(c)
method = weakref.WeakMethod(c.f)
weak_keys = weakref.WeakKeyDictionary({c: 0})
weak_values = weakref.WeakValueDictionary({"c": c})
weak_set = weakref.WeakSet([c])
by_id = {id(c): 0}
get_n = operator.attrgetter("n")
call_f = operator.methodcaller("f")
counted.n = 0
"""
PACKAGE_OPERATIONS = {
    "weakref": "ref().n += 1",
    "weak method": "c.n = method()() + 1",
    "weak key": "weak_keys[c] = weak_keys[c] + 1",
    "weak key get": "weak_keys[c] = weak_keys.get(c, 0) + 1",
    "weak value": "weak_values['c'].n += 1",
    "weak set": "for x in weak_set: x.n += 1",
    "weak set len": "c.n += len(weak_set)",
    "by id": "by_id[id(c)] = by_id[id(c)] + 1",
    "dict of instance": "c.__dict__['n'] = c.__dict__['n'] + 1",
    "dict of instance update": "c.__dict__.update(n=c.n + 1)",
    "dict of instance pop": "c.n = c.__dict__.pop('n', 0) + 1",
    "dict of instance copy": "c.n = c.__dict__.copy()['n'] + 1",
    "dict of instance items": "c.n = dict(c.__dict__.items())['n'] + 1",
    "vars": "vars(c)['n'] += 1",
    "namespace": "space.n += 1",
    "namespace vars": "vars(space)['n'] += 1",
    "namespace eq": "space.n += int(space == types.SimpleNamespace(n=space.n))",
    "proxy": "plain['n'] = proxy['n'] + 1",
    "proxy get": "plain['n'] = proxy.get('n') + 1",
    "proxy copy": "plain['n'] = dict(proxy)['n'] + 1",
    "getter": "c.n = get_n(c) + 1",
    "caller": "c.n = call_f(c) + 1",
    "field of dataclass": "items[0].n += 1",
    "sorted by field": "sorted(items, key=get_n)[0].n += 1",
    "largest by field": "max(items, key=lambda d: d.n).n += 1",
    "append dataclass": "items.append(D(items[-1].n + 1))",
    "replaced dataclass": "items[0] = dataclasses.replace(items[0], n=items[0].n + 1)",
    "attribute of function": "counted.n += 1",
    "static attribute": "C.count = inspect.getattr_static(C, 'count') + 1",
    "static attribute of instance": "c.n = inspect.getattr_static(c, 'n') + 1",
    "signature": "c.n += len(inspect.signature(C.f).parameters)",
    "proxy loop": "for k in proxy: c.n += 1",
    "proxy view loop": "for k, v in proxy.items(): c.n += v",
}
PACKAGE_SHOW = (
    "(c.__dict__.get('n'), C.count, space.n, plain['n'], counted.n, [d.n for d in items], "
    "list(weak_keys.values()), list(by_id.values()))"
)


def packages() -> Iterator[Probe]:
    disturbances = {
        "the same": None,
        "attribute": "c.n += 1",
        "delete": "del c.n",
        "dict": "plain['n'] += 1",
        "new key": "plain['m'] = 1",
        "items": "items.pop()",
        "class": "C.count += 1",
        "namespace": "space.n += 1",
    }
    for name, one in PACKAGE_OPERATIONS.items():
        for disturbance, two in disturbances.items():
            text = program(
                one=f"{one}\nfirst = 0",
                two=f"{one if two is None else two}\nsecond = 0",
                setup=PACKAGE_SETUP,
                show=PACKAGE_SHOW,
                classes="",
            )
            yield Probe("package", f"{name} / {disturbance}", text)


def all_probes() -> list[Probe]:
    probes = [
        *product("list", LIST_OPERATIONS, LIST_DISTURBANCES, LIST_SETUP, LIST_SHOW),
        *product("deque", DEQUE_OPERATIONS, DEQUE_DISTURBANCES, DEQUE_SETUP, DEQUE_SHOW),
        *product("dict", DICT_OPERATIONS, DICT_DISTURBANCES, DICT_SETUP, DICT_SHOW),
        *product("set", SET_OPERATIONS, SET_DISTURBANCES, SET_SETUP, SET_SHOW),
        *product("bytearray", BYTES_OPERATIONS, BYTES_DISTURBANCES, "b = bytearray([1, 2, 3])", "list(b)"),
        *missing(),
        *places(),
        *callers(),
        *overridden(),
        *packages(),
    ]
    for kind, (setup, show) in OTHER_DICTS.items():
        operations = {name: DICT_OPERATIONS[name] for name in OTHER_DICT_OPERATIONS}
        probes.extend(product(kind, operations, DICT_DISTURBANCES, setup, show))
    return probes
