"""`assay replay` on a terminal: walk a failing run forward, back, and by jumps."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from assay.evidence.counterexample import Counterexample, Step
from assay.evidence.explanation import explain
from assay.report.changes import access_texts, change_texts, is_place
from assay.report.console import Columns, make_console, print_fact, print_violation, step_line
from assay.report.happenings import NOT_DATA, happening_texts
from assay.report.quantities import value_text
from assay.report.sequential_run import Layout, is_sequential
from assay.report.words import printable

HELP = "Enter or n: next   b: back   12 or j 12: jump   g: first   G: last   v: variables   h: help   q: quit"


def step_through(
    run: Counterexample, *, ask: Callable[[str], str] = input, console: Console | None = None
) -> None:
    """Ask for a command, obey, repeat. `ask` returns a line and raises EOFError at the end."""
    console = console or make_console()
    last = len(run.steps)
    here = 0
    console.print(
        f"A failing run of {last} steps: {run.violation.kind}: {run.violation.message}", markup=False
    )
    if explanation := explain(run):
        print_fact(console, explanation, "bold")
    print_fact(console, HELP, "dim")
    _show(run, here, console)
    while True:
        try:
            command = ask(f"[{here}/{last}] ").strip()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return
        target = here
        word, _, argument = command.partition(" ")
        match word:
            case "" | "n":
                target = here + 1
            case "b" | "p":
                target = here - 1
            case "g":
                target = 0
            case "G" | "$":
                target = last
            case "q":
                return
            case "v":
                _show_variables(run, here, console)
                continue
            case "h" | "?":
                print_fact(console, HELP, "dim")
                continue
            case _:
                number = argument.strip() if word == "j" else word
                if not number.isdecimal():
                    console.print(f"expected a command, got {command!r}. {HELP}", markup=False)
                    continue
                target = int(number)
        if not 0 <= target <= last:
            console.print("the run ends here" if target > last else "the run begins here", style="dim")
            target = min(max(target, 0), last)
        if target != here:
            here = target
            _show(run, here, console)


def _show(run: Counterexample, number: int, console: Console) -> None:
    if number == 0:
        console.print(Text("  start", "bold"))
        _show_variables(run, 0, console)
        return
    step = run.steps[number - 1]
    if is_sequential(run):
        console.print(Layout(run, console.width).line(step))
        if number == len(run.steps):
            print_violation(run, console)
        return
    line = step_line(step, Columns(run), console.width)
    line.rstrip()
    console.print(line)
    for text in _facts(step):
        console.print(Text(f"           {printable(text)}", "yellow"))
    if number == len(run.steps):
        print_violation(run, console)


def _facts(step: Step) -> list[str]:
    """What happened, as rows of a schedule tell it, and what else is different now."""
    if not step.happenings:
        return [*access_texts(step), *change_texts(step.changes)]
    told = happening_texts(step.happenings)
    rest = [
        change
        for change in step.changes
        if _is_shown(change.name, change.after)
        and not change.name.endswith(".self")
        and not any(text.startswith(change.name) for text in told)
    ]
    return [*told, *change_texts(rest)]


def _is_shown(name: str, value: object) -> bool:
    """Which thread or lock a variable has says the source; what becomes of it, the steps."""
    return is_place(name) or not (isinstance(value, str) and NOT_DATA.match(value))


def _show_variables(run: Counterexample, number: int, console: Console) -> None:
    for name, value in run.variables_after(number).items():
        if is_place(name) and value == "-":
            continue  # a thread that has not begun, or has nothing left to do
        if _is_shown(name, value):
            text = f"{name[:-1]} is at {value}" if is_place(name) else f"{name} = {value_text(value)}"
            console.print(f"           {text}", markup=False)
