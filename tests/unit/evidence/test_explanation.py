"""One sentence about a run: told only of what happened, and only where it concerns the failure."""

from assay.evidence.counterexample import Change, Counterexample, Step
from assay.evidence.explanation import COMPARED_STEPS, explain
from assay.evidence.explanation.events import Run
from assay.transition_system.interface import Happening, ViolationFacts, Waiting

FILE = "program.py"


def happening(kind, line, text, name, before="", after="", result=""):
    return Happening(kind, FILE, line, text, name, name, before, after, result)


def run_of(*told, kind="assertion", message="AssertionError", values=(), waiting=()):
    """Of (thread, happening): each is a step; the last one fails."""
    first = Step(1, 0, "MainThread", FILE, 1, "", (), "<module>", alone=True)
    steps = [
        Step(number, number - 1, thread, FILE, one.line, one.text, (), "work", happenings=(one,))
        for number, (thread, one) in enumerate(told, start=2)
    ]
    return Counterexample(
        violation=ViolationFacts(kind, message, FILE, told[-1][1].line, values=tuple(values)),
        positions=tuple(range(len(steps) + 1)),
        initial={},
        steps=(first, *steps),
        waiting=tuple(waiting),
    )


def read(line, name, value, text="x = n"):
    return happening("read", line, text, name, value)


def write(line, name, before, after, text="n += 1"):
    return happening("write", line, text, name, before, after)


def fails(line, text):
    return happening("raises", line, text, "AssertionError")


LOST = (("A", read(2, "n", "0")), ("B", read(2, "n", "0")), ("A", write(2, "n", "0", "1")))


def test_both_read_before_either_wrote():
    run = run_of(*LOST, ("B", write(2, "n", "1", "1")), ("MainThread", fails(9, "assert n == 2")))
    assert explain(run) == "A and B both read n (0) before either wrote it back"


def test_one_that_only_the_other_outdated_is_told_with_what_was_written_over():
    run = run_of(
        ("A", read(2, "n", "0", "old = n")),
        ("B", write(5, "n", "0", "7", "n = 7")),
        ("A", write(3, "n", "7", "1", "n = old + 1")),
        ("MainThread", fails(9, "assert n == 8")),
    )
    assert explain(run) == "A read n (0) in line 2, B changed it to 7, and A wrote 1 over it"


def test_what_happened_to_others_than_the_failing_line_mentions_is_no_cause():
    others = tuple(
        (thread, Happening(one.kind, FILE, one.line, one.text, "m", "m", one.before, one.after))
        for thread, one in (*LOST, ("B", write(2, "n", "1", "1")))
    )
    run = run_of(
        *LOST,
        ("B", write(2, "n", "1", "1")),
        *others,
        ("MainThread", fails(9, "assert total == 2")),
        values=("assert 3 == 2", "where 3 = total"),
    )
    assert explain(run) == "MainThread failed in line 9 with total = 3"


def test_what_was_replaced_on_the_way_is_not_the_same_place():
    run = run_of(
        ("A", read(2, "box.n", "0")),
        ("B", read(2, "box.n", "0")),
        ("A", write(2, "box.n", "0", "1")),
        ("C", write(7, "box", "Box(n=1)", "Box(n=0)", "box = Box()")),
        ("B", write(2, "box.n", "0", "1")),
        ("MainThread", fails(9, "assert box.n == 2")),
    )
    assert "both read" not in explain(run)


def test_a_circle_of_locks_and_a_thread_that_is_joined():
    wants = {"awaited": "a lock", "how": "waits"}
    circle = [
        Waiting("MainThread", FILE, 9, "", awaited="a thread to end", whom="A", joins=True),
        Waiting("A", FILE, 3, "", what="b", whom="B", **wants),
        Waiting("B", FILE, 4, "", what="a", whom="A", **wants),
    ]
    told = ("A", happening("does", 3, "with a:", "LockType.__enter__", "Lock(free)", "Lock(held by A)"))
    run = run_of(told, kind="deadlock", message="deadlock: nobody", waiting=circle)
    assert explain(run) == "A holds a and waits for b, B holds b and waits for a"
    joined = [
        Waiting("MainThread", FILE, 9, "", awaited="a thread to end", whom="A", joins=True),
        Waiting("A", FILE, 3, "", what="a", whom="MainThread", **wants),
    ]
    run = run_of(told, kind="deadlock", message="deadlock: nobody", waiting=joined)
    assert explain(run) == "MainThread holds a and waits for A to end, A waits for a"
    run = run_of(told, kind="deadlock", message="d", waiting=[Waiting("A", FILE, 3, "", what="a", whom="A")])
    assert explain(run) == "A waits for a, which it holds itself"


def test_variables_of_statements_are_read_and_written_too():
    def step(number, process, text, *changes):
        return Step(number, number - 1, process, "m.pml", number, text, tuple(Change(*c) for c in changes))

    run = Counterexample(
        violation=ViolationFacts("assertion", "assert(n == 2)", "m.pml", 5),
        positions=(0, 0, 0, 0, 0),
        initial={"n": 0},
        steps=(
            step(1, "P[0]", "t = n"),
            step(2, "P[1]", "t = n"),
            step(3, "P[0]", "n = t+1", ("n", 0, 1)),
            step(4, "P[1]", "n = t+2", ("n", 1, 2)),
            step(5, "P[2]", "assert(n == 3)"),
        ),
    )
    assert explain(run) == "P[0] and P[1] both read n (0) before either wrote it"


def test_of_a_long_run_the_end_is_compared():
    rounds = [("A", read(3, "n", "0")), ("A", write(4, "n", "0", "0"))] * COMPARED_STEPS
    end = [
        ("A", read(3, "n", "0")),
        ("B", read(3, "n", "0")),
        ("A", write(4, "n", "0", "1")),
        ("B", write(4, "n", "1", "1")),
        ("C", read(9, "n", "1", "assert n == 2")),
    ]
    long_run = run_of(*rounds, *end)
    assert explain(long_run) == explain(run_of(*end)) != ""
    assert len(Run(long_run, last_steps=COMPARED_STEPS).events) == COMPARED_STEPS
