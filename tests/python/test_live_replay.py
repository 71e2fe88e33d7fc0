"""Real threads of CPython along a schedule, mostly written by hand, so that the driver is tested alone."""

import hashlib
import os
import py_compile
from pathlib import Path

import pytest

import assay
from assay.evidence.counterexample import TraceProblem
from assay.verification.live import _drive, replay_live

RACY = """\
import threading

counter = 0


def count():
    global counter
    counter += 1


threads = [threading.Thread(target=count) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert counter == 2, f"counted to {counter}"
"""
LOCKS = """\
import threading

first, second = threading.Lock(), threading.Lock()


def take(one, other):
    with one:
        with other:
            pass


forth = threading.Thread(target=take, args=(first, second), name="forth")
back = threading.Thread(target=take, args=(second, first), name="back")
forth.start()
back.start()
"""
ONE, TWO, MAIN = "Thread-1 (count)", "Thread-2 (count)", "MainThread"
STARTS = [(MAIN, 13, "line", "")]  # the second one: of the first thread alone the schedule does not speak
JOINS = [(MAIN, 15, "line", "")] * 2


@pytest.fixture
def drive(tmp_path):
    def run(
        text,
        events,
        *,
        kind="exception",
        message="AssertionError: counted to 1",
        ended=(ONE, TWO),
        unchanged=True,
        modules=(),
    ):
        file = tmp_path / "program.py"
        file.write_text(text)
        return _drive(
            {
                "program": str(file),
                "sha256": {
                    str(file): hashlib.sha256(file.read_bytes()).hexdigest() if unchanged else "",
                    **dict(modules),
                },
                "files": [str(file)],
                "kind": kind,
                "message": message,
                "events": [[thread, str(file), *rest] for thread, *rest in events],
                "ended": list(ended),
                "choices": {},
                "invariants": [],
                "call": "",
            }
        )

    return run


def access(thread, kind, name="counter", line=8):
    return (thread, line, kind, name)


def test_a_lost_update_happens_when_both_read_before_one_writes(drive):
    outcome = drive(
        RACY,
        [
            *STARTS,
            access(ONE, "read"),
            access(TWO, "read"),
            access(TWO, "write"),
            access(ONE, "write"),
            *JOINS,
        ],
    )
    assert outcome.reproduced, outcome
    assert (outcome.passed, outcome.total) == (7, 7)
    assert outcome.message == "AssertionError: counted to 1"


def test_the_same_program_in_turn_fails_in_nothing(drive):
    outcome = drive(
        RACY,
        [
            *STARTS,
            access(ONE, "read"),
            access(ONE, "write"),
            access(TWO, "read"),
            access(TWO, "write"),
            *JOINS,
        ],
    )
    assert not outcome.reproduced
    assert outcome.message == "the program came to its end"


def test_another_failure_is_not_the_one_that_was_asked_for(drive):
    lost = [access(ONE, "read"), access(TWO, "read"), access(TWO, "write"), access(ONE, "write")]
    outcome = drive(RACY, [*STARTS, *lost, *JOINS], message="AssertionError: counted to 0")
    assert not outcome.reproduced
    assert outcome.message == "another failure came: AssertionError: counted to 1"


def test_a_deadlock_is_driven_into(drive):
    events = [
        (MAIN, 15, "line", ""),
        ("forth", 7, "line", ""),
        ("back", 7, "line", ""),
    ]
    outcome = drive(LOCKS, events, kind="deadlock", message="deadlock", ended=())
    assert outcome.reproduced, outcome
    in_turn = [*events[:2], ("forth", 8, "line", ""), ("forth", 8, "line", ""), ("forth", 7, "line", "")]
    outcome = drive(LOCKS, in_turn, kind="deadlock", message="deadlock", ended=("forth",))
    assert not outcome.reproduced


def test_a_schedule_that_nobody_follows_says_how_far_it_came(drive, monkeypatch):
    outcome = drive(RACY, [*STARTS, access(ONE, "read", line=9)])
    assert not outcome.reproduced
    assert outcome.passed == 1
    assert outcome.message == "Thread-1 (count) never came to line 9 of program.py"


def test_a_trace_of_another_language_does_not_run_live(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("model.pml").write_text("init { assert(false) }\n")
    assay.verify("model.pml", trace="run.json")
    with pytest.raises(ValueError, match="only Python programs run live, this trace is of promela"):
        replay_live("model.pml", "run.json")


def test_another_invariant_is_not_the_one_that_was_asked_for(drive):
    text = (
        "import threading, assay\n\nx = 0\nassay.invariant(lambda: x == 0, name='zero')\n\n\n"
        "def work():\n    global x\n    x = 1\n\n\nthreading.Thread(target=work).start()\n"
    )
    events = [("Thread-1 (work)", 9, "write", "x")]
    assert drive(text, events, kind="invariant", message="zero", ended=()).reproduced
    assert not drive(text, events, kind="invariant", message="order", ended=()).reproduced


BUFFER = (Path(__file__).parents[2] / "examples" / "tutorial" / "buffer_if.py").read_text()


CHOICE = "import assay\n\nnumber = assay.choose(range(50))\nassert number != 37\n"


START_AND_JOIN = """\
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
QUEUE_TIMES_OUT = f"""\
import queue
import threading

jobs = queue.Queue()
calls = (lambda: jobs.put(1), lambda: jobs.get(timeout=60))
threads = [threading.Thread(target=call) for call in calls]
{START_AND_JOIN}"""
LOCK_TIMES_OUT = f"""\
import threading

lock = threading.Lock()


def work():
    taken = lock.acquire(timeout=60)
    lock.release()
    assert taken


threads = [threading.Thread(target=work) for _ in range(2)]
{START_AND_JOIN}"""
CONDITION_TIMES_OUT = f"""\
import threading
import time

changed = threading.Condition()
ready = []


def work():
    with changed:
        assert changed.wait_for(lambda: ready, timeout=60)


def prepare():
    time.sleep(60)
    with changed:
        ready.append(1)
        changed.notify()


threads = [threading.Thread(target=work), threading.Thread(target=prepare)]
{START_AND_JOIN}"""
ONE_AFTER_THE_OTHER = f"""\
import queue
import threading

jobs = queue.Queue(1)


def work():
    jobs.put_nowait(1)


threads = [threading.Thread(target=work) for _ in range(2)]
{START_AND_JOIN}"""
SHARED_VARIABLE = """\
import threading


def main():
    number = 0

    def work():
        nonlocal number
        number += 1

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert number == 2


main()
"""
MADE_TWICE = f"""\
import threading


class Single:
    made = None

    def __new__(cls):
        if cls.made is None:
            cls.made = super().__new__(cls)
        return cls.made


seen = []
threads = [threading.Thread(target=lambda: seen.append(Single())) for _ in range(2)]
{START_AND_JOIN}assert seen[0] is seen[1]
"""
STARTED_ALONE = f"""\
import threading

balance = 10


def take(amount):
    global balance
    if balance >= amount:
        balance -= amount


first = threading.Thread(target=take, args=(3,))
first.start()
first.join()
threads = [threading.Thread(target=take, args=(5,)) for _ in range(2)]
{START_AND_JOIN}assert balance >= 0
"""
TIMER = """\
import threading

fired = []
timer = threading.Timer(60, lambda: fired.append(1))
timer.start()
timer.cancel()
timer.join()
assert not fired
"""
POOL = """\
from concurrent.futures import ThreadPoolExecutor

counts = {}


def count(word):
    counts[word] = counts.get(word, 0) + 1


with ThreadPoolExecutor(max_workers=2) as pool:
    list(pool.map(count, "xyx"))
assert counts == {"x": 2, "y": 1}, counts
"""
METHODS_OF_WHAT_IS_SHARED = f"""\
import threading


class Machine:
    limit = 1

    def __init__(self):
        self.count = 0
        self.base = None

    def __getattr__(self, name):
        raise AttributeError(name)

    def check(self):
        return self.count < self.limit

    def step(self):
        if self.check():
            self.base = self.count
            self.count = self.base + 1


class Other(Machine):
    pass


machine = Other()
Machine.limit = 2


def work():
    try:
        machine.step()
    except ValueError:
        pass


threads = [threading.Thread(target=work) for _ in range(2)]
{START_AND_JOIN}assert machine.count == 2, machine.count
"""
BY_THEIR_CLASS = f"""
import threading


class Door:
    limit = 0
    opened = 0

    def open(self):
        if self.__class__.limit == 0 and self.opened == 0:
            self.opened = self.opened + 1
            entered.append(1)


Door.limit = 0
entered = []
door = Door()
threads = [threading.Thread(target=door.open) for _ in range(2)]
{START_AND_JOIN}assert len(entered) == 1
"""
SHOWN = {
    "lost update": RACY,
    "deadlock": LOCKS,
    "woken in vain": BUFFER,
    "choice": CHOICE,
    "a queue gives up": QUEUE_TIMES_OUT,
    "a lock is given up": LOCK_TIMES_OUT,
    "a condition gives up": CONDITION_TIMES_OUT,
    "one after the other": ONE_AFTER_THE_OTHER,
    "variable of a function": SHARED_VARIABLE,
    "made twice": MADE_TWICE,
    "two started after one has ended": STARTED_ALONE,
    "timer": TIMER,
    "workers of a pool": POOL,
    "methods of what is shared": METHODS_OF_WHAT_IS_SHARED,
    "attributes of classes": BY_THEIR_CLASS,
}


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_what_the_machine_finds_cpython_shows(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(text)
    result = assay.verify("program.py", trace="run.json")
    assert result.verdict is assay.Verdict.VIOLATED
    _, outcome = replay_live("program.py", "run.json")
    assert outcome.reproduced, outcome
    Path("program.py").write_text(text + "\n")
    with pytest.raises(TraceProblem, match="has changed since"):
        replay_live("program.py", "run.json")


def test_a_program_that_changed_since_its_run_was_executed_is_not_run(drive, tmp_path):
    replayed = drive(f"open({str(tmp_path / 'touched')!r}, 'w')\n", [], unchanged=False)
    assert (replayed.reproduced, replayed.message) == (False, "the program changed while it was read")
    assert not (tmp_path / "touched").exists()


def test_a_program_whose_module_changed_since_is_not_run(drive, tmp_path):
    module = tmp_path / "helper.py"
    module.write_text("x = 1\n")
    digest = hashlib.sha256(module.read_bytes()).hexdigest()
    module.write_text("x = 2\n")
    text = f"open({str(tmp_path / 'touched')!r}, 'w')\n"
    replayed = drive(text, [], modules=[(str(module), digest)])
    assert (replayed.reproduced, replayed.message) == (False, "the program changed while it was read")
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize(
    "name", ["broker", "event_cleared", "random_choice", "pool_raises", "task_waits_for_task"]
)
def test_nested_functions_events_and_random_choices_are_followed(tmp_path, name):
    """Containers that no bytecode names, an event set on the way by a thread that is alone, drawn values."""
    program = Path(__file__).parent / "failing" / f"{name}.py"
    assay.verify(program, trace=tmp_path / "trace.json")
    _, outcome = replay_live(program, tmp_path / "trace.json")
    assert (outcome.reproduced, outcome.passed) == (True, outcome.total)


def test_what_a_worker_of_a_pool_does_by_itself_is_not_held_back(tmp_path):
    """The schedule ends the pool before its worker has done anything; nobody holds a real worker there, and
    once in a while it is first."""
    program = Path(__file__).parent / "programs" / "thread_pool_ends_early.py"
    assay.verify(program, trace=tmp_path / "trace.json")
    outcomes = (replay_live(program, tmp_path / "trace.json")[1] for _ in range(10))
    assert any(outcome.reproduced and outcome.passed == outcome.total for outcome in outcomes)


@pytest.mark.parametrize("name", ["thread_pool_counter", "context_entered_twice"])
def test_pools_of_multiprocessing_and_texts_with_addresses_are_followed(tmp_path, name):
    program = Path(__file__).parent / "programs" / f"{name}.py"
    assay.verify(program, trace=tmp_path / "trace.json")
    _, outcome = replay_live(program, tmp_path / "trace.json")
    assert (outcome.reproduced, outcome.passed) == (True, outcome.total)


def test_a_module_is_made_of_the_text_that_was_verified_and_not_of_the_cache_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    racy = "n = 0\n\n\ndef count():\n    global n\n    n += 1\n"
    harmless = racy.replace("n += 1", "n  = 2")
    Path("counting.py").write_text(harmless)
    py_compile.compile("counting.py", doraise=True)
    cached = Path("counting.py").stat()
    Path("counting.py").write_text(racy)
    os.utime(
        "counting.py", ns=(cached.st_atime_ns, cached.st_mtime_ns)
    )  # what CPython looks at, with the size
    Path("program.py").write_text(
        "import threading\nimport counting\n\n"
        "threads = [threading.Thread(target=counting.count) for _ in range(2)]\n"
        "for thread in threads:\n    thread.start()\nfor thread in threads:\n    thread.join()\n"
        "assert counting.n == 2\n"
    )
    assay.verify("program.py", trace="run.json")
    _, outcome = replay_live("program.py", "run.json")
    assert outcome.reproduced
