"""Run a threaded program in CPython under random schedules: a second opinion on its verdict.

    python tests/python/random_schedules.py PROGRAM [RUNS] [SEED]

Every thread of the program is a real one, but only the holder of a baton runs. The baton may
change hands before each bytecode of the program and in each blocking call, so lost updates,
deadlocks and broken invariants show up far more often than in an undisturbed run. What is found is
real; what is not found proves nothing. It stops at the first violation and prints one JSON object: the
number of `runs`, how the last one ended (`ending`), the `message` and the `seed`.

Run it as a process of its own: it replaces parts of `threading` for good.
"""

import _thread
import concurrent.futures.thread
import contextlib
import io
import json
import os
import queue
import random
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable
from pathlib import Path

STEP_LIMIT = 5_000  # hand-overs after which a run that goes on for ever is left


class Abandoned(BaseException):
    """Ends the threads of a run that is over."""


class Task:
    """A thread of the program, as the scheduler sees it."""

    def __init__(self, thread):
        self.thread = thread
        self.go = _thread.allocate_lock()
        self.go.acquire()
        self.ready: Callable[[], bool] | None = None  # what it waits for
        self.may_time_out = False
        self.finished = False
        self.priority = 0.0


class Scheduler:
    """One run: who holds the baton, and how the run ended."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.switching = self.random.choice((0.02, 0.1, 0.3, 1.0))
        self.by_priority = self.random.random() < 0.5
        self.tasks: list[Task] = []
        self.current: Task | None = None
        self.steps = 0
        self.atomic_depth = 0
        self.invariants: list[tuple[str, Callable[[], bool]]] = []
        self.ending: tuple[str, str] | None = None
        self.is_over = _thread.allocate_lock()
        self.is_over.acquire()
        self.running = 0

    def end(self, kind: str, message: str = "") -> None:
        if self.ending is None:
            self.ending = (kind, message)
            for task in self.tasks:
                if task is not self.current and not task.finished:
                    task.go.release()

    def add(self, task: Task) -> None:
        task.priority = self.random.random()
        self.tasks.append(task)
        self.running += 1

    def hand_over(self, *, finished: bool = False) -> None:
        """Let a thread chosen at random go on; return when it is the caller's turn again."""
        me = self.current
        assert me is not None
        if self.ending is not None:
            raise Abandoned
        if finished:
            me.finished = True
            if all(task.finished or task.thread.daemon for task in self.tasks):
                self.end("ok")
                return
        self.steps += 1
        if self.steps > STEP_LIMIT:
            self.end("limit")
            raise Abandoned
        free = [t for t in self.tasks if not t.finished and (t.ready is None or t.ready())]
        late = [t for t in self.tasks if not t.finished and t not in free and t.may_time_out]
        if late and (not free or self.random.random() < 0.1):
            free = late
        if not free:
            self.end("deadlock", ", ".join(t.thread.name for t in self.tasks if not t.finished))
            if finished:
                return
            raise Abandoned
        if self.by_priority:
            if self.random.random() < 0.03:
                self.random.choice(free).priority = self.random.random()
            chosen = max(free, key=lambda task: task.priority)
        else:
            chosen = self.random.choice(free)
        if chosen is me:
            return
        self.current = chosen
        chosen.go.release()
        if not finished:
            me.go.acquire()
            if self.ending is not None:
                raise Abandoned

    def wait_for(self, ready: Callable[[], bool], *, may_time_out: bool = False) -> bool:
        me = self.current
        assert me is not None
        me.ready, me.may_time_out = ready, may_time_out
        self.hand_over()
        me.ready, me.may_time_out = None, False
        return ready()

    def at_bytecode(self) -> None:
        if self.ending is not None:
            raise Abandoned
        if self.atomic_depth:
            return
        for name, predicate in self.invariants:
            if not predicate():
                self.end("invariant", name)
                raise Abandoned
        if self.random.random() < self.switching:
            self.hand_over()


scheduler: Scheduler = None  # type: ignore[assignment]


class Lock:
    def __init__(self):
        self.owner: Task | None = None

    def acquire(self, blocking=True, timeout=-1):
        if scheduler.ending is not None:
            raise Abandoned
        if blocking and not scheduler.wait_for(lambda: self.owner is None, may_time_out=timeout >= 0):
            return False
        if self.owner is not None:
            return False
        self.owner = scheduler.current
        return True

    def release(self):
        if scheduler.ending is not None:
            return
        if self.owner is None:
            raise RuntimeError("release unlocked lock")
        self.owner = None

    def locked(self):
        return self.owner is not None

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()


class RLock:
    def __init__(self):
        self.owner: Task | None = None
        self.depth = 0

    def acquire(self, blocking=True, timeout=-1):
        if scheduler.ending is not None:
            raise Abandoned
        me = scheduler.current
        if self.owner is not me:
            if blocking and not scheduler.wait_for(lambda: self.owner is None, may_time_out=timeout >= 0):
                return False
            if self.owner is not None:
                return False
            self.owner = me
        self.depth += 1
        return True

    def release(self):
        if scheduler.ending is not None:
            return
        if self.owner is not scheduler.current:
            raise RuntimeError("cannot release un-acquired lock")
        self.depth -= 1
        if self.depth == 0:
            self.owner = None

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()

    def _is_owned(self):
        return self.owner is scheduler.current

    def _release_save(self):
        depth, self.owner, self.depth = self.depth, None, 0
        return depth

    def _acquire_restore(self, depth):
        self.acquire()
        self.depth = depth


class Thread:
    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        number = len(scheduler.tasks)
        self._target, self._args, self._kwargs = target, args, kwargs or {}
        self.name = name or f"Thread-{number}"
        self.daemon = bool(daemon) if daemon is not None else False
        self._task: Task | None = None
        self.ident: int | None = None

    def start(self):
        if self._task is not None:
            raise RuntimeError("threads can only be started once")
        self._task = Task(self)
        self.ident = len(scheduler.tasks) + 1
        scheduler.add(self._task)
        _thread.start_new_thread(self._bootstrap, (scheduler,))
        scheduler.hand_over()

    def _bootstrap(self, run: Scheduler):
        assert self._task is not None
        self._task.go.acquire()
        try:
            if run.ending is None:
                sys.settrace(trace)
                try:
                    self.run()
                finally:
                    sys.settrace(None)
                run.hand_over(finished=True)
        except Abandoned:
            pass
        except SystemExit:
            with contextlib.suppress(Abandoned):
                run.hand_over(finished=True)
        except BaseException as problem:
            kind = "assertion" if isinstance(problem, AssertionError) else "exception"
            run.end(kind, traceback.format_exception_only(problem)[-1].strip())
        finally:
            self._task.finished = True
            run.running -= 1
            if run.running == 0:
                run.is_over.release()

    def run(self):
        if self._target:
            self._target(*self._args, **self._kwargs)

    def join(self, timeout=None):
        task = self._task
        if task is None:
            raise RuntimeError("cannot join thread before it is started")
        scheduler.wait_for(lambda: task.finished, may_time_out=timeout is not None)

    def is_alive(self):
        return self._task is not None and not self._task.finished


class Timer(Thread):
    def __init__(self, interval, function, args=None, kwargs=None):
        super().__init__()
        self.interval = interval
        self.function, self.args, self.kwargs = function, args or [], kwargs or {}
        self.finished = threading.Event()

    def cancel(self):
        self.finished.set()

    def run(self):
        self.finished.wait(self.interval)
        if not self.finished.is_set():
            self.function(*self.args, **self.kwargs)
        self.finished.set()


PROGRAM = ""


def trace(frame, event, argument):
    if frame.f_code.co_filename != PROGRAM:
        return None
    frame.f_trace_opcodes = True
    frame.f_trace_lines = False
    return at_event


def at_event(frame, event, argument):
    if event == "opcode":
        scheduler.at_bytecode()
    return at_event


@contextlib.contextmanager
def atomic():
    scheduler.hand_over()
    scheduler.atomic_depth += 1
    try:
        yield
    finally:
        scheduler.atomic_depth -= 1


def assume(condition):
    if not condition:
        scheduler.end("assumed away")
        raise Abandoned


def replace_libraries() -> None:
    threading.Lock = threading._allocate_lock = Lock  # type: ignore[assignment, attr-defined]
    threading.RLock = RLock  # type: ignore[assignment, misc]
    threading.Thread = Thread  # type: ignore[assignment, misc]
    threading.Timer = Timer  # type: ignore[assignment, misc]
    threading.current_thread = lambda: scheduler.current.thread  # type: ignore[assignment, union-attr]
    threading.get_ident = lambda: scheduler.current.thread.ident  # type: ignore[assignment, union-attr]
    queue.SimpleQueue = queue._PySimpleQueue  # type: ignore[attr-defined, misc]
    time.sleep = lambda seconds: scheduler.hand_over()
    library = types.ModuleType("assay")
    library.choose = lambda *options: scheduler.random.choice(options)  # type: ignore[attr-defined]
    library.invariant = lambda predicate, *, name="": (  # type: ignore[attr-defined]
        scheduler.invariants.append((name, predicate))
    )
    library.atomic = atomic  # type: ignore[attr-defined]
    library.assume = assume  # type: ignore[attr-defined]
    sys.modules["assay"] = library


def run_once(code: types.CodeType, seed: int) -> tuple[str, str]:
    global scheduler  # noqa: PLW0603
    scheduler = Scheduler(seed)
    concurrent.futures.thread._global_shutdown_lock = Lock()  # type: ignore[attr-defined]
    module = types.ModuleType("__main__")  # dataclasses look their module up
    sys.modules["__main__"] = module
    main = Thread(target=exec, args=(code, module.__dict__), name="MainThread")
    main._task = Task(main)
    main.ident = 1
    scheduler.add(main._task)
    scheduler.current = main._task
    _thread.start_new_thread(main._bootstrap, (scheduler,))
    main._task.go.release()
    scheduler.is_over.acquire()
    assert scheduler.ending is not None
    return scheduler.ending


def main() -> None:
    global PROGRAM  # noqa: PLW0603
    PROGRAM = str(Path(sys.argv[1]).resolve())
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    first_seed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    code = compile(Path(PROGRAM).read_bytes(), PROGRAM, "exec")
    replace_libraries()
    output, sys.stdout = sys.stdout, io.StringIO()  # what the program prints is nobody's concern
    for seed in range(first_seed, first_seed + runs):
        kind, message = run_once(code, seed)
        if kind not in {"ok", "limit", "assumed away"}:
            break
    report = {"runs": seed - first_seed + 1, "ending": kind, "message": message, "seed": seed}
    print(json.dumps(report), file=output, flush=True)
    os._exit(0)  # an ordinary exit would join threads through what was replaced


if __name__ == "__main__":
    main()
