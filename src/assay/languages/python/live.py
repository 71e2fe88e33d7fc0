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
import dis
import functools
import json
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn

SETTLE_SECONDS = 0.15  # a call that has not returned by then waits for somebody
STALL_SECONDS = 5.0  # without any progress: the run went astray
DEADLOCK_SECONDS = 1.0
TICK_SECONDS = 0.01
LINE = "line"  # an event without an access: an operation of a library, called on that line
RESUME = "resume"  # the end of a wait for a condition, when its lock is taken again

READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "LOAD_DEREF", "LOAD_CLASSDEREF")
WRITES = ("STORE_GLOBAL", "STORE_NAME", "STORE_ATTR", "STORE_DEREF", "DELETE_GLOBAL", "DELETE_ATTR")
CALLS = ("CALL", "CALL_KW", "CALL_FUNCTION_EX", "CALL_METHOD", "CALL_FUNCTION", "BEFORE_WITH")
WITHIN = (
    *CALLS,
    *("BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_SLICE", "STORE_SLICE", "FOR_ITER"),
    *("GET_ITER", "CONTAINS_OP", "COMPARE_OP", "UNPACK_SEQUENCE", "LIST_EXTEND", "BINARY_OP"),
)


@dataclass(frozen=True, slots=True)
class Event:
    index: int
    thread: str
    file: str
    line: int
    kind: str  # "read", "write" or LINE
    name: str  # the last part: of `self.count`, count


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
        self.events = [Event(index, *fields) for index, fields in enumerate(schedule["events"])]
        self.queues: dict[str, deque[Event]] = {}
        for event in self.events:
            self.queues.setdefault(event.thread, deque()).append(event)
        self.files = set(schedule["files"])
        self.passed = 0
        self.running: str | None = None  # the thread that executes the event before `passed`
        self.running_since = 0.0
        self.opened = False  # the holds are gone
        self.has_company = False  # a second thread was started
        self.last_progress = time.monotonic()
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
            if self.running == name:
                self.arrived()
            # Of what the first thread does while it is alone the schedule does not speak.
            self.has_company = self.has_company or threading.active_count() > 1
            queue = self.queues.get(name)
            if not self.has_company:
                return
            while self.kind == "invariant" and self.passed == len(self.events) and not self.opened:
                self.changed.wait()  # nobody moves while the last state is looked at
            if queue:
                if self.matches(frame, instruction, queue[0]):
                    self.pass_when_due(name, queue.popleft())
            elif not self.opened and name not in self.ended and self.running != name:
                # The last event's thread goes on: the failure is still in it.
                is_last = bool(self.events) and self.events[-1].thread == name
                while not self.opened and not is_last and touches_something(instruction):
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
        while self.passed < event.index or self.running is not None:
            self.changed.wait()
        self.running, self.running_since = name, time.monotonic()
        self.passed += 1
        self.progress()
        self.changed.notify_all()

    def arrived(self) -> None:
        self.running = None
        self.changed.notify_all()

    def progress(self) -> None:
        self.last_progress = time.monotonic()

    def matches(self, frame: FrameType, instruction: Instruction, event: Event) -> bool:
        if instruction.line != event.line or frame.f_code.co_filename != event.file:
            return False
        if event.kind == RESUME:
            return False
        if event.kind == LINE:
            return instruction.name in CALLS or not self.has_call(frame.f_code, event.line)
        if instruction.argument == event.name:
            return instruction.name in (READS if event.kind == "read" else WRITES)
        return is_within(instruction) and not self.names_it(frame.f_code, event)

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
                found[item.offset] = Instruction(item.opname, str(item.argval), at)
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
            time.sleep(TICK_SECONDS)
            with self.changed:
                now = time.monotonic()
                if self.running is not None and now > self.running_since + SETTLE_SECONDS:
                    self.arrived()
                if self.passed < len(self.events):
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
                self.answer(self, reproduced=False, message="the program came to its end")
            return
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        same = self.kind not in {"deadlock", "invariant"} and text == self.message
        self.answer(self, reproduced=same, message=text if same else f"another failure came: {text}")

    def choose(self, *options: Any) -> Any:
        from assay import plain

        if len(options) == 1:
            options = tuple(options[0])
        wanted = self.choices.get(threading.current_thread().name)
        if wanted and len(options) > 1 and wanted[0] < len(options):
            return options[wanted.popleft()]
        return plain.choose(options) if options else plain.choose()

    def invariant(self, predicate: Any, name: str | None = None) -> Any:
        self.invariants.append((str(name or getattr(predicate, "__name__", "invariant")), predicate))
        return predicate


def touches_something(instruction: Instruction) -> bool:
    return instruction.name in READS or instruction.name in WRITES or is_within(instruction)


def is_within(instruction: Instruction) -> bool:
    """Whether a bytecode may look into an object: a test of its truth does."""
    return instruction.name in WITHIN or instruction.name.startswith(("POP_JUMP", "JUMP_IF", "TO_BOOL"))


class WatchedCondition(threading.Condition):
    """A condition whose waits end when the schedule says so."""

    gates: Gates

    def __init__(self, lock: Any = None) -> None:
        super().__init__(lock)
        own: Any = self
        restore = own._acquire_restore  # noqa: SLF001

        def restore_when_due(state: object) -> None:
            caller = sys._getframe(1)  # noqa: SLF001
            while caller.f_back is not None and caller.f_locals.get("self") is self:
                caller = caller.f_back
            if caller.f_code.co_filename in self.gates.files:  # the wait is the program's own
                self.gates.resume()
            restore(state)

        own._acquire_restore = restore_when_due  # noqa: SLF001


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
    run(path, Path(path).read_bytes(), gates, schedule["invariants"])


def run(path: str, text: bytes, gates: Gates, invariants: list[str]) -> None:
    """The program as `__main__` of this process."""
    import assay

    assay.choose = gates.choose
    assay.invariant = gates.invariant
    sys.path.insert(0, str(Path(path).parent))
    sys.argv = [path]
    module = type(sys)("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    for expression in invariants:
        gates.invariants.append((expression, functools.partial(eval, expression, module.__dict__)))
    code = compile(text, path, "exec", dont_inherit=True)
    WatchedCondition.gates = gates
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
