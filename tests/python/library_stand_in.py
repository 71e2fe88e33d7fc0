"""Runs the libraries of the Python machine on plain CPython, under a scheduler that knows every choice.

`_assay` is played by real threads of which one runs at a time: a thread stops before each atomic piece, and
the scheduler says who goes on. Threads switch nowhere else, so programs must touch shared data under locks
only. All choices of a run are numbers; `outcomes` runs a program once for each sequence of them (or for
random ones) and gives the set of what came out. `threading` and `queue` can also be CPython's own files on
top of the model of `_thread`, which is what the models are compared with.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib
import importlib.util
import random
import sys
import threading as real_threading
import types
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2] / "src" / "assay" / "languages" / "python" / "library"
STEPS_OF_A_RUN = 2000


TRACEBACK = object()  # what stands for every traceback


def own_attribute(instance, name):
    """`_assay.own_attribute`."""
    if not hasattr(instance, "__dict__"):
        return None
    return (name in vars(instance), vars(instance).get(name))


class Blocked(BaseException):
    """`_assay.block()`: the piece is not possible now."""


class Abandoned(BaseException):
    """Ends a thread when the run is over."""


class Redundant(BaseException):
    """The rest of this run is the rest of another one."""


class Violation(BaseException):
    """`_assay.fail`."""


class Unsupported(BaseException):
    """The program asked for something that a library does not model."""


class Worker:
    """A thread of the program."""

    def __init__(self, identity, call, daemon):
        self.identity = identity
        self.call = call
        self.daemon = daemon
        self.go = real_threading.Semaphore(0)
        self.finished = False
        self.depth = 0  # of atomic pieces


class Scheduler:
    """One run. `choices` are taken as given; beyond them the first alternative, or a random one, is taken."""

    def __init__(self, choices=(), generator=None):
        self.given = list(choices)
        self.generator = generator
        self.staying = generator.choice((0, 0.5, 0.8, 0.95)) if generator else 0
        self.taken = []  # (chosen, number of alternatives)
        self.workers = []
        self.running = None
        self.back = real_threading.Semaphore(0)
        self.blocked = []
        self.lowest = 0
        self.abandoning = False
        self.problem = None
        self.output = []

    def decide(self, count):
        place = len(self.taken)
        if place < len(self.given):
            chosen = self.given[place]
        else:
            chosen = self.generator.randrange(count) if self.generator else 0
        self.taken.append((chosen, count))
        return chosen

    def next_of(self, ready):
        """Random runs mostly stay with a thread, so that they also see one thread far ahead of the others."""
        if self.generator and self.running in ready and self.generator.random() < self.staying:
            return self.running
        return ready[self.decide(len(ready))] if len(ready) > 1 else ready[0]

    # Called by threads of the program

    def stop(self):
        """Gives the control away and waits for its turn."""
        me = self.running
        self.back.release()
        me.go.acquire()
        if self.abandoning:
            raise Abandoned

    def atomic(self, function):
        @functools.wraps(function)
        def piece(*args, **kwargs):
            me = self.running
            if me.depth or self.abandoning:
                return function(*args, **kwargs)
            while True:
                self.stop()
                me.depth += 1
                try:
                    result = function(*args, **kwargs)
                except Blocked:
                    self.blocked.append(me)
                    continue
                except BaseException:
                    self.blocked.clear()
                    raise
                finally:
                    me.depth -= 1
                self.blocked.clear()
                return result

        return piece

    def start(self, identity, function, args, kwargs, daemon):
        self.add(identity, lambda: function(*args, **kwargs), daemon)

    def add(self, identity, call, daemon):
        worker = Worker(identity, call, daemon)
        self.workers.append(worker)
        real_threading.Thread(target=self.live, args=(worker,), daemon=True).start()

    def live(self, worker):
        worker.go.acquire()
        try:
            if not self.abandoning:
                worker.call()
        except Abandoned:
            pass
        except BaseException as problem:
            if not self.abandoning:
                self.problem = problem
        worker.finished = True
        self.back.release()

    # The scheduler's own thread

    def run(self, main):
        """How the run ended: None, "deadlock", or the exception that left a thread."""
        self.add(None, main, daemon=False)
        lowest = 0
        try:
            for _ in range(STEPS_OF_A_RUN):
                alive = [worker for worker in self.workers if not worker.finished]
                if all(worker.daemon for worker in alive):
                    return None
                ready = [worker for worker in alive if worker not in self.blocked]
                if not ready:
                    return "deadlock"
                if not self.blocked:
                    lowest = 0
                if self.generator is None:
                    ready = [worker for worker in ready if self.workers.index(worker) >= lowest]
                    if not ready:
                        raise Redundant
                worker = self.next_of(ready)
                lowest = self.workers.index(worker)
                self.running = worker
                worker.go.release()
                self.back.acquire()
                if worker.finished:
                    self.blocked.clear()
                if self.problem is not None:
                    if isinstance(self.problem, SystemExit):
                        self.problem = None
                        continue
                    return self.problem
            raise AssertionError("a run takes too many steps; the program must end")
        finally:
            self.abandoning = True
            for worker in self.workers:
                while not worker.finished:
                    self.running = worker
                    worker.go.release()
                    self.back.acquire()

    def module(self, mentions):
        """What libraries import as `_assay`."""
        module = types.ModuleType("_assay")

        def block():
            raise Blocked

        def fail(kind, message):
            raise Violation(f"{kind}: {message}")

        def unsupported(text):
            raise Unsupported(text)

        def adopt(identity):
            self.running.identity = identity

        def assume(condition):
            if not condition:
                raise Redundant

        module.atomic = self.atomic
        module.early = lambda assumption: self.atomic
        module.observes = lambda assumption: None
        module.is_unchanged = lambda container, items: tuple(container) == items
        module.own_attribute = own_attribute
        module.traceback = lambda: TRACEBACK
        module.block = block
        module.choose = self.decide
        module.current = lambda: self.running.identity
        module.adopt = adopt
        module.start = self.start
        module.pause = self.atomic(lambda: None)
        module.begin_atomic = self.begin
        module.end_atomic = self.end
        module.assume = assume
        module.invariant = lambda function, name: None
        module.fail = fail
        module.unsupported = unsupported
        module.remark = lambda text: None
        module.handled = sys.exception
        module.write = self.output.append
        module.is_single = lambda: len([w for w in self.workers if not w.finished]) == 1
        module.mentions = mentions
        return module

    def begin(self):
        if not self.running.depth:
            self.stop()
        self.running.depth += 1

    def end(self):
        self.running.depth -= 1


class Modules:
    """Imports as programs under the machine see them; `own` are modules from CPython's files instead."""

    def __init__(self, scheduler, mentions=lambda name: True, own=()):
        self.loaded = {"_assay": scheduler.module(mentions)}
        self.own = set(own)
        if self.own:
            self.loaded["time"] = clock(scheduler)
        self.namespace = dict(vars(builtins))
        self.namespace["__import__"] = self.import_module

    def file_of(self, name):
        if name.partition(".")[0] in self.own or name in self.own:
            return Path(importlib.util.find_spec(name).origin)
        for path in (
            LIBRARY.joinpath(*name.split(".")).with_suffix(".py"),
            LIBRARY.joinpath(*name.split("."), "__init__.py"),
        ):
            if path.exists():
                return path
        return None

    def load(self, name):
        if name in self.loaded:
            return self.loaded[name]
        package, _, last = name.rpartition(".")
        parent = self.load(package) if package else None
        if name == "_queue" and "queue" in self.own:
            raise ImportError(name)
        path = self.file_of(name)
        if path is None:
            module = importlib.import_module(name)
        else:
            module = types.ModuleType(name)
            module.__dict__["__builtins__"] = self.namespace
            module.__file__ = str(path)
            if path.name == "__init__.py":
                module.__path__ = [str(path.parent)]
            self.loaded[name] = module
            exec(compiled(path), module.__dict__)
        self.loaded[name] = module
        if parent is not None:
            setattr(parent, last, module)
        return module

    def import_module(self, name, namespace=None, local=None, names=(), level=0):
        assert level == 0
        module = self.load(name)
        if names:
            for wanted in names:
                if not hasattr(module, wanted) and hasattr(module, "__path__"):
                    self.load(f"{name}.{wanted}")
            return module
        return self.loaded.get(name.partition(".")[0], module)


def clock(scheduler):
    """A clock for CPython's own modules: now and then much time has gone by."""
    module = types.ModuleType("time")
    now = [0.0]

    def monotonic():
        now[0] += 100 * scheduler.decide(2)
        return now[0]

    module.monotonic = module.time = module.perf_counter = monotonic
    module.sleep = lambda seconds: scheduler.atomic(lambda: None)()
    return module


@functools.cache
def compiled(path):
    return compile(path.read_text(), str(path), "exec")


def run_once(source, scheduler, *, mentions=lambda name: True, own=()):
    """The outcome of one run: what the program left in `seen`, and how it ended."""
    modules = Modules(scheduler, mentions, own)
    namespace = {"__name__": "__main__", "__builtins__": modules.namespace, "seen": []}

    def main():
        exec(source, namespace)
        if "threading" in modules.loaded:
            modules.loaded["threading"]._shutdown()

    end = scheduler.run(main)
    if isinstance(end, Redundant):
        raise end
    if isinstance(end, Violation | AssertionError) and not str(end):
        end = type(end).__name__
    elif isinstance(end, BaseException):
        end = f"{type(end).__name__}: {end}"
    return (repr(namespace["seen"]), end)


def outcomes(source, *, own=(), mentions=lambda name: True, most=200_000):
    """All outcomes of a program, whoever runs when."""
    code = compile(source, "<program>", "exec")
    found = set()
    choices = []
    for _ in range(most):
        scheduler = Scheduler(choices)
        with contextlib.suppress(Redundant):
            found.add(run_once(code, scheduler, own=own, mentions=mentions))
        taken = scheduler.taken
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return found
        choices = [chosen for chosen, _ in taken]
        choices[-1] += 1
    raise AssertionError(f"more than {most} runs")


def some_outcomes(source, *, own=(), runs=300, seed=1):
    """Outcomes of random runs."""
    code = compile(source, "<program>", "exec")
    generator = random.Random(seed)
    found = set()
    for _ in range(runs):
        found.add(run_once(code, Scheduler((), generator), own=own))
    return found


def sequentially(source):
    """What a program with one thread leaves in `seen`, with the libraries of the machine."""
    return run_once(compile(source, "<program>", "exec"), Scheduler())
