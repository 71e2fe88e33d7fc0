"""The libraries of the Python machine behave as CPython's modules do.

With one thread: the same programs on CPython, on the stand-in and on the plain machine. With several: what can
come out, written down, and held against CPython's own `threading.py` and `queue.py` on top of the model of
`_thread`.
"""

# ruff: noqa: E501  # programs stand here as they are

import bisect
import builtins
import collections
import functools
import heapq
import itertools
import operator
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.languages.python.compiler import compile_program
from assay.languages.python.compiler.imports import IF_INSTALLED
from tests.python.library_on_machine import outcomes_on_machine
from tests.python.library_stand_in import (
    LIBRARY,
    Modules,
    Scheduler,
    outcomes,
    run_once,
    sequentially,
    some_outcomes,
)
from tests.python.plain_machine import run_plainly


def error_of(call):
    """What a call gives: its result, or the name and text of its exception."""
    try:
        return call()
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"


# A program appends to `seen`; `tell(f)` appends what a call gives or raises.
TELL = """
def tell(call):
    try:
        seen.append(call())
    except Exception as problem:
        seen.append(type(problem).__name__ + ": " + str(problem))
"""

SEQUENTIAL = {
    "locks": """
import threading
lock = threading.Lock()
tell(lock.release)
tell(lambda: lock.acquire(False, 1))
tell(lambda: lock.acquire(timeout=-2))
tell(lock.acquire)
tell(lambda: lock.acquire(False))
tell(lambda: lock.acquire(timeout=0.001))
tell(lock.locked)
lock.release()
with lock as entered:
    seen.append((entered, lock.locked()))
tell(lock.locked)
nested = threading.RLock()
tell(nested.release)
with nested, nested:
    tell(nested._is_owned)
tell(nested.release)
""",
    "conditions": """
import threading
for condition in (threading.Condition(), threading.Condition(threading.Lock())):
    tell(condition.wait)
    tell(condition.notify)
    tell(condition.notify_all)
    with condition:
        tell(lambda: condition.wait(0.001))
        tell(lambda: condition.wait(0))
        tell(lambda: condition.wait_for(lambda: False, 0.001))
        tell(lambda: condition.wait_for(lambda: "yes"))
        condition.notify()
        condition.notify_all()
    tell(lambda: condition.acquire(False))
    tell(condition.release)
class Home:
    def __init__(self):
        self.held = 0
    def acquire(self, blocking=True):
        if self.held:
            return False
        self.held = 1
        return True
    def release(self):
        self.held = 0
    def __enter__(self):
        return self.acquire()
    def __exit__(self, *problem):
        self.release()
condition = threading.Condition(Home())
tell(condition.notify)
with condition:
    tell(lambda: condition.wait(0.001))
    tell(condition.notify)
""",
    "semaphores and events": """
import threading
tell(lambda: threading.Semaphore(-1))
semaphore = threading.Semaphore(2)
tell(lambda: semaphore.acquire(False, 1))
seen.append([semaphore.acquire(), semaphore.acquire(False), semaphore.acquire(False), semaphore.acquire(timeout=0)])
tell(lambda: semaphore.release(0))
semaphore.release(2)
with semaphore:
    seen.append(semaphore._value)
bounded = threading.BoundedSemaphore()
tell(bounded.release)
with bounded:
    pass
event = threading.Event()
seen.append([event.is_set(), event.wait(0.001), event.set(), event.wait(), event.is_set(), event.clear(), event.wait(0)])
""",
    "barriers": """
import threading
barrier = threading.Barrier(1, action=lambda: seen.append("act"))
seen.append([barrier.wait(), barrier.wait(), barrier.parties, barrier.n_waiting, barrier.broken])
pair = threading.Barrier(2, timeout=0.001)
tell(pair.wait)
seen.append(pair.broken)
tell(pair.wait)
pair.reset()
seen.append(pair.broken)
pair.abort()
seen.append(pair.broken)
def fail():
    raise KeyError("no")
failing = threading.Barrier(1, fail)
tell(failing.wait)
seen.append(failing.broken)
""",
    "threads": """
import threading
main = threading.current_thread()
seen.append([main.name, main is threading.main_thread(), main.daemon, main.is_alive(), threading.active_count()])
def work():
    pass
thread = threading.Thread(target=work)
seen.append([thread.name, thread.ident, thread.daemon, thread.is_alive()])
tell(thread.join)
tell(main.join)
tell(main.start)
other = threading.Thread(name="other", daemon=True)
other.name = "renamed"
seen.append([other.name, other.daemon])
tell(lambda: setattr(main, "daemon", True))
seen.append(threading.Thread().name)
class Own(threading.Thread):
    def __init__(self):
        pass
tell(Own().start)
local = threading.local()
local.x = 1
seen.append(local.x)
del local.x
tell(lambda: local.x)
tell(lambda: threading.local(1))
class Named(threading.local):
    def __init__(self, name):
        self.name = name
    def greet(self):
        return "hello " + self.name
seen.append(Named("you").greet())
seen.append(isinstance(threading.get_ident(), int))
""",
    "queues": """
import queue
for kind in (queue.Queue, queue.LifoQueue, queue.PriorityQueue):
    q = kind(2)
    seen.append([q.empty(), q.full(), q.qsize()])
    tell(q.get_nowait)
    tell(lambda: q.get(timeout=0.001))
    tell(lambda: q.get(timeout=-1))
    q.put(2)
    q.put(1, timeout=1)
    tell(lambda: q.put_nowait(3))
    tell(lambda: q.put(3, timeout=0.001))
    seen.append([q.full(), q.get(), q.get()])
    q.task_done()
    q.task_done()
    q.join()
    tell(q.task_done)
simple = queue.SimpleQueue()
tell(simple.get_nowait)
simple.put(1)
simple.put_nowait(2)
seen.append([simple.qsize(), simple.get(), simple.get(timeout=1), simple.empty()])
tell(lambda: simple.get(timeout=-1))
class Sorted(queue.Queue):
    def _init(self, maxsize):
        self.items = []
    def _qsize(self):
        return len(self.items)
    def _put(self, item):
        self.items.append(item)
        self.items.sort()
    def _get(self):
        return self.items.pop()
q = Sorted(2)
q.put(1)
q.put(3)
tell(lambda: q.put_nowait(0))
seen.append([q.get(), q.get(), q.empty()])
q = queue.PriorityQueue()
q.put((1, "a"))
tell(lambda: q.put((1, 2)))
q = queue.Queue()
q.put(1)
with q.mutex:
    q.queue.clear()
tell(q.get_nowait)
""",
    "futures": """
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, TimeoutError, wait
future = Future()
calls = []
future.add_done_callback(lambda f: calls.append(f.result()))
seen.append([future.done(), future.running(), future.cancelled()])
tell(lambda: future.result(0))
seen.append(future.set_running_or_notify_cancel())
tell(future.cancel)
future.set_result(5)
seen.append([future.result(), future.exception(), calls])
future.add_done_callback(lambda f: calls.append("late"))
future.add_done_callback(lambda f: 1 / 0)
seen.append(calls)
cancelled = Future()
seen.append([cancelled.cancel(), cancelled.cancel(), cancelled.cancelled(), cancelled.done()])
tell(cancelled.result)
seen.append(cancelled.set_running_or_notify_cancel())
failed = Future()
failed.set_exception(KeyError("k"))
tell(failed.result)
seen.append(repr(failed.exception()))
done, not_done = wait([future, failed])
seen.append((len(done), len(not_done)))
tell(lambda: wait([Future()], return_when="NEVER"))
tell(lambda: ThreadPoolExecutor(0))
tell(lambda: ThreadPoolExecutor(1, initializer=3))
pool = ThreadPoolExecutor(1)
pool.shutdown()
tell(lambda: pool.submit(print))
""",
    "context managers": """
import contextlib
@contextlib.contextmanager
def traced(name):
    seen.append("enter " + name)
    try:
        yield name
    except ValueError as problem:
        seen.append("handled " + str(problem))
    finally:
        seen.append("leave " + name)
with traced("a") as a:
    seen.append(a)
with traced("b"):
    raise ValueError("v")
def failing():
    with traced("c"):
        raise KeyError("k")
tell(failing)
def stopping():
    with traced("d"):
        raise StopIteration("s")
tell(stopping)
@contextlib.contextmanager
def empty():
    if False:
        yield
tell(lambda: empty().__enter__())
@contextlib.contextmanager
def twice():
    yield
    yield
manager = twice()
manager.__enter__()
tell(lambda: manager.__exit__(None, None, None))
@traced("e")
def decorated():
    return 3
seen.append([decorated(), decorated()])
with contextlib.suppress(KeyError), contextlib.nullcontext(4) as four:
    seen.append(four)
    raise KeyError
class Thing:
    def close(self):
        seen.append("closed")
with contextlib.closing(Thing()):
    pass
with contextlib.ExitStack() as stack:
    stack.enter_context(traced("f"))
    stack.callback(seen.append, "called")
    stack.push(lambda *problem: True)
    raise IndexError
def replacing():
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: {}["missing"])
        raise IndexError("first")
tell(replacing)
tell(lambda: contextlib.ExitStack().enter_context(3))
""",
    "functools": """
import functools
seen.append(functools.reduce(lambda x, y: x * y, [1, 2, 3], 5))
tell(lambda: functools.reduce(lambda x, y: x, []))
add = functools.partial(lambda *a, **k: (a, sorted(k.items())), 1, x=2)
seen.append([add(3, y=4), functools.partial(add, 5)(x=0), add.args, add.keywords])
tell(lambda: functools.partial(3))
@functools.lru_cache(maxsize=2)
def square(x, y=0):
    seen.append("computed")
    return x * x + y
seen.append([square(2), square(2), square(3), square(y=1, x=2), square(2), square.cache_info() == (1, 4, 2, 2)])
square.cache_clear()
seen.append([square(2), square.__name__, square.cache_parameters()])
@functools.cache
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
seen.append(fibonacci(30))
@functools.total_ordering
class Version:
    def __init__(self, n):
        self.n = n
    def __eq__(self, other):
        return self.n == other.n
    def __lt__(self, other):
        return self.n < other.n if isinstance(other, Version) else NotImplemented
one, two = Version(1), Version(2)
seen.append([one <= two, one > two, one >= one, two > one])
tell(lambda: one >= 3)
tell(lambda: functools.total_ordering(type("Empty", (), {})))
seen.append(sorted([3, 1, 2], key=functools.cmp_to_key(lambda x, y: y - x)))
@functools.singledispatch
def describe(value):
    return "something"
@describe.register(int)
def describe_int(value):
    return "an int"
@describe.register(list)
def describe_list(value):
    return "a list"
seen.append([describe(1), describe(True), describe([]), describe("x")])
class Cell:
    def set(self, value, twice=False):
        seen.append((value, twice))
    on = functools.partialmethod(set, True)
    @functools.cached_property
    def costly(self):
        seen.append("computed")
        return 7
cell = Cell()
cell.on(twice=True)
seen.append([cell.costly, cell.costly])
@functools.wraps(describe_int)
def wrapper():
    pass
seen.append([wrapper.__name__, wrapper.__wrapped__ is describe_int])
""",
    "itertools": """
import itertools as it
def first(source, n=6):
    return list(it.islice(source, n))
seen.append([first(it.count(5)), first(it.count(5, -2)), first(it.count(0.5, 0.5), 3), first(it.cycle("ab")), first(it.cycle(""))])
seen.append([list(it.repeat(1, 3)), first(it.repeat(2), 2), list(it.chain("ab", [1])), list(it.chain.from_iterable(["x", "yz"]))])
seen.append([list(it.accumulate([1, 2, 3])), list(it.accumulate([1, 2], lambda a, b: a * b, initial=4)), list(it.accumulate([]))])
seen.append([list(it.compress("abcd", [1, 0, 1])), list(it.dropwhile(lambda x: x < 2, [1, 2, 1])), list(it.takewhile(lambda x: x < 2, [1, 2, 1]))])
seen.append([list(it.filterfalse(None, [0, 1])), list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.pairwise("abc")), list(it.zip_longest("ab", "c", fillvalue="-"))])
seen.append([(key, list(group)) for key, group in it.groupby([1, 1, 2, 1], lambda x: x % 2)])
groups = it.groupby("aab")
_, first_group = next(groups)
next(groups)
seen.append(list(first_group))
seen.append([list(it.islice("abcdefg", 2)), list(it.islice("abcdefg", 2, 4)), list(it.islice("abcdefg", 0, None, 3)), list(it.islice("ab", 2, 1))])
tell(lambda: it.islice("a", -1))
tell(lambda: it.islice("a", 0, 1, 0))
left, right = it.tee(iter("abc"))
seen.append([next(left), next(left), list(right), list(left)])
source = iter(range(10))
sliced = it.islice(source, 2, 6, 3)
seen.append([list(sliced), list(source)])
def fails_once(x):
    if x == 1:
        raise ValueError(x)
    return x
mapped = it.starmap(fails_once, [(0,), (1,), (2,)])
tell(lambda: next(mapped))
tell(lambda: next(mapped))
tell(lambda: next(mapped))
""",
    "combinations": """
import itertools as it
for pool in ("", "a", "ab", "abcd"):
    seen.append([list(it.product(pool, repeat=2)), list(it.product(pool, [1, 2])), list(it.product(repeat=0))])
    for r in range(4):
        seen.append([list(it.permutations(pool, r)), list(it.combinations(pool, r)), list(it.combinations_with_replacement(pool, r))])
seen.append(list(it.permutations([1, 2, 3])))
tell(lambda: it.permutations("ab", -1))
tell(lambda: it.combinations("ab", -1))
tell(lambda: it.product("ab", repeat=-1))
""",
    "small modules": """
import logging, os, sys, time, traceback, warnings
time.sleep(0)
tell(lambda: time.sleep(-1))
seen.append([time.time() > -1, time.monotonic() >= 0])
logging.basicConfig(level="INFO")
log = logging.getLogger("a.b")
seen.append([log.name, log.isEnabledFor(logging.INFO), log.isEnabledFor(logging.DEBUG), logging.getLogger("a.b") is log])
logging.getLogger("a").setLevel(logging.ERROR)
seen.append([log.getEffectiveLevel(), logging.getLevelName(40), logging.getLogger().level])
tell(lambda: log.setLevel("LOUD"))
seen.append([os.environ.get("NO_SUCH_VARIABLE_HERE", 3), sys.maxsize, sys.version_info[:2]])
tell(lambda: sys.stdout.write(3))
try:
    sys.exit(3)
except SystemExit as end:
    seen.append(end.code)
seen.append(traceback.format_exception_only(ValueError("v")))
""",
}


def program(name):
    return "seen = []\n" + TELL + SEQUENTIAL[name]


@functools.cache
def cpythons_answer(text):
    """From a process of its own: modules such as `threading` and `logging` remember what others did."""
    run = subprocess.run(
        [sys.executable, "-I", "-c", f"{text}\nprint(repr(seen))"], capture_output=True, text=True, check=True
    )
    return run.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_one_thread_sees_what_it_sees_on_cpython(name):
    answer, end = sequentially("\n" + TELL + SEQUENTIAL[name])
    assert end is None
    assert answer == cpythons_answer(program(name))


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_the_compiled_libraries_answer_as_cpython(name, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(program(name) + "\nimport sys\nprint(repr(seen))\n")
    outcome = run_plainly(compile_program(file))
    assert outcome.error is None
    assert outcome.output.splitlines()[-1] == cpythons_answer(program(name))


# --- built-ins for arguments of the program


class Plain:
    """An instance of a program: ordered by its value only."""

    def __init__(self, value, tag=0):
        self.value = value
        self.tag = tag

    def __lt__(self, other):
        return self.value < other.value

    def __gt__(self, other):
        return self.value > other.value

    def __add__(self, other):
        return Plain(self.value + (other.value if isinstance(other, Plain) else other))

    __radd__ = __add__

    def __repr__(self):
        return f"Plain({self.value}, {self.tag})"


class Pairs:
    """A mapping of a program."""

    def keys(self):
        return ["a", "b"]

    def __getitem__(self, key):
        return key * 2


class Row:
    def __len__(self):
        return 3

    def __getitem__(self, place):
        return "xyz"[place]


@functools.cache
def our_builtins():
    return Modules(Scheduler()).load("_builtins")


@pytest.fixture
def ours():
    return our_builtins()


def generated(*items):
    return (item for item in items)


CALLS = {
    "list": [lambda f: f(generated(1, 2)), lambda f: f(), lambda f: f(3)],
    "tuple": [lambda f: f(generated(1, 2)), lambda f: f()],
    "set": [lambda f: f(generated(1, 2, 1)), lambda f: f(generated([]))],
    "frozenset": [lambda f: f(generated(1, 1))],
    "bytes": [lambda f: f(generated(1, 2)), lambda f: f(generated(300)), lambda f: f(3), lambda f: f("a", "ascii")],
    "bytearray": [lambda f: f(generated(1, 2)), lambda f: f("a")],
    "dict": [
        lambda f: f(generated((1, 2), "ab"), x=3),
        lambda f: f(Pairs(), a=1),
        lambda f: f(generated(1)),
        lambda f: f(generated((1, 2, 3))),
        lambda f: f(1, 2),
        lambda f: f(),
    ],
    "sorted": [
        lambda f: repr(f([Plain(2), Plain(1, 1), Plain(1, 2)])),
        lambda f: repr(f([Plain(2), Plain(1, 1), Plain(1, 2)], reverse=True)),
        lambda f: f(generated(3, 1, 2), key=lambda x: -x),
        lambda f: f(generated(1, "a")),
        lambda f: f(generated(1, 2), key=lambda x: 1 // (x - 1)),
    ],
    "min": [
        lambda f: f(generated(3, 1, 2)),
        lambda f: repr(f(Plain(1, 1), Plain(1, 2))),
        lambda f: f(generated()),
        lambda f: f(generated(), default=4),
        lambda f: f(1, 2, default=4),
        lambda f: f(),
        lambda f: f(3, -4, key=abs),
        lambda f: f(5),
    ],
    "max": [
        lambda f: f(generated(3, 1, 2)),
        lambda f: repr(f(Plain(1, 1), Plain(1, 2))),
        lambda f: f(generated()),
        lambda f: f([], default=None),
        lambda f: f(3, -4, key=abs),
    ],
    "sum": [
        lambda f: f(generated(1, 2)),
        lambda f: f(generated(0.1, 0.2, 0.3, 1e16, 1.0, -1e16)),
        lambda f: repr(f([Plain(1), Plain(2)])),
        lambda f: f(generated([1], [2]), []),
        lambda f: f(generated("a"), ""),
        lambda f: f(generated("a")),
        lambda f: f(generated(1), start=5),
    ],
    "any": [lambda f: f(generated(0, [])), lambda f: f(generated(0, 1))],
    "all": [lambda f: f(generated(1, [])), lambda f: f(generated())],
    "map": [
        lambda f: list(f(lambda x, y: x + y, generated(1, 2, 3), [1, 2])),
        lambda f: f(abs),
        lambda f: f(abs, 3),
    ],
    "filter": [lambda f: list(f(None, generated(0, 1))), lambda f: list(f(lambda x: x > 1, generated(1, 2)))],
    "zip": [
        lambda f: list(f(generated(1, 2), "ab")),
        lambda f: list(f()),
        lambda f: list(f(generated(1), "ab", strict=True)),
        lambda f: list(f(generated(1, 2), "a", strict=True)),
        lambda f: list(f("ab", "ab", "abc", strict=True)),
        lambda f: list(f("ab", "ab", "a", strict=True)),
        lambda f: list(f("ab", "xy", strict=True)),
        lambda f: f(3),
    ],
    "enumerate": [lambda f: list(f(generated("a", "b"), 3)), lambda f: list(f("ab", start=1)), lambda f: f(1)],
    "reversed": [lambda f: list(f(Row())), lambda f: list(f([1, 2])), lambda f: f(Pairs()), lambda f: f(3), lambda f: f({1})],
    "iter": [lambda f: list(f(generated(1, 2, 0, 3).__next__, 0)), lambda f: f(3, 3), lambda f: f(3)],
    "next": [lambda f: f(generated(), 4), lambda f: f(generated(1), 4), lambda f: f([], 1)],
    "str": [lambda f: f(Plain(1)), lambda f: f([Plain(1)]), lambda f: f(), lambda f: f("a"), lambda f: f(1.5)],
    "repr": [
        lambda f: f([Plain(1), (Plain(2),), {Plain}, {}, set(), frozenset({3})]),
        lambda f: f({"a": Plain(1), 2: [3]}),
        lambda f: f("it's"),
        lambda f: f(ValueError("v")),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name, calls in CALLS.items() for n in range(len(calls))]
)
def test_built_in_gives_what_cpythons_gives(ours, name, number):
    call = CALLS[name][number]
    assert error_of(lambda: call(getattr(ours, name))) == error_of(lambda: call(getattr(builtins, name)))


METHODS = {
    "list_extend": [([1], (2, 3))],
    "list_sort": [([3, 1, 2], ())],
    "set_update": [({1}, (2, 3))],
    "set_union": [({1}, (2, 3))],
    "set_intersection": [({1, 2}, (2, 3))],
    "set_difference": [({1, 2}, (2, 3))],
    "set_symmetric_difference": [({1, 2}, (2, 3))],
    "set_issubset": [({1, 2}, (2, 1, 3)), ({1}, (2,))],
    "set_issuperset": [({1, 2}, (2,)), ({1}, (2,))],
    "set_isdisjoint": [({1, 2}, (3,)), ({1}, (1,))],
    "set_difference_update": [({1, 2}, (2, 3))],
    "set_intersection_update": [({1, 2}, (2, 3))],
    "set_symmetric_difference_update": [({1, 2}, (2, 3))],
    "dict_update": [({1: 2}, ((3, 4), (1, 5))), ({}, (1,)), ({}, ("abc",))],
    "str_join": [("-", ("a", "b")), ("-", ("a", 1)), ("", ())],
    "bytes_join": [(b"-", (b"a", b"b")), (b"-", ("a",))],
}


@pytest.mark.parametrize(
    ("name", "receiver", "items"), [(name, *case) for name, cases in METHODS.items() for case in cases]
)
def test_method_does_what_cpythons_does(ours, name, receiver, items):
    def changed_by(call, copy):
        result = error_of(lambda: call(copy))
        return result, copy

    method = name.partition("_")[2]
    arguments = () if method == "sort" else (generated(*items),)
    expected = changed_by(
        lambda copy: getattr(copy, method)(*arguments),
        receiver.copy() if hasattr(receiver, "copy") else receiver,
    )
    arguments = () if method == "sort" else (generated(*items),)
    actual = changed_by(
        lambda copy: getattr(ours, name)(copy, *arguments),
        receiver.copy() if hasattr(receiver, "copy") else receiver,
    )
    assert actual == expected


def test_containers_of_collections_are_made_from_generators(ours):
    assert ours.deque(generated(1, 2, 3), 2) == collections.deque([2, 3], 2)
    assert ours.deque(generated(1, 2, 3), maxlen=2).maxlen == 2
    assert ours._library_functions.Counter(generated("a", "b", "a")) == {"a": 2, "b": 1}
    assert ours.OrderedDict(generated((1, 2), (3, 4)), x=5) == {1: 2, 3: 4, "x": 5}
    grouped = ours.defaultdict(list, generated((1, [2])))
    assert (grouped[1], grouped[2]) == ([2], [])
    line = collections.deque([1])
    ours.deque_extend(line, generated(2, 3))
    ours.deque_extendleft(line, generated(4, 5))
    assert list(line) == [5, 4, 1, 2, 3]


def test_a_container_that_contains_itself_is_shown_as_by_cpython(ours):
    items = [1]
    items.append((items, {2: items}))
    assert ours.repr(items) == repr(items)


def test_a_list_is_empty_while_it_is_sorted_and_notices_changes(ours):
    numbers = [3, 1, 2]
    lengths = []

    def key(number):
        lengths.append(len(numbers))
        return number

    ours.list_sort(numbers, key=key)
    assert (numbers, lengths) == ([1, 2, 3], [0, 0, 0])

    with pytest.raises(ValueError, match="list modified during sort"):
        ours.list_sort(numbers, key=lambda number: numbers.append(number) or number)
    with pytest.raises(ZeroDivisionError):
        ours.list_sort(numbers, key=lambda number: 1 // 0)
    assert sorted(numbers) == [1, 2, 3]


def test_an_iterator_goes_on_after_an_exception(ours):
    mapped = ours.map(lambda x: 1 // x, [1, 0, -1])
    assert [error_of(lambda: next(mapped)) for _ in range(3)] == [
        1,
        error_of(lambda: 1 // 0),
        -1,
    ]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 99)), max_size=40), st.booleans())
@settings(deadline=None)
def test_sorting_is_stable_as_cpythons(pairs, reverse):
    ours = our_builtins()
    assert ours.sorted(pairs, key=operator.itemgetter(0), reverse=reverse) == sorted(
        pairs, key=operator.itemgetter(0), reverse=reverse
    )


@given(st.lists(st.integers(0, 20), max_size=30), st.integers(0, 20))
@settings(deadline=None)
def test_heaps_have_the_layout_of_cpythons(numbers, item):
    ours = our_builtins()
    own, native = [], []
    for number in numbers:
        ours.heappush(own, number)
        heapq.heappush(native, number)
    assert own == native
    own, native = list(numbers), list(numbers)
    ours.heapify(own)
    heapq.heapify(native)
    assert own == native
    assert ours.heappushpop(own, item) == heapq.heappushpop(native, item)
    assert error_of(lambda: ours.heapreplace(own, item)) == error_of(lambda: heapq.heapreplace(native, item))
    while native:
        assert own == native
        assert ours.heappop(own) == heapq.heappop(native)
    for count in (0, 3):
        assert ours._library_functions.nlargest(count, numbers, key=lambda n: n % 7) == heapq.nlargest(
            count, numbers, key=lambda n: n % 7
        )
        assert ours._library_functions.nsmallest(count, numbers) == heapq.nsmallest(count, numbers)
    halves = (sorted(numbers[::2]), sorted(numbers[1::2]))
    assert list(ours._library_functions.merge(*halves)) == list(heapq.merge(*halves))


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(0, 9))
@settings(deadline=None)
def test_bisection_finds_the_places_of_cpython(numbers, item):
    ours = our_builtins()
    numbers.sort()
    for name in ("bisect_left", "bisect_right"):
        assert getattr(ours, name)(numbers, item) == getattr(bisect, name)(numbers, item)
        backwards = numbers[::-1]
        assert getattr(ours, name)(backwards, -item, key=operator.neg) == getattr(bisect, name)(
            backwards, -item, key=operator.neg
        )
    own, native = list(numbers), list(numbers)
    ours.insort(own, item)
    bisect.insort(native, item)
    assert own == native


# --- threads: everything that can come out

WAITER = """
import threading, time
condition = threading.Condition()
"""
THREADED = {
    "a notification wakes the waiter that came first, and is lost without one": (
        WAITER
        + """
def w():
    with condition:
        condition.wait()
        seen.append(threading.current_thread().name)
a, b = threading.Thread(target=w), threading.Thread(target=w)
a.start(); b.start()
with condition: condition.notify()
with condition: condition.notify()
a.join(); b.join()
""",
        {
            ("['Thread-1 (w)', 'Thread-2 (w)']", None),
            ("['Thread-2 (w)', 'Thread-1 (w)']", None),
            ("['Thread-1 (w)']", "deadlock"),
            ("['Thread-2 (w)']", "deadlock"),
            ("[]", "deadlock"),
        },
    ),
    "a waiter whose time has run out can still swallow a notification": (
        WAITER
        + """
def patient():
    with condition:
        seen.append(("patient", condition.wait()))
def hasty():
    with condition:
        ready.append(1)
        seen.append(("hasty", condition.wait(1)))
ready = []
a = threading.Thread(target=hasty); b = threading.Thread(target=patient)
a.start(); b.start()
with condition:
    condition.notify()
a.join()
b.join()
""",
        {
            ("[('hasty', True)]", "deadlock"),
            ("[('hasty', False)]", "deadlock"),
            ("[('hasty', False), ('patient', True)]", None),
            ("[('patient', True), ('hasty', False)]", None),
        },
    ),
    "an event that is set and cleared may be missed": (
        """
import threading
event = threading.Event()
def w():
    seen.append(event.wait(1)); seen.append(event.is_set())
a = threading.Thread(target=w); a.start()
event.set(); event.clear()
a.join()
""",
        {("[True, True]", None), ("[True, False]", None), ("[False, True]", None), ("[False, False]", None)},
    ),
    "a semaphore lets one in, and the other waits or gives up": (
        """
import threading, time
semaphore = threading.Semaphore(1)
def w(name, timeout):
    if semaphore.acquire(timeout=timeout):
        time.sleep(0)
        seen.append(name)
        semaphore.release()
    else:
        seen.append("gave up")
a = threading.Thread(target=w, args=("a", 1)); b = threading.Thread(target=w, args=("b", None))
a.start(); b.start()
a.join(); b.join()
""",
        {
            ("['a', 'b']", None),
            ("['b', 'a']", None),
            ("['b', 'gave up']", None),
            ("['gave up', 'b']", None),
        },
    ),
    "a barrier lets both through or breaks": (
        """
import threading
barrier = threading.Barrier(2, action=lambda: seen.append("action"))
indices = []
def w(timeout):
    try: indices.append(barrier.wait(timeout))
    except threading.BrokenBarrierError: indices.append("broken")
a = threading.Thread(target=w, args=(None,)); a.start()
w(1)
a.join()
seen.append([sorted(map(str, indices)), barrier.broken])
""",
        {("['action', [['0', '1'], False]]", None), ("[[['broken', 'broken'], True]]", None)},
    ),
    "a barrier can be used again": (
        """
import threading
barrier = threading.Barrier(2)
rounds = []
def w():
    for n in range(2):
        barrier.wait()
        rounds.append(n)
a = threading.Thread(target=w); a.start()
w()
a.join()
seen.append(rounds)
""",
        {("[[0, 0, 1, 1]]", None)},
    ),
    "a bounded queue keeps the order, and a hasty reader may find nothing": (
        """
import threading, queue
q = queue.Queue(1)
def producer():
    for i in range(2): q.put(i)
def reader():
    try: got.append(q.get(timeout=1))
    except queue.Empty: got.append("empty")
got = []
a = threading.Thread(target=producer); b = threading.Thread(target=reader)
a.start(); b.start()
mine = q.get()
b.join()
seen.append([mine, got, q.qsize()])
""",
        {
            ("[[0, ['empty'], 0]]", None),
            ("[[0, ['empty'], 1]]", None),
            ("[[0, [1], 0]]", None),
            ("[[1, [0], 0]]", None),
        },
    ),
    "joining a queue waits for all tasks": (
        """
import threading, queue
q = queue.LifoQueue()
def worker():
    while True:
        item = q.get()
        if item is None: break
        seen.append(item)
        q.task_done()
a = threading.Thread(target=worker)
q.put(1)
a.start(); q.put(2)
q.join()
seen.append("joined")
q.put(None); a.join()
""",
        {("[1, 2, 'joined']", None), ("[2, 1, 'joined']", None)},
    ),
    "a thread can be alive when it is no longer listed": (
        """
import threading
a = threading.Thread(target=lambda: None, daemon=True); a.start()
seen.append(threading.active_count())
seen.append(a.is_alive())
a.join(1)
seen.append(a.is_alive())
""",
        {
            ("[2, True, True]", None),
            ("[2, True, False]", None),
            ("[2, False, False]", None),
            ("[1, True, True]", None),
            ("[1, True, False]", None),
            ("[1, False, False]", None),
        },
    ),
    "waiting gives up all levels of a nested lock": (
        WAITER
        + """
def w():
    with condition:
        seen.append("notifies"); condition.notify_all()
a = threading.Thread(target=w)
with condition, condition:
    a.start()
    condition.wait()
    seen.append("woke")
try: condition.notify()
except RuntimeError as problem: seen.append(str(problem))
a.join()
""",
        {("['notifies', 'woke', 'cannot notify on un-acquired lock']", None)},
    ),
    "a timer fires at any time, unless it is cancelled before": (
        """
import threading, time
timer = threading.Timer(1, seen.append, ("fired",)); timer.start()
time.sleep(0)
seen.append("cancels"); timer.cancel(); timer.join()
""",
        {("['fired', 'cancels']", None), ("['cancels']", None), ("['cancels', 'fired']", None)},
    ),
    "wait_for gives up only when the time has run out": (
        WAITER
        + """
box = []
def w():
    with condition:
        seen.append(condition.wait_for(lambda: len(box) > 1, timeout=1))
a = threading.Thread(target=w); a.start()
for i in range(2):
    with condition: box.append(i); condition.notify()
a.join()
""",
        {("[True]", None), ("[False]", None)},
    ),
    "a lock may be released by another thread": (
        """
import threading
lock = threading.Lock()
lock.acquire()
a = threading.Thread(target=lock.release); a.start()
lock.acquire()
seen.append("again")
a.join()
""",
        {("['again']", None)},
    ),
    "two threads that lock in different order can block each other": (
        """
import threading
one, two = threading.Lock(), threading.Lock()
def w(first, second):
    with first, second:
        seen.append(1)
a = threading.Thread(target=w, args=(one, two)); a.start()
w(two, one)
a.join()
""",
        {("[1, 1]", None), ("[]", "deadlock")},
    ),
    "each thread has its own local data": (
        """
import threading
class Data(threading.local):
    def __init__(self, start):
        self.value = start
data = Data(5)
data.value = 6
def w():
    seen.append(data.value)
    data.value = 7
a = threading.Thread(target=w); a.start(); a.join()
seen.append(data.value)
""",
        {("[5, 6]", None)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", THREADED)
def test_threads_can_do_exactly_this(name):
    text, expected = THREADED[name]
    assert some_outcomes(text, runs=200) == expected


@pytest.mark.parametrize("name", THREADED)
def test_cpythons_own_threading_does_nothing_else(name):
    text, expected = THREADED[name]
    assert some_outcomes(text, own=("threading", "queue"), runs=40) <= expected


# More than 60 000 states with CPython's own, and less than 100 with ours.
TOO_LARGE_WITH_CPYTHONS_OWN = {
    "a notification wakes the waiter that came first, and is lost without one",
    "a waiter whose time has run out can still swallow a notification",
    "a semaphore lets one in, and the other waits or gives up",
    "a bounded queue keeps the order, and a hasty reader may find nothing",
}


def explored(names, own):
    return outcomes_on_machine({name: f"seen = []\n{THREADED[name][0]}" for name in names}, own)


def test_the_machine_finds_exactly_this():
    assert explored(THREADED, ()) == {name: expected for name, (_, expected) in THREADED.items()}


def test_the_machine_finds_the_same_with_cpythons_own_threading():
    names = sorted(THREADED.keys() - TOO_LARGE_WITH_CPYTHONS_OWN)
    assert explored(names, ("threading", "queue")) == {name: THREADED[name][1] for name in names}


def test_every_run_of_a_small_program_is_found():
    text = """
import threading
lock = threading.Lock()
def w():
    with lock: seen.append(threading.current_thread() is threading.main_thread())
a = threading.Thread(target=w); a.start(); w(); a.join()
"""
    assert outcomes(text) == {("[True, False]", None), ("[False, True]", None)}


def test_a_queue_that_shows_its_locks_goes_on_with_them():
    text = """
import threading, queue
q = queue.Queue(1)
def w():
    seen.append(q.get())
a = threading.Thread(target=w); a.start()
with q.not_empty:
    seen.append("inside")
q.put(1)
a.join()
"""
    assert some_outcomes(text, runs=100) == {("['inside', 1]", None)}


POOL = """
from concurrent.futures import ThreadPoolExecutor, as_completed, wait, FIRST_COMPLETED
"""


def test_a_pool_runs_tasks_in_any_order_and_gives_results_in_order():
    text = (
        POOL
        + """
import time
order = []
def square(x):
    time.sleep(0)
    order.append(x)
    return x * x
with ThreadPoolExecutor(2) as pool:
    seen.append(list(pool.map(square, [1, 2])))
seen.append(order)
"""
    )
    assert some_outcomes(text, runs=200) == {("[[1, 4], [1, 2]]", None), ("[[1, 4], [2, 1]]", None)}


def test_futures_come_as_they_complete():
    text = (
        POOL
        + """
import time
def task(x):
    time.sleep(0)
    return x
with ThreadPoolExecutor(2) as pool:
    futures = [pool.submit(task, x) for x in "ab"]
    seen.append("".join(future.result() for future in as_completed(futures)))
    done, not_done = wait(futures, return_when=FIRST_COMPLETED)
    seen.append(len(done) + len(not_done))
"""
    )
    assert {answer for answer, end in some_outcomes(text, runs=200) if end is None} == {
        "['ab', 2]",
        "['ba', 2]",
    }


def test_a_pool_starts_threads_as_needed_and_ends_with_the_program():
    text = (
        POOL
        + """
import threading
pool = ThreadPoolExecutor(2, "p")
names = []
def task():
    names.append(threading.current_thread().name)
pool.submit(task).result()
pool.submit(task).result()
seen.append(names)
"""
    )
    found = some_outcomes(text, runs=200)
    assert {end for _, end in found} == {None}
    assert ("[['p_0', 'p_0']]", None) in found
    assert ("[['p_0', 'p_1']]", None) in found


def test_a_task_that_was_cancelled_is_not_run():
    text = (
        POOL
        + """
with ThreadPoolExecutor(1) as pool:
    first = pool.submit(seen.append, "first")
    second = pool.submit(seen.append, "second")
    cancelled = second.cancel()
seen.append(cancelled)
"""
    )
    assert some_outcomes(text, runs=200) == {("['first', True]", None), ("['first', 'second', False]", None)}


def test_functions_for_the_end_run_when_the_threads_have_ended():
    text = """
import atexit, threading
atexit.register(seen.append, "end")
threading.Thread(target=lambda: seen.append("thread")).start()
"""
    assert some_outcomes(text, runs=50) == {("['thread', 'end']", None)}


# --- what nobody knows


def test_every_outcome_of_a_random_choice_is_followed():
    text = """
import random
numbers = [1, 2, 3]
random.shuffle(numbers)
seen.append(tuple(numbers))
seen.append(random.randint(0, 1))
"""
    expected = {(repr([order, bit]), None) for order in itertools.permutations([1, 2, 3]) for bit in (0, 1)}
    assert outcomes(text) == expected


@pytest.mark.parametrize(
    ("call", "values"),
    [
        ("random.choice('ab')", {"a", "b"}),
        ("random.randrange(1, 6, 2)", {1, 3, 5}),
        ("random.getrandbits(2)", {0, 1, 2, 3}),
        ("random.sample([1, 2], 1)[0]", {1, 2}),
        ("random.choices('abc', [1, 0, 1])[0]", {"a", "c"}),
        ("random.Random(3).randint(4, 5)", {4, 5}),
        ("random.random() < 0.5", {True, False}),
        ("random.random() < 0", {False}),
        ("random.uniform(2, 3) >= 1", {True}),
        ("time.monotonic() - 3 > 5", {True, False}),
        ("time.time() == None", {False}),
        ("assay.choose(1, 2)", {1, 2}),
        ("assay.choose([1, 2, 3])", {1, 2, 3}),
    ],
)
def test_unknown_values_take_all_values(call, values):
    assert outcomes(f"import random, time, assay\nseen.append({call})") == {
        (repr([value]), None) for value in values
    }


def test_what_was_answered_about_a_remaining_time_stays_true():
    text = """
import time
left = time.monotonic() - time.monotonic()
if left > 0:
    seen.append((left > 0, left >= 0, left < 0, left <= 0, left > -1))
"""
    assert outcomes(text) == {("[]", None), ("[(True, True, False, False, True)]", None)}


@pytest.mark.parametrize("use", ["int(x)", "[1][x]", "{x}", "float(x)"])
def test_the_value_of_an_unknown_number_cannot_be_used(use):
    ((_, end),) = outcomes(f"import time\nx = time.time()\n{use}")
    assert "which is not known when a program is checked" in end
    assert "assay.choose" in end


def test_the_text_of_an_unknown_number_is_the_same_in_every_run():
    ((seen, end),) = outcomes("import time\nseen.append(f'{time.time():.2f}')")
    assert (seen, end) == ("['<time.time()>']", None)


def test_too_many_alternatives_are_refused_with_a_way_out():
    ((_, end),) = outcomes("import random\nrandom.randbytes(2)\nrandom.choice(range(1000))")
    assert "outcomes" in end
    assert "assay.choose" in end


@pytest.mark.parametrize(
    "call", ["randint(1, 1000)", "randint(0, 2**70)", "randrange(2**70)", "getrandbits(90)"]
)
def test_of_too_many_whole_numbers_one_is_unknown_within_its_bounds(call):
    text = f"import random\nx = random.{call}\nseen.append((x < 0, x > 2**90, x <= 2**90))"
    assert outcomes(text) == {("[(False, False, True)]", None)}


@pytest.mark.parametrize(
    ("questions", "values"),
    [
        ("n == n, n != n, n < n, n <= n, n - n == 0", {(True, False, False, True, True)}),
        ("n != 0, n == 1001, bool(n), n + 1 > 1, -n < 0", {(True, False, True, True, True)}),
        ("n > 999, n == 1000", {(True, True), (False, False)}),
        ("n == 7 and (n < 8, n != 7, 6 < n)", {(True, False, True), False}),
        ("n % 2, n % 1, n % 2000 == n", {(0, 0, True), (1, 0, True)}),
        ("n // 10 <= 100, 0 <= n % 100 < 100, n * 3 >= 3, n * -1 <= -1", {(True, True, True, True)}),
        ("n < m, m - n >= 1000, n == m, n >= m", {(True, True, False, False)}),
        ("r < 1, r >= 0, r < 0.5, r < 0.6 or r > 0.5", {(True, True, True, True), (True, True, False, True)}),
        ("2 <= u * 2 <= 6, 0 <= u - 1 <= 2, 0 <= 3 - u <= 2, abs(-u) >= 1", {(True, True, True, True)}),
        ("abs(u - 2) <= 1, abs(u) <= 3, u == 5, u + m > 2000", {(True, True, False, True)}),
    ],
)
def test_answers_about_a_random_number_go_together(questions, values):
    text = f"""
import random
n, m, r, u = random.randint(1, 1000), random.randint(2000, 3000), random.random(), random.uniform(1, 3)
seen.append(({questions}))
"""
    assert outcomes(text) == {(repr([value]), None) for value in values}


def test_many_random_numbers_with_a_step_are_refused():
    ((_, end),) = outcomes("import random\nrandom.randrange(0, 1000, 10)")
    assert "with a step" in end


def test_tasks_are_not_counted_where_nobody_asks():
    """Otherwise a producer and a consumer that go on for ever would have infinitely many states."""
    text = """
import queue
q = queue.Queue()
for i in range(5):
    q.put(i); q.get()
seen.append(q.unfinished_tasks)
"""
    code = compile(text, "<program>", "exec")
    assert run_once(code, Scheduler(), mentions=lambda name: False) == ("[1]", None)
    assert run_once(code, Scheduler(), mentions=lambda name: True) == ("[5]", None)


@pytest.mark.parametrize("module", ["os.urandom(3)", "logging.FileHandler('x')"])
def test_what_is_not_modelled_is_refused(module):
    name = module.partition(".")[0]
    ((_, end),) = outcomes(f"import {name}\n{module}")
    assert end.startswith("Unsupported: ")
    assert "not modelled" in end


# What they import is compiled when a search has used it, which the plain machine does not do.
COMPILED_AGAIN = {"importlib.resources"}


@pytest.mark.parametrize("path", sorted(LIBRARY.rglob("*.py")), ids=lambda path: path.name)
def test_each_library_compiles_for_the_machine(path, tmp_path):
    name = ".".join(path.relative_to(LIBRARY).with_suffix("").parts).removesuffix(".__init__")
    file = tmp_path / "program.py"
    is_package = name.partition(".")[0] in IF_INSTALLED  # not there without it
    users = not name.rpartition(".")[2].startswith("_") and not is_package
    file.write_text(f"import {name}\nprint({name!r})\n" if users else "import functools\nprint(1)\n")
    if name in COMPILED_AGAIN:
        assert assay.verify(file).verdict is assay.Verdict.VERIFIED
        return
    outcome = run_plainly(compile_program(file))
    assert (outcome.error, outcome.output) == (None, f"{name}\n" if users else "1\n")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("q.task_done()", True),
        ("getattr(q, name)", True),
        ("getattr(q, 'other')", False),
        ("from queue import *", True),
        ("task = 1", False),
        ("x = 'task_done'", True),
        ("try:\n        from task_done.x import y\n    except ImportError:\n        pass", True),
    ],
)
def test_the_compiler_says_what_a_program_mentions(text, answer, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(f"import queue\nname = 'x'\nq = queue.Queue()\nprint(queue._counts_tasks)\nif name != 'x':\n    {text}\n"
                    if "import *" not in text else f"import queue\n{text}\nprint(queue._counts_tasks)\n")  # fmt: skip
    assert run_plainly(compile_program(file)).output == f"{answer}\n"
