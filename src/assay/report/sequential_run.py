"""The failing run of a sequential program: statements in their order, indented by who called whom."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from assay.evidence.counterexample import Counterexample, Step
from assay.report.changes import change_texts
from assay.report.schedule import wrapped
from assay.report.words import printable

TEXT_ROOM = 44  # at least
HANGING = 4


def is_sequential(run: Counterexample) -> bool:
    """Nobody runs beside anybody: its steps name no process."""
    return bool(run.steps) and not any(step.process for step in run.steps)


class Layout:
    """Widths that fit all steps of a run, and how deep each stands."""

    def __init__(self, run: Counterexample, width: int) -> None:
        several = len({step.file for step in run.steps}) > 1
        self.places = {
            step.number: f"{Path(step.file).name}:{step.line}" if several else str(step.line)
            for step in run.steps
        }
        self.place = max(map(len, self.places.values()), default=0)
        self.depths = _depths(run.steps)
        self.width = width

    def line(self, step: Step) -> Text:
        """No statement is cut: what has no room goes on below, and so do values."""
        line = Text(f"{step.number:>7}  ", "dim")
        line.append(self.places[step.number].rjust(self.place), "cyan")
        line.append("  " + "  " * self.depths[step.number])
        begin = line.cell_len
        first, *more = wrapped(printable(step.text), max(TEXT_ROOM, self.width - begin), TEXT_ROOM)
        line.append(first)
        for text in more:
            line.append("\n" + " " * (begin + HANGING) + text)
        told = [f"{one.name} is {one.value}" for one in step.accesses]
        values = ", ".join([*told, *change_texts(step.changes)])
        if values:
            last = more[-1] if more else first
            used = begin + (HANGING if more else 0) + len(last)
            if used + 3 + len(values) <= self.width:
                line.append("   " + values, "yellow")
            else:
                for text in wrapped(values, max(TEXT_ROOM, self.width - begin - HANGING), TEXT_ROOM):
                    line.append("\n" + " " * (begin + HANGING) + text, "yellow")
        return line


def _depths(steps: Sequence[Step]) -> dict[int, int]:
    """How many calls a step is inside of: whoever is called comes after the one who calls."""
    active: list[str] = []
    found: dict[int, int] = {}
    for step in steps:
        if step.function in active:
            del active[active.index(step.function) + 1 :]
        else:
            active.append(step.function)
        found[step.number] = len(active) - 1
    return found


def print_steps(run: Counterexample, steps: Sequence[Step], console: Console) -> None:
    layout = Layout(run, console.width)
    previous = 0
    for step in steps:
        if step.number != previous + 1:
            console.print(Text(f"         ... {step.number - previous - 1} steps not shown ...", "dim"))
        console.print(layout.line(step))
        previous = step.number
