"""threading and queue, as the documentation and CPython's own `threading.py` have them.

Every operation is a generator: it yields what it waits for and goes on when the explorer lets it. An
operation that may block is enabled while it can go on at once; one with a timeout may also expire while it
cannot. Nothing here looks at clocks.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tests.python.oracle.values import Nameless, Raised, Unsupported

Steps = Generator["Pending", Any, Any]


class Pending:
    """What a thread stands before: a place where the others may go first."""

    def alternatives(self) -> tuple[str, ...]:
        """The ways this thread can go on from here; none while it is blocked."""
        raise NotImplementedError


@dataclass(eq=False)
class Switch(Pending):
    """A place where another thread may run; this one is never blocked here."""

    def alternatives(self) -> tuple[str, ...]:
        return ("go",)


SWITCH = Switch()


@dataclass(eq=False)
class Until(Pending):
    """Blocked until `target` is ready for an event; with a timeout, the wait may expire while it is not."""

    target: Any
    event: str
    subject: Any
    timed: bool

    def alternatives(self) -> tuple[str, ...]:
        if self.target.ready(self.event, self.subject):
            return ("go",)
        return ("expire",) if self.timed else ()


@dataclass(eq=False)
class Choice(Pending):
    """`assay.choose`: this thread goes on at once, with any of the values."""

    count: int

    def alternatives(self) -> tuple[str, ...]:
        return tuple(map(str, range(self.count)))


@dataclass(eq=False)
class Label(Pending):
    """`assay.label`: this thread stands at a place with a name, and is never blocked there."""

    name: str

    def alternatives(self) -> tuple[str, ...]:
        return ("go",)


@dataclass(eq=False, repr=False)
class SynchronisationObject(Nameless):
    methods: ClassVar[frozenset[str]] = frozenset()
    attributes: ClassVar[frozenset[str]] = frozenset()
    written_in_python: ClassVar[bool] = True  # in CPython: it polls inside, also on the way of an exception

    def call(self, name: str, thread: Thread, arguments: list[Any], keywords: dict[str, Any]) -> Steps:
        if name not in self.methods:
            raise Unsupported(f"{type(self).__name__}.{name}")
        steps: Steps = getattr(self, name)(thread, *arguments, **keywords)
        return steps

    def enter(self, thread: Thread) -> Steps:
        return self.call("acquire", thread, [], {})

    def leave(self, thread: Thread) -> Steps:
        return self.call("release", thread, [], {})

    def ready(self, event: str, subject: Any) -> bool:
        raise NotImplementedError


def error(kind: type[BaseException], *arguments: Any) -> Raised:
    return Raised(kind(*arguments))


def check_timeout(timeout: Any) -> None:
    if timeout is not None and not isinstance(timeout, int | float):
        raise Unsupported("a timeout that is no number")


@dataclass(eq=False, repr=False)
class Lock(SynchronisationObject):
    methods = frozenset({"acquire", "release", "locked"})
    written_in_python = False
    held: bool = False

    def ready(self, event: str, subject: Any) -> bool:
        return not self.held

    def acquire(self, thread: Thread, blocking: Any = True, timeout: float = -1) -> Steps:
        check_timeout(timeout)
        if not blocking and timeout != -1:
            raise error(ValueError, "can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise error(ValueError, "timeout value must be a non-negative number")
        if blocking and timeout != 0:
            how = yield Until(self, "free", thread, timeout > 0)
            if how == "expire":
                return False
        else:
            yield SWITCH
            if not self.ready("free", thread):
                return False
        self.take(thread)
        return True

    def take(self, thread: Thread) -> None:
        self.held = True

    def release(self, thread: Thread) -> Steps:
        yield SWITCH
        if not self.held:
            raise error(RuntimeError, "release unlocked lock")
        self.held = False

    def locked(self, thread: Thread) -> Steps:
        yield SWITCH
        return self.held

    # What Condition needs of its lock.

    def counts_as_owned_by(self, thread: Thread) -> bool:
        return self.held  # as in CPython, whoever holds it

    def give_up(self, thread: Thread) -> int:
        self.held = False
        return 1

    def restore(self, thread: Thread, depth: int) -> None:
        self.held = True


@dataclass(eq=False, repr=False)
class RLock(Lock):
    methods = frozenset({"acquire", "release"})
    owner: Thread | None = None
    depth: int = 0

    def ready(self, event: str, subject: Any) -> bool:
        return self.owner is None or self.owner is subject

    def take(self, thread: Thread) -> None:
        self.owner = thread
        self.depth += 1

    def release(self, thread: Thread) -> Steps:
        yield SWITCH
        if self.owner is not thread:
            raise error(RuntimeError, "cannot release un-acquired lock")
        self.depth -= 1
        if self.depth == 0:
            self.owner = None

    def counts_as_owned_by(self, thread: Thread) -> bool:
        return self.owner is thread

    def give_up(self, thread: Thread) -> int:
        depth, self.depth, self.owner = self.depth, 0, None
        return depth

    def restore(self, thread: Thread, depth: int) -> None:
        self.owner, self.depth = thread, depth


@dataclass(eq=False, repr=False)
class Waiter(Nameless):
    """One thread in the queue of a condition."""

    lock: Lock
    thread: Thread
    notified: bool = False


@dataclass(eq=False)
class Notification(Pending):
    """Blocked in `Condition.wait`: until notified and the lock is free, or, with a timeout, unnotified."""

    waiter: Waiter
    timed: bool

    def alternatives(self) -> tuple[str, ...]:
        if self.waiter.notified:
            return ("go",) if self.waiter.lock.ready("free", self.waiter.thread) else ()
        return ("expire",) if self.timed else ()


@dataclass(eq=False, repr=False)
class Condition(SynchronisationObject):
    methods = frozenset({"acquire", "release", "wait", "wait_for", "notify", "notify_all"})
    lock: Lock = field(default_factory=RLock)
    waiters: list[Waiter] = field(default_factory=list)

    def acquire(self, thread: Thread, *arguments: Any, **keywords: Any) -> Steps:
        return (yield from self.lock.acquire(thread, *arguments, **keywords))

    def release(self, thread: Thread) -> Steps:
        return (yield from self.lock.release(thread))

    def wait(self, thread: Thread, timeout: float | None = None) -> Steps:
        check_timeout(timeout)
        yield SWITCH
        if not self.lock.counts_as_owned_by(thread):
            raise error(RuntimeError, "cannot wait on un-acquired lock")
        waiter = Waiter(self.lock, thread)
        self.waiters.append(waiter)
        depth = self.lock.give_up(thread)
        how = yield Notification(waiter, timeout is not None)
        if how == "expire":
            # It stays in the queue until it has the lock again, where it may swallow a notification.
            yield Until(self.lock, "free", thread, timed=False)
        self.lock.restore(thread, depth)
        if how == "expire" and waiter in self.waiters:
            self.waiters.remove(waiter)
        return how != "expire"

    def notify(self, thread: Thread, n: int = 1) -> Steps:
        yield SWITCH
        if not self.lock.counts_as_owned_by(thread):
            raise error(RuntimeError, "cannot notify on un-acquired lock")
        for waiter in self.waiters[: max(n, 0)]:
            waiter.notified = True
        del self.waiters[: max(n, 0)]

    def notify_all(self, thread: Thread) -> Steps:
        return (yield from self.notify(thread, len(self.waiters)))


@dataclass(eq=False, repr=False)
class Semaphore(SynchronisationObject):
    methods = frozenset({"acquire", "release"})
    value: int = 1

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError("semaphore initial value must be >= 0")

    def ready(self, event: str, subject: Any) -> bool:
        return self.value > 0

    def acquire(self, thread: Thread, blocking: Any = True, timeout: float | None = None) -> Steps:
        check_timeout(timeout)
        if not blocking and timeout is not None:
            raise error(ValueError, "can't specify timeout for non-blocking acquire")
        if blocking:
            how = yield Until(self, "positive", thread, timeout is not None)
            if how == "expire":
                return False
        else:
            yield SWITCH
            if self.value == 0:
                return False
        self.value -= 1
        return True

    def release(self, thread: Thread, n: int = 1) -> Steps:
        if n < 1:
            raise error(ValueError, "n must be one or more")
        yield SWITCH
        self.check_release(n)
        self.value += n

    def check_release(self, n: int) -> None:
        pass


@dataclass(eq=False, repr=False)
class BoundedSemaphore(Semaphore):
    initial: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.initial = self.value

    def check_release(self, n: int) -> None:
        if self.value + n > self.initial:
            raise error(ValueError, "Semaphore released too many times")


@dataclass(eq=False, repr=False)
class Event(SynchronisationObject):
    methods = frozenset({"set", "clear", "is_set", "wait"})
    flag: bool = False
    waiters: list[Waiter] = field(default_factory=list)

    def set(self, thread: Thread) -> Steps:
        yield SWITCH
        self.flag = True
        for waiter in self.waiters:  # they go on even if the flag is cleared before they run
            waiter.notified = True
        self.waiters.clear()

    def clear(self, thread: Thread) -> Steps:
        yield SWITCH
        self.flag = False

    def is_set(self, thread: Thread) -> Steps:
        yield SWITCH
        return self.flag

    def wait(self, thread: Thread, timeout: float | None = None) -> Steps:
        check_timeout(timeout)
        yield SWITCH
        if self.flag:
            return True
        waiter = Waiter(FREE, thread)
        self.waiters.append(waiter)
        how = yield Notification(waiter, timeout is not None)
        if how == "expire":
            self.waiters.remove(waiter)
        return how != "expire"


FREE = Lock()  # the internal lock of an Event is held for no longer than a step


@dataclass(eq=False, repr=False)
class Barrier(SynchronisationObject):
    methods = frozenset({"wait", "reset", "abort"})
    attributes = frozenset({"parties", "n_waiting", "broken"})
    parties: int = 1
    count: int = 0
    state: str = "filling"  # "draining", "resetting", "broken"

    def ready(self, event: str, subject: Any) -> bool:
        if event == "enter":
            return self.state in {"filling", "broken"}
        return self.state != "filling"

    @property
    def broken(self) -> bool:
        return self.state == "broken"

    @property
    def n_waiting(self) -> int:
        return self.count if self.state == "filling" else 0

    def wait(self, thread: Thread, timeout: float | None = None) -> Steps:
        check_timeout(timeout)
        yield Until(self, "enter", thread, timed=False)
        if self.state == "broken":
            raise error(threading.BrokenBarrierError)
        index = self.count
        self.count += 1
        how = "go"
        if index + 1 == self.parties:
            self.state = "draining"
        else:
            how = yield Until(self, "leave", thread, timeout is not None)
        if how == "expire":
            self.state = "broken"
        failed = self.state in {"broken", "resetting"}
        self.count -= 1
        if self.count == 0 and self.state in {"draining", "resetting"}:
            self.state = "filling"
        if failed:
            raise error(threading.BrokenBarrierError)
        return index

    def reset(self, thread: Thread) -> Steps:
        yield SWITCH
        if self.count == 0:
            self.state = "filling"
        elif self.state in {"filling", "broken"}:
            self.state = "resetting"

    def abort(self, thread: Thread) -> Steps:
        yield SWITCH
        self.state = "broken"


@dataclass(eq=False, repr=False)
class Queue(SynchronisationObject):
    methods = frozenset(
        {"put", "get", "put_nowait", "get_nowait", "qsize", "empty", "full", "task_done", "join"}
    )
    attributes = frozenset({"maxsize"})
    maxsize: int = 0
    items: list[Any] = field(default_factory=list)
    unfinished: int = 0

    def ready(self, event: str, subject: Any) -> bool:
        if event == "put":
            return self.maxsize <= 0 or len(self.items) < self.maxsize
        if event == "get":
            return bool(self.items)
        return self.unfinished == 0

    def put(self, thread: Thread, item: Any, block: Any = True, timeout: float | None = None) -> Steps:
        yield from self._pass("put", thread, block, timeout, queue.Full)
        self.items.append(item)
        self.unfinished += 1

    def get(self, thread: Thread, block: Any = True, timeout: float | None = None) -> Steps:
        yield from self._pass("get", thread, block, timeout, queue.Empty)
        return self.items.pop(0)

    def _pass(self, event: str, thread: Thread, block: Any, timeout: Any, problem: type[Exception]) -> Steps:
        check_timeout(timeout)
        if block:
            if timeout is not None and timeout < 0:
                raise error(ValueError, "'timeout' must be a non-negative number")
            how = yield Until(self, event, thread, timeout is not None)
            if how == "expire":
                raise error(problem)
        else:
            yield SWITCH
            if not self.ready(event, thread):
                raise error(problem)

    def put_nowait(self, thread: Thread, item: Any) -> Steps:
        return (yield from self.put(thread, item, block=False))

    def get_nowait(self, thread: Thread) -> Steps:
        return (yield from self.get(thread, block=False))

    def qsize(self, thread: Thread) -> Steps:
        yield SWITCH
        return len(self.items)

    def empty(self, thread: Thread) -> Steps:
        yield SWITCH
        return not self.items

    def full(self, thread: Thread) -> Steps:
        yield SWITCH
        return 0 < self.maxsize <= len(self.items)

    def task_done(self, thread: Thread) -> Steps:
        yield SWITCH
        if self.unfinished == 0:
            raise error(ValueError, "task_done() called too many times")
        self.unfinished -= 1

    def join(self, thread: Thread) -> Steps:
        yield Until(self, "all done", thread, timed=False)


@dataclass(eq=False, repr=False)
class Thread(SynchronisationObject):
    """A thread of the program, and the explorer's record of it."""

    methods = frozenset({"start", "join", "is_alive", "run"})
    attributes = frozenset({"name", "daemon"})
    path: tuple[int, ...] = ()
    target: Any = None
    arguments: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    given_name: str | None = None
    daemon: bool = False
    face: Any = None  # the object of a subclass, if it has one
    started: bool = False
    finished: bool = False
    children: int = 0
    handling: list[BaseException] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    pending: Pending = SWITCH
    steps: Steps | None = None

    @property
    def name(self) -> str:
        if self.given_name is None:
            raise Unsupported("the name of a thread that was given none")
        return self.given_name

    def ready(self, event: str, subject: Any) -> bool:
        return self.finished

    def join(self, thread: Thread, timeout: float | None = None) -> Steps:
        check_timeout(timeout)
        if not self.started:
            raise error(RuntimeError, "cannot join thread before it is started")
        if self is thread:
            raise error(RuntimeError, "cannot join current thread")
        yield Until(self, "finished", thread, timeout is not None)

    def is_alive(self, thread: Thread) -> Steps:
        yield SWITCH
        return self.started and not self.finished


@dataclass(eq=False)
class Exit(Pending):
    """The main thread at the end of the module: it waits for all threads that are no daemons."""

    threads: list[Thread]

    def alternatives(self) -> tuple[str, ...]:
        others = [thread for thread in self.threads if thread.path and not thread.daemon]
        return ("go",) if all(thread.finished for thread in others) else ()
