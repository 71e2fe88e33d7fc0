"""Arguments that make no sense: the libraries of the machine fail where CPython's modules fail, and as they do.

An argument that a model never looks at (the length of a wait, since there is no clock) hides the mistake of a program
that gives a wrong one. Every call is made in CPython, too.
"""

# ruff: noqa: E501  # calls stand here as they are

import json
import subprocess
import sys

from tests.python.library_on_machine import outcomes_on_machine

MODULES = {
    "threading": "import threading",
    "queue": "import queue",
    "time": "import time",
    "random": "import random",
    "contextlib": "import contextlib",
    "functools": "import functools",
    "itertools": "import itertools",
    "futures": "from concurrent import futures",
    "uuid": "import uuid",
    "logging": "import logging",
    "datetime": "import datetime",
}
CALLS = """\
threading.Event().wait("x")
threading.Event().wait(-1)
threading.Event().wait(None, 1)
threading.Lock().acquire(timeout="x")
threading.Lock().acquire(timeout=-2)
threading.Lock().acquire(False, 1)
threading.Lock().acquire(1, 2, 3)
threading.Lock().release()
threading.RLock().release()
threading.RLock().acquire(timeout="x")
threading.Semaphore(-1)
threading.Semaphore("x")
threading.Semaphore().acquire(timeout="x")
threading.Semaphore().release(0)
threading.Semaphore(0).acquire(timeout="x")
threading.BoundedSemaphore(1).release()
threading.Condition().wait()
threading.Condition().notify()
threading.Condition().notify_all()
threading.Condition(5)
c = threading.Condition(); c.acquire(); c.wait("x")
c = threading.Condition(); c.acquire(); c.wait(timeout=0)
c = threading.Condition(); c.acquire(); c.wait_for(5, timeout=0)
c = threading.Condition(); c.acquire(); c.wait_for(lambda: False, timeout="x")
c = threading.Condition(); c.acquire(); c.notify("x")
c = threading.Condition(); c.acquire(); c.notify(-1)
threading.Barrier(1).wait("x")
threading.Barrier(2).wait(0)
threading.Thread(group=1)
threading.Thread(target=print, args=None)
threading.Thread().join()
t = threading.Thread(); t.start(); t.start()
t = threading.Thread(); t.start(); t.join("x")
t = threading.Thread(); t.start(); t.join(-1)
threading.current_thread().join()
threading.Thread(name=5).name
threading.Thread(daemon=5).daemon
threading.Timer()
threading.local(5)
threading.local().x
threading.stack_size("x")
queue.Queue("x")
queue.Queue(-1).full()
queue.Queue().get(timeout=-1)
queue.Queue().get(timeout="x")
queue.Queue().get(False)
queue.Queue().get_nowait()
queue.Queue(1).put(1, timeout=-1)
q = queue.Queue(1); q.put(1); q.put(2, timeout=-1)
q = queue.Queue(1); q.put(1); q.put(2, timeout="x")
q = queue.Queue(1); q.put(1); q.put_nowait(2)
queue.Queue().task_done()
queue.PriorityQueue().put()
q = queue.PriorityQueue(); q.put(1); q.put("x")
q = queue.PriorityQueue(); q.put((1, {})); q.put((1, {}))
queue.SimpleQueue().get(timeout=-1)
queue.SimpleQueue().get(timeout="x")
queue.SimpleQueue().get(False)
queue.SimpleQueue(5)
queue.LifoQueue(maxsize="x").put(1)
time.sleep("x")
time.sleep(-1)
time.sleep()
time.sleep(None)
time.time(1)
random.choice([])
random.choice(5)
random.randint(2, 1)
random.randrange(0)
random.randrange(1, 2, 0)
random.sample([1], 2)
random.sample({1}, 1)
random.sample([1], -1)
random.shuffle((1, 2))
random.choices([], k=1)
random.choices([1], weights=[1, 2])
random.uniform("a", 1)
random.getrandbits(-1)
random.seed([])
random.random(1)
contextlib.contextmanager(5)
contextlib.contextmanager(5)()
contextlib.contextmanager(lambda: 5)()
contextlib.contextmanager(lambda: 5)().__enter__()
contextlib.contextmanager(lambda: iter([1]))().__enter__()
m = contextlib.contextmanager(lambda: iter([1]))(); m.__enter__(); m.__exit__(None, None, None)
m = contextlib.contextmanager(lambda: iter([1, 2]))(); m.__enter__(); m.__exit__(None, None, None)
m = contextlib.contextmanager(lambda: iter([1]))(); m.__enter__(); m.__exit__(ValueError, ValueError(), None)
contextlib.contextmanager(lambda: iter([]))().__enter__()
contextlib.closing(5).__exit__(None, None, None)
contextlib.ExitStack().enter_context(5)
contextlib.ExitStack().push(5)
contextlib.ExitStack().callback()
contextlib.suppress(5).__exit__(ValueError, ValueError(), None)
contextlib.nullcontext(1, 2)
contextlib.redirect_stdout()
functools.partial()
functools.partial(5)
functools.partial(print, 1)(sep=5)
functools.reduce(lambda a, b: a, [])
functools.reduce(5, [1, 2])
functools.reduce(lambda a, b: a, 5)
functools.lru_cache("x")
functools.lru_cache(-1)(lambda: 1)()
functools.lru_cache()(lambda x: x)([])
functools.cache(5)
functools.cmp_to_key(5)(1) < functools.cmp_to_key(5)(2)
functools.singledispatch(lambda x: 1)()
functools.total_ordering(type("A", (), {}))
functools.wraps(5)(lambda: 1)
functools.cached_property(lambda self: 1).__get__(object())
itertools.count("x")
itertools.count(1, "x")
itertools.cycle(5)
itertools.repeat(1, "x")
itertools.islice([1], -1)
itertools.islice([1], "x")
list(itertools.islice([1, 2, 3], 0, 3, 0))
itertools.chain(5).__next__()
list(itertools.chain.from_iterable([1]))
list(itertools.zip_longest([1], 5))
itertools.product([1], repeat=-1)
itertools.product([1], repeat="x")
itertools.permutations([1], -1)
itertools.combinations([1], -1)
itertools.combinations([1])
list(itertools.groupby([1], 5))
list(itertools.accumulate([1, "a"]))
list(itertools.starmap(print, [5]))
itertools.tee([1], -1)
itertools.tee(5)
list(itertools.compress(5, [1]))
list(itertools.takewhile(5, [1]))
list(itertools.filterfalse(5, [1]))
list(itertools.pairwise(5))
next(itertools.repeat(1, 0))
futures.ThreadPoolExecutor(0)
futures.ThreadPoolExecutor(-1)
futures.ThreadPoolExecutor("x")
futures.ThreadPoolExecutor(1).submit()
futures.ThreadPoolExecutor(1).submit(5).result()
e = futures.ThreadPoolExecutor(1); e.shutdown(); e.submit(print)
futures.ThreadPoolExecutor(1).map(5, [1])
list(futures.ThreadPoolExecutor(1).map(int, ["x"]))
list(futures.ThreadPoolExecutor(1).map(int, ["1"], timeout="x"))
futures.ThreadPoolExecutor(1, initializer=5)
futures.Future().result(timeout=0)
futures.Future().result(timeout="x")
futures.Future().exception(timeout=0)
f = futures.Future(); f.set_result(1); f.set_result(2)
f = futures.Future(); f.cancel(); f.result()
futures.wait([5])
futures.wait(5)
futures.wait([futures.Future()], timeout="x")
futures.wait([], return_when="x")
f = futures.Future(); f.set_result(1); futures.wait([f], return_when="x")
list(futures.as_completed([5]))
list(futures.as_completed([futures.Future()], timeout=0))
uuid.UUID("x")
uuid.UUID(5)
uuid.UUID(int=-1)
logging.getLogger(5)
logging.log("x", "a")
logging.info("%d", "x")
logging.Logger()
datetime.datetime(2020, 13, 1)
datetime.datetime("x")
datetime.datetime.now("x")
datetime.timedelta("x")
datetime.date(2020, 1, 1) < datetime.datetime(2020, 1, 1)
datetime.datetime.fromisoformat("x")
datetime.datetime.combine(5, 5)
datetime.datetime.now().strftime(5)
datetime.datetime.now().isoformat(5)
datetime.datetime.now().astimezone("x")
datetime.datetime.now().weekday(1)
datetime.date.today() + 1
datetime.date.today() + datetime.timedelta(1) > 5
time.localtime("x")
time.ctime("x")
time.strftime(5)
threading.Event().wait(float('inf'))
threading.Event().wait(1e10)
queue.Queue().get(timeout=float('inf'))
queue.SimpleQueue().get(timeout=1e10)
threading.Semaphore(0).acquire(timeout=1e10)
t = threading.Thread(); t.join(1e10)
c = threading.Condition(); c.acquire(); c.wait(float('inf'))
threading.stack_size(5)
threading.stack_size(65536); seen.append(threading.stack_size(0))
futures.Future().result(timeout=float('inf'))
e = threading.Event(); e.set(); e.wait('x')
e = threading.Event(); e.set(); e.wait(1e10)
""".splitlines()


def program(calls):
    """Appends to `seen` what becomes of each call. Imports only what they name: that takes longest to compile."""
    imports = [text for name, text in MODULES.items() if any(f"{name}." in call for call in calls)]
    tries = [
        "try:\n"
        + "".join(f"    {statement}\n" for statement in call.split("; "))
        + "    seen.append('returned')\nexcept Exception as error:\n    seen.append(type(error).__name__)\n"
        for call in calls
    ]
    return "\n".join([*imports, "seen = []", *tries])


def groups():
    """Calls of one module together, but alone where threads run."""
    found = {}
    for call in CALLS:
        has_threads = "start()" in call or "Executor" in call
        module = next(name for name in MODULES if f"{name}." in call)
        found.setdefault(call if has_threads else module, []).append(call)
    return found


def in_cpython(programs):
    """In one process that nobody waits for: some leave threads behind."""
    text = (
        "import json, os, sys, warnings\nwarnings.simplefilter('ignore')\nfound = {}\n"
        "for name, text in json.load(sys.stdin).items():\n    names = {}\n    exec(text, names)\n"
        "    found[name] = repr(names['seen'])\nprint(json.dumps(found), flush=True)\nos._exit(0)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", text],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(run.stdout.splitlines()[-1])


def test_wrong_arguments_fail_as_in_cpython():
    programs = {name: program(calls) for name, calls in groups().items()}
    expected = in_cpython(programs)
    found = outcomes_on_machine(programs)
    differing = {
        name: (expected[name], found[name]) for name in programs if found[name] != {(expected[name], None)}
    }
    assert differing == {}
