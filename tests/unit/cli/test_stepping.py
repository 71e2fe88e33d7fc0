import io
from dataclasses import replace

from rich.console import Console

from assay.cli.stepping import step_through
from assay.evidence.counterexample import Change, Counterexample, Step
from assay.transition_system.interface import Access, Happening, ViolationFacts

RUN = Counterexample(
    violation=ViolationFacts("assertion", "assert(x < 3)", "m.pml", 9),
    positions=(0, 0, 0),
    initial={"x": 0},
    steps=tuple(
        Step(n, n - 1, "P[0]", "m.pml", n, f"x = {n}", (Change("x", n - 1, n),)) for n in range(1, 4)
    ),
)


def session(*commands, run=RUN):
    """What is shown after each command."""
    stream = io.StringIO()
    console = Console(file=stream, width=100, highlight=False)
    shown = []
    remaining = iter(commands)

    def ask(prompt):
        shown.append(stream.getvalue())
        stream.seek(0)
        stream.truncate()
        try:
            return next(remaining)
        except StopIteration:
            raise EOFError from None

    step_through(run, ask=ask, console=console)
    return shown[1:]


def test_a_step_of_a_thread_tells_what_its_row_tells():
    happening = Happening("read", "m.py", 8, "if stock[i] > 0:", "stock['a']", "stock['a']", "1")
    step = Step(1, 0, "ann", "m.py", 8, happening.text, (Change("ann.i", None, "'a'"),), "buy")
    step = replace(step, accesses=(Access("read", "dict.a", ""),), happenings=(happening,))
    (first,) = session("", run=replace(RUN, steps=(step,)))
    assert "reads stock['a']: 1\n" in first
    assert "ann.i = 'a'\n" in first
    assert "dict" not in first


def test_forward_and_back():
    first, second, back, start = session("", "n", "b", "b")
    assert "x = 1" in first
    assert "x: 0 -> 1" in first
    assert "x = 2" in second
    assert "x = 1" in back
    assert "start" in start


def test_the_last_step_shows_the_violation_and_is_the_end():
    last, beyond = session("G", "")
    assert "violated  assertion: assert(x < 3)" in last
    assert "the run ends here" in beyond


def test_jumps_by_number_and_by_name():
    two, three, first = session("2", "j 3", "g")
    assert "x = 2" in two
    assert "x = 3" in three
    assert "start" in first


def test_jumps_outside_stop_at_the_ends():
    far, before = session("99", "b")
    assert "the run ends here" in far
    assert "x = 3" in far
    assert "x = 2" in before


def test_variables_at_the_current_step():
    assert "x = 2" in session("2", "v")[1]


def test_an_unknown_command_explains_the_known_ones():
    assert "expected a command, got 'what'" in session("what")[0]


def test_quit_ends_the_session():
    assert session("q", "n") == []
