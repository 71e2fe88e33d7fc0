"""Drives real threads of CPython along the schedule of a counterexample.

    python -m assay.languages.python.live ANSWER_FD < schedule.json

The program runs under `sys.settrace` with a trace event before every bytecode of its own files. The schedule
is a list of events: a thread, a line, and what is read or written there. Before the
bytecode that belongs to its next event, a thread waits until all earlier events have passed; a thread
that the counterexample leaves in the middle is held before it touches anything else. When all events
have passed, either the failure of the counterexample is there or it is not.

The answer is one line of JSON: `reproduced`, `passed` (events), `total`, `message`. This
is a demonstration, not a proof: the verdict rests on the machine, and a run that is
not reproduced may have gone astray here.
"""

from __future__ import annotations

import _thread
import ast
import contextlib
import dis
import functools
import hashlib
import inspect
import json
import os
import queue
import random
import re
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent import futures
from importlib.machinery import SourceFileLoader
from multiprocessing.pool import ThreadPool
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn

from assay.records import dataclass

# All of these are quiet time, in which every thread was asleep: on a busy machine a thread that could go on
# may wait long for a processor.
SETTLE_SECONDS = 0.15  # a call that has not returned by then waits for somebody
STALL_SECONDS = 5.0  # without any progress: the run went astray
DEADLOCK_SECONDS = 1.0
TICK_SECONDS = 0.01
ADDRESS = "0x\u22ef"  # in texts of the machine
LINE = "line"  # an event without an access: an operation of a library, called on that line
RESUME = "resume"  # the end of a wait for a condition, when its lock is taken again
CYCLE = "cycle"  # a kind of failure: the run goes round for ever, here twice
END = "end"  # likewise: the program ends, and what was to happen has not
FREE = "free"  # nobody else could go on, or a call goes on that has begun: the thread may run from here
ACCESSES = ("read", "write")
CELL = "cell"  # what the machine calls a variable that functions share
EXPIRES_SECONDS = 0.02  # every limited wait gives up, as in the machine: at once when its turn has come

DRAWS = ("choice", "choices", "randint", "randrange", "sample", "getrandbits")
WENT_ROUND = "the threads went round twice"
READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "LOAD_DEREF", "LOAD_CLASSDEREF")
WRITES = ("STORE_GLOBAL", "STORE_NAME", "STORE_ATTR", "STORE_DEREF", "DELETE_GLOBAL", "DELETE_ATTR")
CALLS = ("CALL", "CALL_KW", "CALL_FUNCTION_EX", "CALL_METHOD", "CALL_FUNCTION", "BEFORE_WITH")
WITHIN = (
    *CALLS,
    *("BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_SLICE", "STORE_SLICE", "FOR_ITER"),
    *("DICT_UPDATE", "DICT_MERGE", "SET_UPDATE", "FORMAT_VALUE", "UNPACK_EX"),
    *("GET_ITER", "CONTAINS_OP", "COMPARE_OP", "UNPACK_SEQUENCE", "LIST_EXTEND", "BINARY_OP"),
)
STORES = (
    *("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"),
    *("DICT_UPDATE", "DICT_MERGE", "SET_UPDATE", "LIST_EXTEND"),
)


@dataclass(frozen=True, slots=True)
class Event:
    index: int
    thread: str
    file: str
    line: int
    kind: str  # "read", "write", LINE, RESUME or FREE
    name: str  # the last part: of `self.count`, count; FREE: how many threads have been started after it


@dataclass(frozen=True, slots=True)
class Instruction:
    name: str
    argument: str
    line: int


class Gates:
    """Who may go on, and how far the schedule has come."""

    def __init__(self, schedule: dict[str, Any], answer: Callable[..., NoReturn]) -> None:
        self.answer = answer
        self.kind: str = schedule["kind"]
        self.message: str = schedule["message"]
        self.ended = set(schedule["ended"])  # threads that the counterexample sees end
        self.choices = {name: deque(values) for name, values in schedule["choices"].items()}
        self.workers = deque(schedule.get("workers", ()))  # of pools, in the order in which they take tasks
        self.packages: list[str] = schedule.get("packages", [])  # folders of an environment
        self.drawn = {name: deque(pairs) for name, pairs in schedule.get("drawn", {}).items()}
        self.events = [Event(index, *fields) for index, fields in enumerate(schedule["events"])]
        self.queues: dict[str, deque[Event]] = {}
        for event in self.events:
            self.queues.setdefault(event.thread, deque()).append(event)
        self.files = set(schedule["files"])
        self.started = 0  # threads
        # How many had been started when a thread was let free, and how many when it has started its own.
        self.freed: dict[str, tuple[int, int]] = {}
        self.passed = 0
        self.running: str | None = None  # the thread that executes the event before `passed`
        self.running_since = 0.0
        self.opened = False  # the holds are gone
        self.quiet_seconds = 0.0
        self.last_progress = 0.0
        self.invariants: list[tuple[str, Callable[[], object]]] = []
        self.changed = threading.Condition(threading.Lock())
        self._instructions: dict[CodeType, dict[int, Instruction]] = {}

    # --- in the threads of the program ---

    def trace(self, frame: FrameType, event: str, _argument: object) -> Any:
        """Of `sys.settrace`: only the program's own files are followed."""
        if event == "call" and frame.f_code.co_filename in self.files:
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
            return self.trace_inside
        return None

    def trace_inside(self, frame: FrameType, event: str, _argument: object) -> Any:
        if event == "opcode":
            self.before(frame)
        return self.trace_inside

    def before(self, frame: FrameType) -> None:
        name = threading.current_thread().name
        instruction = self.instruction(frame)
        with self.changed:
            self.progress()
            if self.running == name and not self.is_free(name):
                self.arrived()
            if self.kind == CYCLE and self.passed == len(self.events) and self.running is None:
                self.answer(self, reproduced=True, message=WENT_ROUND)
            # Of what the first thread does while it is alone the schedule does not speak.
            queue = self.queues.get(name)
            if not self.started:
                return
            while self.kind == "invariant" and self.passed == len(self.events) and not self.opened:
                self.changed.wait()  # nobody moves while the last state is looked at
            while queue and queue[0].kind == FREE and touches_something(instruction):
                if self.passed < queue[0].index and self.is_free(name):
                    break  # it still has to start somebody
                _, until = self.freed.get(name, (0, 0))
                event = queue.popleft()
                self.pass_when_due(name, event)
                self.freed[name] = self.started, max(until, int(event.name))
            if self.started < self.freed.get(name, (0, 0))[1]:
                return  # what it does before it has started the others is not what comes after
            if queue and queue[0].kind == LINE and self.is_on_the_way(frame, queue[0]):
                # A call that is several steps for the machine and one bytecode for CPython, or a step that
                # found out what the next one does on the same line.
                following = self.following(queue)
                if following is not None and self.matches(frame, instruction, following):
                    self.pass_up_to(name, queue, following)
            elif queue and len(queue) > 1 and self.is_passed_over(frame, instruction, queue[0], queue[1]):
                self.pass_up_to(name, queue, queue[0])
            if queue and self.matches(frame, instruction, queue[0]):
                event = queue.popleft()
                self.pass_when_due(name, event)
                following = self.following(queue)
                if (
                    event.kind == LINE
                    and following is not None
                    and self.is_here(frame, instruction, following)
                ):
                    self.pass_up_to(name, queue, following)
            if not queue and not self.opened and name not in self.ended and self.running != name:
                # The last event's thread goes on: the failure is still in it. So does one that still has to
                # start others.
                is_last = bool(self.events) and self.events[-1].thread == name
                while not (self.opened or is_last or self.is_free(name)) and touches_something(instruction):
                    self.changed.wait()

    def resume(self) -> None:
        """Called where a thread that was notified would take the lock of its condition again."""
        name = threading.current_thread().name
        with self.changed:
            self.progress()
            if self.running == name:
                self.arrived()
            queue = self.queues.get(name)
            if queue and queue[0].kind == RESUME:
                self.pass_when_due(name, queue.popleft())
            elif not queue and name not in self.ended:
                while not self.opened:
                    self.changed.wait()

    def pass_when_due(self, name: str, event: Event) -> None:
        if self.running == name:
            self.arrived()
        while self.passed < event.index or self.running is not None:
            self.changed.wait()
        self.running, self.running_since = name, self.quiet_seconds
        self.freed.pop(name, None)
        self.passed = max(self.passed, event.index + 1)
        self.progress()
        self.changed.notify_all()

    def is_free(self, name: str) -> bool:
        """Whether a thread that was let free has started nobody since, or has to start more."""
        since, until = self.freed.get(name, (-1, -1))
        return self.started == since or self.started < until

    def following(self, queue: deque[Event]) -> Event | None:
        """The next event that is an access."""
        first = next((event for event in queue if event.kind != FREE), None)
        if first is not None and first.kind == LINE:
            first = next((event for event in list(queue)[1:] if event.kind != FREE), None)
        return first if first is not None and first.kind not in {LINE, RESUME} else None

    def pass_up_to(self, name: str, queue: deque[Event], last: Event) -> None:
        """Passes events that belong to the same bytecode."""
        while queue:
            event = queue.popleft()
            self.pass_when_due(name, event)
            if event is last:
                break

    def is_on_the_way(self, frame: FrameType, event: Event) -> bool:
        """Whether the line of the event is the one that runs here, or has called it."""
        caller: FrameType | None = frame
        while caller is not None:
            if caller.f_lineno == event.line and caller.f_code.co_filename == event.file:
                return True
            caller = caller.f_back
        return False

    def is_here(self, frame: FrameType, instruction: Instruction, event: Event) -> bool:
        """Whether an event belongs to this bytecode as the one before did: no other is left for it."""
        later = [i for offset, i in self.instructions(frame.f_code).items() if offset > frame.f_lasti]
        matches_here = self.matches(frame, instruction, event)
        return matches_here and not any(self.matches(frame, i, event) for i in later)

    def arrived(self) -> None:
        self.running = None
        self.changed.notify_all()

    def progress(self) -> None:
        self.last_progress = self.quiet_seconds

    def matches(self, frame: FrameType, instruction: Instruction, event: Event) -> bool:
        if instruction.line != event.line or frame.f_code.co_filename != event.file:
            return False
        if event.kind in {RESUME, FREE}:
            return False
        if event.kind == LINE:
            return instruction.name in CALLS or not self.has_call(frame.f_code, event.line)
        if instruction.argument == event.name or (event.name == CELL and "DEREF" in instruction.name):
            return instruction.name in (READS if event.kind == "read" else WRITES)
        if not is_within(instruction) or self.names_it(frame.f_code, event):
            return False
        # Inside of an object: `d[k] = d.get(k) + 1` reads it in one bytecode and writes it in another.
        return may(event.kind, instruction) or not any(
            i.line == event.line and may(event.kind, i) for i in self.instructions(frame.f_code).values()
        )

    def is_passed_over(
        self, frame: FrameType, instruction: Instruction, event: Event, following: Event
    ) -> bool:
        """Whether this bytecode belongs to the next event of the line, and none before it to this one: a look
        at the class of an object (`self.__class__.limit`) has no bytecode that names the class."""
        if (event.file, event.line) != (following.file, following.line) or event.kind not in ACCESSES:
            return False
        if following.kind not in ACCESSES or following.name != instruction.argument:
            return False
        return self.matches(frame, instruction, following) and not self.matches(frame, instruction, event)

    def has_call(self, code: CodeType, line: int) -> bool:
        return any(i.line == line and i.name in CALLS for i in self.instructions(code).values())

    def names_it(self, code: CodeType, event: Event) -> bool:
        """Whether some bytecode of the line names what the event is about; else it is inside of an object."""
        kinds = READS if event.kind == "read" else WRITES
        return any(
            i.line == event.line and i.argument == event.name and i.name in kinds
            for i in self.instructions(code).values()
        )

    def instructions(self, code: CodeType) -> dict[int, Instruction]:
        found = self._instructions.get(code)
        if found is None:
            found, line = {}, code.co_firstlineno
            for item in dis.get_instructions(code):
                starts = item.starts_line
                if starts is not None and starts is not False:
                    line = starts if starts is not True else getattr(item, "line_number", line)
                positions = getattr(item, "positions", None)
                at = positions.lineno if positions is not None and positions.lineno else line
                shown = item.argrepr if item.opname == "BINARY_OP" else str(item.argval)
                found[item.offset] = Instruction(item.opname, shown, at)
            self._instructions[code] = found
        return found

    def instruction(self, frame: FrameType) -> Instruction:
        unknown = Instruction("", "", frame.f_lineno or 0)
        return self.instructions(frame.f_code).get(frame.f_lasti, unknown)

    # --- beside them ---

    def watch(self) -> None:
        """Notices calls that wait, runs that went astray, and the end of the schedule."""
        done_since: float | None = None
        while True:
            pause(TICK_SECONDS)
            nobody_could_run = others_sleep()
            with self.changed:
                if nobody_could_run:
                    self.quiet_seconds += TICK_SECONDS
                now = self.quiet_seconds
                if self.running is not None and now > self.running_since + SETTLE_SECONDS:
                    self.arrived()
                if self.passed < len(self.events):
                    is_idle = self.running is None and now > self.last_progress + SETTLE_SECONDS
                    if is_idle and self.events[self.passed].kind == FREE:
                        self.passed += 1  # it has ended, or goes on inside of a call
                        self.progress()
                        self.changed.notify_all()
                    if now > self.last_progress + STALL_SECONDS:
                        event = self.events[self.passed]
                        self.answer(
                            self,
                            reproduced=False,
                            message=f"{event.thread} never came to line {event.line} of "
                            f"{Path(event.file).name}",
                        )
                    continue
                if self.running is not None:
                    continue
                done_since = done_since or now
                if now > done_since + SETTLE_SECONDS:
                    self.look_at_the_end(now)

    def look_at_the_end(self, now: float) -> None:
        """All events have passed and nobody has failed yet."""
        if self.kind == CYCLE:
            self.answer(self, reproduced=True, message=WENT_ROUND)
        if self.kind == "invariant":
            for name, holds in self.invariants:
                try:
                    broken = not holds()
                except NameError:
                    broken = False  # not defined yet
                if broken and name == self.message:
                    self.answer(self, reproduced=True, message=name)
        if not self.opened:
            self.opened = True
            self.progress()
            self.changed.notify_all()
        elif now > self.last_progress + DEADLOCK_SECONDS:
            if self.kind == "deadlock":
                self.answer(self, reproduced=True, message="the threads that are left wait for one another")
            self.answer(self, reproduced=False, message="nothing happened when all steps had been taken")

    def failed(self, error: BaseException | None, *, is_main: bool) -> None:
        """A thread ended, with an exception or without. The first exception ends the run."""
        name = threading.current_thread().name
        with self.changed:
            if self.running == name:
                self.arrived()
            self.progress()
        if error is None or isinstance(error, SystemExit):
            if is_main:
                for thread in threading.enumerate():
                    if thread is not threading.current_thread() and not thread.daemon:
                        thread.join()
                self.answer(self, reproduced=self.kind == END, message="the program came to its end")
            return
        text = traceback.format_exception_only(error)[-1].rstrip("\n")  # as the machine says it
        same = self.kind not in {"deadlock", "invariant", CYCLE, END} and is_same_text(text, self.message)
        self.answer(self, reproduced=same, message=text if same else f"another failure came: {text}")

    def choose(self, *options: Any) -> Any:
        from assay import plain

        if len(options) == 1:
            options = tuple(options[0])
        wanted = self.choices.get(threading.current_thread().name)
        if wanted and len(options) > 1 and wanted[0] < len(options):
            return options[wanted.popleft()]
        return plain.choose(options) if options else plain.choose()

    def draw(self, name: str, function: Callable[..., Any], arguments: Any, keywords: Any) -> Any:
        """What `random` gave this thread in the counterexample, where that is a plain value."""
        given = self.drawn.get(threading.current_thread().name)
        if given and given[0][0] == name:
            with contextlib.suppress(ValueError, SyntaxError):
                return ast.literal_eval(given.popleft()[1])
        return function(*arguments, **keywords)

    def invariant(self, predicate: Any, name: str | None = None) -> Any:
        self.invariants.append((str(name or getattr(predicate, "__name__", "invariant")), predicate))
        return predicate


def others_sleep() -> bool:
    """Whether every other thread of this process waits for something else than a processor."""
    own = threading.get_native_id()
    for task in os.listdir("/proc/self/task"):  # noqa: PTH208 (ten times a second and more)
        if int(task) == own:
            continue
        try:
            with open(f"/proc/self/task/{task}/stat", encoding="ascii", errors="replace") as status:  # noqa: PTH123
                state = status.read().rpartition(")")[2].split()[0]
        except (OSError, IndexError):  # it has ended just now
            return False
        if state != "S":
            return False
    return True


def touches_something(instruction: Instruction) -> bool:
    return instruction.name in READS or instruction.name in WRITES or is_within(instruction)


def is_within(instruction: Instruction) -> bool:
    """Whether a bytecode may look into an object: a test of its truth does."""
    return instruction.name in WITHIN or instruction.name.startswith(("POP_JUMP", "JUMP_IF", "TO_BOOL"))


def may(kind: str, instruction: Instruction) -> bool:
    """Whether a bytecode that looks into an object can read, or write, what is in it."""
    if not is_within(instruction):
        return False
    stores = instruction.name in STORES or (
        instruction.name == "BINARY_OP" and instruction.argument.endswith("=")
    )
    return stores or instruction.name in CALLS if kind == "write" else instruction.name not in STORES


class WatchedCondition(threading.Condition):
    """A condition whose waits end when the schedule says so."""

    gates: Gates

    def __init__(self, lock: Any = None) -> None:
        super().__init__(lock)
        self.notified_late: set[int] = set()  # threads whose time had run out, but not yet in the schedule
        own: Any = self
        restore = own._acquire_restore  # noqa: SLF001

        def restore_when_due(state: object) -> None:
            waiting = caller = sys._getframe(1)  # noqa: SLF001
            while caller.f_back is not None and caller.f_locals.get("self") is self:
                caller = caller.f_back
            if caller.f_code.co_filename in self.gates.files:  # the wait is the program's own
                self.gates.resume()
                if waiting.f_locals.get("waiter") not in own._waiters:  # noqa: SLF001
                    self.notified_late.add(_thread.get_ident())
            restore(state)

        own._acquire_restore = restore_when_due  # noqa: SLF001

    def wait(self, timeout: float | None = None) -> bool:
        self.notified_late.discard(_thread.get_ident())
        notified = super().wait(shortened(timeout))
        return notified or _thread.get_ident() in self.notified_late


class WatchedLock:
    """`threading.Lock`, and `threading.RLock` around the other lock, for which nobody waits long."""

    def __init__(self, lock: Any = None) -> None:
        self.lock = _thread.allocate_lock() if lock is None else lock

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        taken: bool = self.lock.acquire(blocking, shortened(timeout))
        return taken

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_exception: object) -> None:
        self.lock.release()

    def __repr__(self) -> str:
        return repr(self.lock)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.lock, name)


def is_same_text(text: str, told: str) -> bool:
    """Whether a text is what the machine told, which shows no digits of addresses."""
    return re.fullmatch(re.escape(told).replace(ADDRESS, "0x[0-9a-f]+"), text) is not None


class TasksInTurn:
    """The tasks of a pool: which worker takes the next one, the schedule says."""

    gates: Gates

    def __init__(self) -> None:
        self.tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        name, gates = threading.current_thread().name, self.gates
        with gates.changed:
            while gates.workers and gates.workers[0] != name and not gates.opened:
                if not block:
                    raise queue.Empty
                gates.changed.wait()
        task = self.tasks.get(block, timeout)
        with gates.changed:
            if task is not None and gates.workers and gates.workers[0] == name:
                gates.workers.popleft()
                gates.changed.notify_all()
        return task

    def get_nowait(self) -> Any:
        return self.get(block=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tasks, name)


def take_tasks_in_turn(gates: Gates) -> None:
    TasksInTurn.gates = gates
    begin = futures.ThreadPoolExecutor.__init__

    @functools.wraps(begin)
    def with_turns(pool: Any, *arguments: Any, **keywords: Any) -> None:
        begin(pool, *arguments, **keywords)
        pool._work_queue = TasksInTurn()  # noqa: SLF001

    patched: Any = futures.ThreadPoolExecutor
    patched.__init__ = with_turns

    def in_turns(pool: Any) -> None:
        pool._inqueue, pool._outqueue = TasksInTurn(), queue.SimpleQueue()  # noqa: SLF001
        pool._quick_put, pool._quick_get = pool._inqueue.put, pool._outqueue.get  # noqa: SLF001

    patched = ThreadPool
    patched._setup_queues = in_turns  # noqa: SLF001


def shortened(timeout: Any) -> Any:
    return min(timeout, EXPIRES_SECONDS) if timeout is not None else None


def shorten_waits() -> None:
    """Lets the program's limited waits run out soon, and its sleeps be short."""
    recursive_lock = threading.RLock
    limited: list[tuple[Any, str]] = [
        (queue.Queue, "get"),
        (queue.Queue, "put"),
        (threading.Barrier, "wait"),
        (threading.Condition, "wait_for"),
        (threading.Event, "wait"),
        (threading.Semaphore, "acquire"),
        (threading.Thread, "join"),
        (futures.Future, "result"),
        (futures.Future, "exception"),
        (futures, "wait"),
        (futures, "as_completed"),
    ]
    for owner, name in limited:
        setattr(owner, name, with_shortened_timeout(getattr(owner, name)))
    patched: Any = threading
    patched.Lock = WatchedLock
    patched.RLock = lambda: WatchedLock(recursive_lock())
    time.sleep = lambda _seconds: pause(EXPIRES_SECONDS)


def draw_as_told(gates: Gates) -> None:
    for name in DRAWS:
        function = getattr(random, name)

        def drawn(
            *arguments: Any, _name: str = name, _function: Callable[..., Any] = function, **keywords: Any
        ) -> Any:
            return gates.draw(_name, _function, arguments, keywords)

        setattr(random, name, drawn)


def count_starts(gates: Gates) -> None:
    start = threading.Thread.start

    def counted(thread: threading.Thread) -> None:
        with gates.changed:
            gates.started += 1
        start(thread)

    patched: Any = threading.Thread
    patched.start = counted


pause = time.sleep


def with_shortened_timeout(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def shorter(*arguments: Any, **keywords: Any) -> Any:
        try:
            given = signature.bind(*arguments, **keywords)
        except TypeError:
            return function(*arguments, **keywords)  # fails as it does without us
        if given.arguments.get("timeout") is not None:
            given.arguments["timeout"] = shortened(given.arguments["timeout"])
        return function(*given.args, **given.kwargs)

    return shorter


def main() -> None:
    descriptor = int(sys.argv[1])
    schedule = json.load(sys.stdin)

    def answer(gates: Gates, *, reproduced: bool, message: str) -> NoReturn:
        facts = {
            "reproduced": reproduced,
            "passed": gates.passed,
            "total": len(gates.events),
            "message": message,
        }
        os.write(descriptor, json.dumps(facts).encode() + b"\n")
        os._exit(0)

    gates = Gates(schedule, answer)
    path = schedule["program"]
    texts: dict[str, bytes] = {}
    for file, digest in schedule["sha256"].items():  # of the program and of its modules
        texts[file] = Path(file).read_bytes() if Path(file).is_file() else b""
        if hashlib.sha256(texts[file]).hexdigest() != digest:
            answer(gates, reproduced=False, message="the program changed while it was read")
    import_what_was_read(texts)
    if schedule["call"]:  # of a function; its file is a module like others
        calling = f"import {Path(path).stem} as module\n{schedule['call']}\n"
        code = compile(calling, "<call>", "exec", dont_inherit=True)
    else:
        code = compile(texts[path], path, "exec", dont_inherit=True)
    run(path, code, gates, schedule["invariants"])


def import_what_was_read(texts: dict[str, bytes]) -> None:
    """Modules of the program are made of the text that was compared, whatever lies in file or cache now."""
    from_file = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        text = texts.get(self.path)
        if text is None:
            return from_file(self, fullname)
        return compile(text, self.path, "exec", dont_inherit=True)

    setattr(SourceFileLoader, "get_code", get_code)  # noqa: B010 (mypy knows a method as what it is)


def run(path: str, code: CodeType, gates: Gates, invariants: list[str]) -> None:
    """The program as `__main__` of this process."""
    import assay

    assay.choose = gates.choose
    assay.invariant = gates.invariant
    sys.path[:0] = [str(Path(path).parent), *gates.packages]
    sys.argv = [path]
    module = type(sys)("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    for expression in invariants:
        gates.invariants.append((expression, functools.partial(eval, expression, module.__dict__)))
    WatchedCondition.gates = gates
    shorten_waits()
    count_starts(gates)
    draw_as_told(gates)
    take_tasks_in_turn(gates)
    threading.Condition = WatchedCondition  # type: ignore[misc]
    threading.excepthook = lambda facts: gates.failed(facts.exc_value, is_main=False)
    threading.settrace(gates.trace)
    _thread.start_new_thread(gates.watch, ())
    sys.settrace(gates.trace)
    problem: BaseException | None = None
    try:
        exec(code, module.__dict__)  # noqa: S102 (to run it is what was asked for)
    except BaseException as error:
        problem = error
    sys.settrace(None)
    gates.failed(problem, is_main=True)


if __name__ == "__main__":
    main()
