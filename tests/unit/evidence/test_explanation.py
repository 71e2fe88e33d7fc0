"""One sentence about a run: told only of what happened, and only where it concerns the failure."""

from dataclasses import replace

from assay.evidence.counterexample import Change, Counterexample, Step
from assay.evidence.explanation import COMPARED_STEPS, explain
from assay.evidence.explanation.events import Run
from assay.report.schedule import rows_of
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


def run_of_a_class(*actions, kind, text):
    """Of (action, changes): a class has no processes, and its steps are all in one place."""
    steps = tuple(
        Step(number, number - 1, "Lost", FILE, 18, action, changes)
        for number, (action, changes) in enumerate(actions, start=1)
    )
    return Counterexample(
        violation=ViolationFacts(kind, text, property=text),
        positions=tuple(range(len(steps))),
        initial={"counter": 0, "pc": ["write", "write"], "limit": 2},
        steps=steps,
    )


def test_of_a_class_the_actions_are_told_that_gave_the_deciding_values():
    first = ("write 0", (Change("counter", 0, 1), Change("pc", ["write", "write"], ["done", "write"])))
    second = ("write 1", (Change("pc", ["done", "write"], ["done", "done"]),))
    text = "'write' in pc or counter == limit"
    assert explain(run_of_a_class(first, second, kind="invariant", text=text)) == (
        "write 1 in step 2 ends where the invariant does not hold: pc = [done, done], counter = 1 since "
        "write 0 in step 1, limit = 2 from the start"
    )
    assert explain(run_of_a_class(first, kind="deadlock", text="")) == (
        "after write 0 in step 1 no action is enabled: counter = 1, pc = [done, write], limit = 2 from the "
        "start"
    )


def test_who_does_not_get_a_lock_is_not_said_to_have_waited():
    tried = happening(
        *("does", 4, "if not lock.acquire(blocking=False):", "LockType.acquire"),
        before="Lock(held by Thread-1 (work))",
        after="Lock(held by Thread-1 (work))",
        result="False",
    )
    run = run_of(("B", replace(tried, place="lock")), ("B", fails(5, "raise Busy")), kind="exception")
    assert explain(run) == (
        "B did not get lock in line 4, which Thread-1 (work) held; then B raised AssertionError in line 5"
    )


def test_what_one_line_reads_twice_in_a_row_is_told_once():
    again = ("A", read(7, "n", "{1}", "for i in n:"))
    rows = rows_of(run_of(again, again, ("A", fails(9, "assert i"))))
    assert [row.facts for row in rows if row.place == "7"] == [["reads n: {1}"]]


def test_a_statement_that_stores_what_is_there_writes_all_the_same():
    texts = (
        "(flag == 0)",
        "(flag == 0)",
        "flag = 1",
        "inside++",
        "flag = 1",
        "inside++",
        "assert(inside == 1)",
    )
    who = ("P[1]", "P[0]", "P[1]", "P[1]", "P[0]", "P[0]", "P[1]")
    changes = {2: Change("flag", 0, 1), 3: Change("inside", 0, 1), 5: Change("inside", 1, 2)}
    steps = tuple(
        Step(n + 1, n, name, "m.pml", n + 3, text, (changes[n],) if n in changes else ())
        for n, (name, text) in enumerate(zip(who, texts, strict=True))
    )
    run = Counterexample(
        violation=ViolationFacts("assertion", texts[-1], "m.pml", 9),
        positions=tuple(range(len(steps))),
        initial={"flag": 0, "inside": 0},
        steps=steps,
    )
    assert explain(run) == "P[1] and P[0] both read flag (0) before either wrote it"


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


def looks(line, text, name, result, state):
    """A question about an object, as `Queue.empty` is one."""
    place = name.rpartition(".")[0]
    one = happening("does", line, text, f"Object.{name.rpartition('.')[2]}", state, state, result)
    return replace(one, place=place)


def goes_over(line, name, value, item):
    return replace(read(line, name, value, f"for one in {name}:"), result=f"item {item}")


def changes(line, name, before, after, text="it.remove(1)"):
    return happening("change", line, text, name, before, after)


CHANGED_ON_THE_WAY = (
    ("A", goes_over(4, "it", "[1, 2]", 0)),
    ("B", changes(7, "it", "[1, 2]", "[2]")),
    ("A", goes_over(4, "it", "[2]", 1)),
)


def test_a_list_that_changes_while_one_goes_over_it():
    kept = ("A", changes(5, "kept", "[]", "[1]", "kept.append(one)"))
    run = run_of(*CHANGED_ON_THE_WAY, kept, ("MainThread", fails(9, "assert len(kept) == 2")))
    assert explain(run) == "B changed it to [2] in line 7 while A went over it in line 4"


def test_a_list_that_changes_between_two_loops_is_no_cause():
    again = (*CHANGED_ON_THE_WAY[:2], ("A", goes_over(4, "it", "[2]", 0)))
    kept = ("A", changes(5, "kept", "[]", "[1]", "kept.append(one)"))
    run = run_of(*again, kept, ("MainThread", fails(9, "assert len(kept) == 2")))
    assert "went over" not in explain(run)


def test_a_loop_of_which_nothing_reaches_the_failing_line_is_no_cause():
    run = run_of(*CHANGED_ON_THE_WAY, ("MainThread", fails(9, "assert total == 2")))
    assert "went over" not in explain(run)


def test_two_things_of_which_one_was_read_before_and_one_after_anothers_change():
    run = run_of(
        ("MainThread", read(4, "a", "70", "return a + b")),
        ("mover", write(7, "a", "70", "50", "a -= 20")),
        ("mover", write(8, "b", "30", "50", "b += 20")),
        ("MainThread", read(4, "b", "50", "return a + b")),
        ("MainThread", fails(9, "assert total == 100")),
    )
    assert explain(run) == (
        "MainThread read a: 70 in line 4 before mover changed it to 50 in line 7, and b: 50, which mover had "
        "changed in line 8"
    )


def test_two_things_that_were_both_read_before_the_change_are_no_half():
    run = run_of(
        ("MainThread", read(4, "a", "70", "return a + b")),
        ("MainThread", read(4, "b", "30", "return a + b")),
        ("mover", write(7, "a", "70", "50", "a -= 20")),
        ("mover", write(8, "b", "30", "50", "b += 20")),
        ("MainThread", fails(9, "assert total == 100")),
    )
    assert "and b" not in explain(run)


def test_a_question_that_is_outdated_when_it_is_acted_on():
    run = run_of(
        ("A", looks(3, "if not answer.done():", "answer.done", "False", "Future(pending)")),
        ("B", looks(3, "if not answer.done():", "answer.done", "False", "Future(pending)")),
        (
            "A",
            replace(
                happening("does", 4, "answer.set()", "Future.set", "Future(pending)", "Future(1)", "None"),
                place="answer",
            ),
        ),
        ("B", fails(4, "answer.set()")),
        kind="exception",
    )
    assert explain(run) == (
        "B saw answer.done give False in line 3, then A changed it to 1 in line 4, before B went on in line 4"
    )


def test_what_was_decided_by_something_that_had_changed():
    run = run_of(
        ("A", read(3, "open", "True", "if open:")),
        ("B", write(7, "open", "True", "False", "open = False")),
        ("A", changes(4, "sold", "[]", "[1]", "sold.append(1)")),
        ("MainThread", fails(9, "assert sold == []")),
    )
    assert explain(run) == (
        "A saw open: True in line 3, then B changed it to False in line 7, before A went on and changed sold "
        "to [1] in line 4"
    )


def test_what_went_into_a_variable_of_the_line_and_had_changed():
    run = run_of(
        ("A", read(3, "rate", "2", "factor = rate")),
        ("B", write(7, "rate", "2", "3", "rate = 3")),
        ("A", changes(4, "sums", "[]", "[2]", "sums.append(factor)")),
        ("MainThread", fails(9, "assert sums == [3]")),
    )
    assert explain(run).startswith("A saw rate: 2 in line 3, then B changed it to 3 in line 7")


def test_what_went_into_nothing_of_the_line_is_no_cause():
    run = run_of(
        ("A", read(3, "rate", "2", "print(rate)")),
        ("B", write(7, "rate", "2", "3", "rate = 3")),
        ("A", changes(4, "sums", "[]", "[2]", "sums.append(1)")),
        ("MainThread", fails(9, "assert sums == [3]")),
    )
    assert "rate" not in explain(run)


def acquires(thread, line):
    one = happening("does", line, "slots.acquire()", "Semaphore.acquire", "Semaphore(1)", "Semaphore(0)")
    return thread, replace(one, place="slots")


def test_a_semaphore_is_told_with_those_who_kept_it():
    waits = Waiting("B", FILE, 3, "", awaited="a semaphore", what="slots")
    run = run_of(acquires("A", 3), kind="deadlock", message="deadlock: nobody", waiting=[waits])
    assert explain(run) == (
        "B waits for slots, which is used up: A took it in line 3 and ended without releasing it"
    )


def test_who_waits_for_work_is_told_after_who_cannot_do_it():
    full = happening("does", 5, "jobs.put(2)", "Queue.put", "Queue([], at most 1)", "Queue([1], at most 1)")
    waiting = [
        Waiting("MainThread", FILE, 9, "", awaited="a queue to be done", what="jobs"),
        Waiting("A", FILE, 6, "", awaited="room in a queue", what="jobs"),
    ]
    run = run_of(("A", replace(full, place="jobs")), kind="deadlock", message="d", waiting=waiting)
    assert explain(run) == (
        "A waits in line 6 for room in jobs, which is full ([1]), and nobody is left to take an item"
    )


def test_a_variable_that_every_thread_has_for_itself():
    run = run_of(
        ("A", fails(4, "save(context.user)")),
        kind="exception",
        message="AttributeError: '_thread._local' object has no attribute 'user'",
    )
    assert explain(run) == (
        "A failed in line 4: every thread has a context.user of its own (threading.local), and A had set none"
    )


def appends(line, name, before, after):
    return happening("change", line, f"{name}.append(x)", name, before, after)


def test_who_changed_it_one_after_the_other_is_told_where_nothing_else_is():
    run = run_of(
        ("A", appends(3, "log", "[]", "[[1]]")),
        ("B", appends(5, "log", "[[1]]", "[[1], [2]]")),
        ("A", appends(3, "log", "[[1], [2]]", "[]")),
        ("MainThread", read(9, "log", "[]", "assert log")),
        values=("assert []", "where [] = log"),
    )
    assert explain(run) == (
        "MainThread failed in line 9 with log = []: A added [1] in line 3, then B added [2] in line 5, "
        "then A changed it to [] in line 3"
    )


def test_what_was_kept_in_a_variable_and_is_old_when_it_is_acted_on():
    run = run_of(
        ("A", read(2, "tokens", "1", "available = tokens")),
        ("B", read(2, "tokens", "1", "available = tokens")),
        ("A", read(4, "tokens", "1", "tokens -= 1")),
        ("A", write(4, "tokens", "1", "0", "tokens -= 1")),
        ("B", read(4, "tokens", "0", "tokens -= 1")),
        ("B", write(4, "tokens", "0", "-1", "tokens -= 1")),
        ("MainThread", fails(9, "assert len(served) == 1")),
    )
    assert explain(run) == (
        "B saw tokens: 1 in line 2, then A changed it to 0 in line 4, before B went on and wrote -1 in line 4"
    )


def test_of_several_things_done_too_late_the_one_that_the_failing_line_read_is_told():
    run = run_of(
        ("A", read(2, "h.stopped", "False", "if not h.stopped:")),
        ("MainThread", write(8, "h.stopped", "False", "True", "h.stopped = True")),
        ("A", write(3, "h.beats", "1", "2", "h.beats += 1")),
        ("A", write(4, "h.timer", "None", "Timer()", "h.timer = Timer()")),
        ("MainThread", read(9, "h.beats", "2", "assert h.beats == n")),
    )
    assert explain(run) == (
        "A saw h.stopped: False in line 2, then MainThread changed it to True in line 8, before A went on "
        "and changed h.beats to 2 in line 3"
    )
