import io
from dataclasses import replace

import pytest
from rich.console import Console

from assay.evidence.counterexample import Change, Counterexample, Step
from assay.evidence.result import Result, Violation
from assay.evidence.verdict import Verdict
from assay.execution.model_process import Progress
from assay.report.console import change_texts, coverage_text, print_result, print_run
from assay.report.json_output import place
from assay.report.progress import progress_text
from assay.report.quantities import bytes_text, rate_text, seconds_text, value_text
from assay.transition_system.interface import ViolationFacts, Waiting


def printed(show, *arguments, **options):
    stream = io.StringIO()
    console = Console(file=stream, width=120, highlight=False, soft_wrap=True)
    show(*arguments, console=console, **options)
    return stream.getvalue()


def a_run(length, **more):
    steps = tuple(
        Step(n, n - 1, "P[0]", "dir/m.pml", n, f"x = {n}", (Change("x", n - 1, n),))
        for n in range(1, length + 1)
    )
    return Counterexample(
        violation=ViolationFacts("assertion", "assert(x < 3)", "dir/m.pml", 7),
        positions=tuple(range(length)),
        initial={"x": 0},
        steps=steps,
        **more,
    )


def test_a_run_reads_from_top_to_bottom():
    assert printed(print_run, a_run(2)) == (
        "  P[0] failed in line 7 with x = 2\n"
        "  start  x = 0\n"
        "      1  P[0]  m.pml:1  x = 1  x: 0 -> 1\n"
        "      2  P[0]  m.pml:2  x = 2  x: 1 -> 2\n"
        "  violated  assertion: assert(x < 3)  m.pml:7\n"
    )


def test_changes_are_shown_element_by_element_and_places_are_left_to_the_steps():
    changes = (
        Change("wants", [False, False], [False, True]),
        Change("P[1]@", "m.pml:3", "m.pml:4"),
        Change("record", {"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]}),
        Change("queue", [], [[1, 2]]),
        Change("P[1].x", None, 0),
        Change("P[2].x", 0, None),
    )
    assert change_texts(changes) == [
        "wants[1]: false -> true",
        "record.b[1]: 2 -> 3",
        "queue: [] -> [[1, 2]]",
        "P[1].x = 0",
        "P[2].x gone",
    ]


def test_processes_come_and_go_as_a_whole():
    changes = (
        Change("count", 0, 1),
        Change("P[2]@", None, "m.pml:3"),
        Change("P[2].x", None, 0),
        Change("P[2].y", None, [1, 2]),
        Change("Q[1]@", "-end-", None),
        Change("Q[1].z", 5, None),
    )
    assert change_texts(changes) == [
        "P[2] starts with x = 0, y = [1, 2]",
        "Q[1] is gone",
        "count: 0 -> 1",
    ]


def test_a_deadlock_says_who_waits_for_what():
    text = printed(print_run, a_run(1, waiting=(Waiting("P[1]", "dir/m.pml", 9, "c?x"),)))
    assert text.endswith("            P[1] waits at m.pml:9 for  c?x\n")


def test_no_statement_is_cut_however_long():
    statement = "(" + " && ".join(f"variable_{n} < {n}" for n in range(12)) + ")"
    step = Step(1, 0, "P[0]", "m.pml", 4, statement, (Change("x", 0, 1),))
    stream = io.StringIO()
    terminal = Console(file=stream, width=80, soft_wrap=True, force_terminal=True, color_system=None)
    print_run(replace(a_run(1), steps=(step,)), console=terminal)
    assert max(map(len, stream.getvalue().splitlines())) <= 80
    assert " ".join(stream.getvalue().split()).count(f"P[0] m.pml:4 {statement} x: 0 -> 1") == 1


def test_the_middle_of_a_long_run_is_left_out_unless_asked_for():
    text = printed(print_run, a_run(151))
    assert "... 11 steps not shown ..." in text
    assert text.count("m.pml:") == 141
    assert printed(print_run, a_run(151), every_step=True).count("m.pml:") == 152
    assert "not shown" not in printed(print_run, a_run(150))


def test_what_was_never_recorded_is_said_once():
    assert "... 7 transitions not recorded ..." in printed(print_run, a_run(3, omitted=7, omitted_before=2))
    text = printed(print_run, a_run(200, omitted=7, omitted_before=100))
    assert "... 60 steps not shown, 7 transitions not recorded ..." in text


def test_brackets_in_programs_are_text_and_not_markup():
    run = Counterexample(
        violation=ViolationFacts("assertion", "a[bold] == [/]"),
        positions=(0,),
        initial={"a[0]": "[red]"},
        steps=(Step(1, 0, "P[1]", "m", 1, "a[/bold] = 1", ()),),
    )
    text = printed(print_run, run)
    for part in ("a[bold] == [/]", "a[0] = [red]", "a[/bold] = 1"):
        assert part in text


def result(verdict, **more):
    return Result(verdict=verdict, program="[m].pml", language="promela", complete=False, **more)


@pytest.mark.parametrize(
    ("given", "begin"),
    [
        (result(Verdict.VERIFIED, states=1), "verified  [m].pml: all 1 reachable state visited, every"),
        (
            result(Verdict.INCOMPLETE, reasons=("the time limit was reached",)),
            "incomplete  [m].pml: no violation found, but the time limit was reached",
        ),
        (
            result(
                Verdict.VIOLATED,
                violation_count=3,
                violations=(Violation(kind="assertion", message="assert(0)", file="a/m.pml", line=3),),
            ),
            "violated  [m].pml: 3 violations, the first: assert(0) (m.pml:3)",
        ),
    ],
)
def test_the_first_line_says_it_all(given, begin):
    assert printed(print_result, given).startswith(begin)
    assert printed(print_result, given, quiet=True).count("\n") == 1


def on_a_terminal(show, *arguments, width, **options):
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, highlight=False, soft_wrap=True, force_terminal=True, color_system=None
    )
    show(*arguments, console=console, **options)
    return stream.getvalue()


LONG = result(
    Verdict.INCOMPLETE,
    reasons=("the limit on states was reached", "with 4 states still to expand"),
    states=5,
    transitions=5,
    depth=1,
    seconds=0.74,
    compile_seconds=0.38,
    peak_memory_bytes=14 << 20,
)


def test_a_terminal_folds_between_words_and_keeps_a_number_with_its_unit():
    assert on_a_terminal(print_result, LONG, width=60) == (
        "incomplete  [m].pml: no violation found, but the limit on\n"
        "      states was reached; with 4 states still to expand\n"
        "  5 states, 5 transitions, depth 1, 0.74 s (compiling\n"
        "      0.38 s, searching 0.00 s), peak memory 14.0 MiB\n"
    )


def test_a_pipe_gets_one_line_for_each_fact():
    assert printed(print_result, LONG).count("\n") == 2


def certified(**more):
    return result(
        Verdict.VERIFIED,
        states=36,
        certificate={"path": "my file.assay", "bytes": 9_600, "seconds": 0.1, "frames": 1},
        **more,
    )


def test_a_certificate_is_named_with_its_size_and_the_command_that_checks_it():
    text = printed(print_result, certified(transitions=64))
    assert text.endswith(
        "  certificate: my file.assay, 9 KiB, 150.00 bytes per transition\n"
        "  check it: assay certify '[m].pml' 'my file.assay'\n"
    )
    assert "  certificate: my file.assay, 9 KiB\n" in printed(print_result, certified(transitions=0))
    assert "certificate" not in printed(print_result, LONG)


def test_the_command_that_checks_a_certificate_asks_for_what_was_chosen():
    chosen = certified(
        semantics={"defines": ["N=6", "assert=1||"], "safety_only": True}, options={"check_deadlock": False}
    )
    assert printed(print_result, chosen).endswith(
        "assay certify '[m].pml' 'my file.assay' -D N=6 -D 'assert=1||' --no-deadlock --safety\n"
    )


def test_quantities():
    assert [bytes_text(n) for n in (5, 2048, 3 * 2**20, 5 * 2**30)] == ["5 B", "2 KiB", "3.0 MiB", "5.0 GiB"]
    assert [seconds_text(s) for s in (0.5, 65, 125, 7300)] == ["0.50 s", "65.0 s", "2 min 05 s", "2 h 01 min"]
    assert [rate_text(r) for r in (5, 5000, 2.5e6)] == ["5 /s", "5 k/s", "2.50 M/s"]
    assert value_text([1, (2, "a")]) == "[1, [2, a]]"


def test_the_progress_line_has_all_figures():
    text = progress_text(Progress(2_000_000, 5, 30, 100, 2**30, 2.0, 0.0), 2.5)
    assert text == "2,000,000 states  1.00 M/s  1.0 GiB  frontier 100  depth 30  2.50 s"
    assert "no answer from the model for 6.00 s" in progress_text(Progress(silent_seconds=6.0), 7)


def test_places_in_sources():
    class Location:
        file, line, column = "m.pml", 3, 4

    assert place(Location()) == ("m.pml", 3, 4)
    assert place("a:b.pml:3:4") == ("a:b.pml", 3, 4)
    assert place("b.pml:3") == ("b.pml", 3, None)
    assert place("b.pml") == ("b.pml", None, None)
    assert place(None) == (None, None, None)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.2, 0.4, "about 30 % of all states (between 20 and 40 %), an estimate, no proof (by sweep)"),
        (0.0, 0.4, "at most 40 % of all states were visited, an estimate, no proof (by sweep)"),
        (0.0, 1.0, "unknown; sweep alone says 30 %, with nothing to bound it"),
    ],
)
def test_an_estimate_says_how_sure_it_is_and_that_it_proves_nothing(low, high, text):
    assert text in coverage_text({"coverage": 0.3, "low": low, "high": high, "method": "sweep"})
