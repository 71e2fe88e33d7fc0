"""A failing run of threads: one column for each thread where there is room, else a list.

A row is a line of the source, with what it read and wrote that other threads can see. Steps of
one thread on one line that follow each other are one row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from assay.evidence.counterexample import Counterexample, Step
from assay.records import dataclass
from assay.report.changes import OBJECT, VALUE_WIDTH, access_texts, change_texts
from assay.report.quantities import count
from assay.report.words import printable, shortened

NUMBER_WIDTH = 9  # of the column with the numbers of steps
NARROWEST_COLUMN = 26
WIDEST_COLUMN = 60
ACCESSES_IN_A_ROW = 8
ROWS_SHOWN = 80
ROWS_SHOWN_AT_EACH_END = 35


@dataclass(slots=True)
class Row:
    """Steps that are shown together."""

    first: int
    last: int
    thread: str
    place: str
    text: str
    facts: list[str]

    @property
    def number(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def has_threads(run: Counterexample) -> bool:
    """Whether the steps are those of threads, which say in which function they are."""
    return any(step.function or step.accesses for step in run.steps)


def rows_of(run: Counterexample) -> list[Row]:
    rows: list[Row] = []
    several_files = len({step.file for step in run.steps}) > 1
    for step in run.steps:
        place = f"{Path(step.file).name}:{step.line}" if several_files else str(step.line)
        place = place if step.line else "-"
        facts = list(_facts(step))
        last = rows[-1] if rows else None
        if (
            last is not None
            and (last.thread, last.place, last.text) == (step.process, place, step.text)
            and len(last.facts) + len(facts) <= ACCESSES_IN_A_ROW
            and step.number not in {run.omitted_before, run.loop_step}
        ):
            last.last = step.number
            last.facts += facts
        else:
            rows.append(Row(step.number, step.number, step.process, place, step.text, facts))
    return rows


def how_it_goes_on(run: Counterexample) -> str:
    """The last line of a run that never ends."""
    stays = run.loop_start == len(run.positions)
    return "here it stays for ever" if stays else f"and again from step {run.loop_step}, for ever"


def threads_of(run: Counterexample) -> list[str]:
    """Those that take a step, in the order in which they were started."""
    started = [name.removesuffix("@") for name in run.initial if name.endswith("@")]
    for step in run.steps:
        started += [
            c.name.removesuffix("@") for c in step.changes if c.name.endswith("@") and c.before is None
        ]
    active = {step.process for step in run.steps}
    known = dict.fromkeys([*started, *(step.process for step in run.steps)])
    return [name for name in known if name in active]


def _facts(step: Step) -> Iterator[str]:
    yield from access_texts(step)
    named = {access.name for access in step.accesses}
    for change in step.changes:
        is_global = "." not in change.name and "@" not in change.name
        if is_global and change.name not in named and not OBJECT.match(str(change.after)):
            yield from (text for text in change_texts([change]) if len(text) <= VALUE_WIDTH)
    for change in step.changes:
        if change.name.endswith("@") and change.before is None:
            yield f"{change.name.removesuffix('@')} starts"
        elif change.name.endswith("@") and change.after is None:
            yield f"{change.name.removesuffix('@')} ends"
    if step.output:
        yield f"prints {shortened(repr(step.output), VALUE_WIDTH)}"


def print_schedule(run: Counterexample, console: Console, *, every_step: bool = False) -> None:
    rows = rows_of(run)
    threads = threads_of(run)
    initial = ", ".join(
        f"{name} = {value}" for name, value in run.initial.items() if "@" not in name and "." not in name
    )
    if initial:
        console.print(Text(f"  start  {shortened(printable(initial), 4 * console.width)}", "dim"))
    width = (console.width - NUMBER_WIDTH) // max(1, len(threads)) - 2
    in_columns = len(threads) > 1 and width >= NARROWEST_COLUMN
    if in_columns:
        width = min(width, WIDEST_COLUMN)
        header = Text(" " * NUMBER_WIDTH)
        for thread in threads:
            header.append(_cell(thread, width) + "  ", "bold")
        header.rstrip()
        console.print(header)
    for row in _shown(rows, every_step=every_step):
        if isinstance(row, str):
            console.print(Text(f"{'':{NUMBER_WIDTH}}... {row} ...", "dim"))
            continue
        if run.omitted and row.first == run.omitted_before:
            console.print(
                Text(f"{'':{NUMBER_WIDTH}}... {count(run.omitted, 'transition')} not recorded ...", "dim")
            )
        if run.loop_step == row.first:
            console.print(Text(f"{'':{NUMBER_WIDTH}}from here on, round and round:", "bold"))
        if in_columns:
            _print_in_column(row, threads.index(row.thread), width, console)
        else:
            _print_in_list(row, max(map(len, threads)), console)
    if run.loop_start is not None:
        console.print(Text(f"{'':{NUMBER_WIDTH}}{how_it_goes_on(run)}", "bold"))


def _shown(rows: Sequence[Row], *, every_step: bool) -> Iterator[Row | str]:
    if every_step or len(rows) <= ROWS_SHOWN:
        yield from rows
        return
    yield from rows[:ROWS_SHOWN_AT_EACH_END]
    yield f"{count(len(rows) - 2 * ROWS_SHOWN_AT_EACH_END, 'line')} not shown"
    yield from rows[-ROWS_SHOWN_AT_EACH_END:]


def _print_in_column(row: Row, column: int, width: int, console: Console) -> None:
    indent = " " * (column * (width + 2))
    line = Text(f"{row.number:>{NUMBER_WIDTH - 2}}  ", "dim")
    line.append(indent)
    line.append(f"{row.place}  ", "cyan")
    line.append(_cut(row.text, width - len(row.place) - 2))
    console.print(line)
    for fact in row.facts:
        console.print(Text(" " * NUMBER_WIDTH + indent + "    " + _cut(fact, width - 4), "yellow"))


def _print_in_list(row: Row, thread_width: int, console: Console) -> None:
    line = Text(f"{row.number:>{NUMBER_WIDTH - 2}}  ", "dim")
    line.append(printable(row.thread).ljust(thread_width), "bold")
    line.append("  ")
    line.append(f"{row.place}  ", "cyan")
    line.append(_cut(row.text, max(20, console.width - line.cell_len)))
    console.print(line)
    for fact in row.facts:
        indent = " " * (NUMBER_WIDTH + thread_width + 4)
        console.print(Text(indent + _cut(fact, max(20, console.width - len(indent))), "yellow"))


def _cut(text: str, width: int) -> str:
    return shortened(printable(text), max(8, width))


def _cell(text: str, width: int) -> str:
    return _cut(text, width).ljust(width)
