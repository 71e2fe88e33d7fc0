"""A failing run of threads: one column for each thread where there is room, else a list.

A row is a line of the source, with what it read and wrote that other threads can see. Steps of
one thread on one line that follow each other are one row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.text import Text

from assay.evidence.counterexample import Counterexample, Step
from assay.records import dataclass
from assay.report.changes import OBJECT, VALUE_WIDTH, access_texts, change_texts
from assay.report.happenings import CONTAINER, NOT_DATA, happening_texts
from assay.report.quantities import count
from assay.report.words import printable, shortened

NUMBER_WIDTH = 9  # of the column with the numbers of steps
NARROWEST_COLUMN = 26
WIDEST_COLUMN = 60
MARKS = "(,.=[/"  # behind which a line of the source may be broken
HANGING = 4  # further in than the line they belong to
ACCESSES_IN_A_ROW = 8
STARTS = re.compile(r"Thread\.start$|\.submit$|\.map$")
ROWS_SHOWN = 200
ROWS_SHOWN_AT_EACH_END = 90


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


def rows_of(run: Counterexample, *, every_step: bool = False) -> list[Row]:
    """Where the language tells what happened, steps in which others can see nothing have no row."""
    narrated = any(step.happenings for step in run.steps)
    rows: list[Row] = []
    several_files = len({step.file for step in run.steps}) > 1
    for step in run.steps:
        lines = _narrated(step, run) if narrated else [(step.file, step.line, step.text, list(_facts(step)))]
        is_wanted = every_step or step.number in {run.omitted_before, run.loop_step}
        if not narrated or (not lines and (is_wanted or step is run.steps[-1])):
            lines = lines or [(step.file, step.line, step.text, [])]
        for index, (file, line, text, facts) in enumerate(lines):
            place = f"{Path(file).name}:{line}" if several_files else str(line)
            place = place if line else "-"
            last = rows[-1] if rows else None
            begins = not index and step.number in {run.omitted_before, run.loop_step}
            if (
                last is not None
                and (last.thread, last.place, last.text) == (step.process, place, text)
                and len(last.facts) + len(facts) <= ACCESSES_IN_A_ROW
                and not begins
            ):
                last.last = step.number
                # Nobody else moved in between: what is read again is what it was.
                again = [fact for fact in facts if fact in last.facts and fact.startswith("reads ")]
                last.facts += [fact for fact in facts if fact not in again]
            else:
                rows.append(Row(step.number, step.number, step.process, place, text, facts))
    return _with_everybody(rows, run, several_files=several_files)


def _with_everybody(rows: list[Row], run: Counterexample, *, several_files: bool) -> list[Row]:
    """A thread that moved and did nothing that others can see has a row all the same: where it is matters."""
    last = {step.process: step for step in run.steps if step.line}
    for name, step in last.items():
        if not any(row.thread == name for row in rows):
            place = f"{Path(step.file).name}:{step.line}" if several_files else str(step.line)
            rows.append(Row(step.number, step.number, name, place, step.text, []))
    return sorted(rows, key=lambda row: row.first)


def _narrated(step: Step, run: Counterexample) -> list[tuple[str, int, str, list[str]]]:
    """The lines on which something happened that is worth telling, each with what it was."""
    lines: list[tuple[str, int, str, list[str]]] = []
    for (file, line, text), group in groupby(step.happenings, lambda one: (one.file, one.line, one.text)):
        told = tuple(group)
        texts = happening_texts(told)
        starts = any(one.kind == "does" and STARTS.search(one.name) for one in told)
        if texts or starts:
            lines.append((file, line, text, texts))
    more = []
    if step is run.steps[0] and step.alone:
        more = [text for text in _facts(step) if " starts" not in text]
        lines.insert(0, (step.file, step.line, step.text, more))
    started = [c.name.removesuffix("@") for c in step.changes if c.name.endswith("@") and c.before is None]
    ended = [c.name.removesuffix("@") for c in step.changes if c.name.endswith("@") and c.after is None]
    if not step.line:
        ended = []  # the worker of a pool: nothing of the program is on its stack
    if (started or ended or step.output) and not lines:
        lines.append((step.file, step.line, step.text, []))
    if started:
        starting = [at for at, (_, _, text, _) in enumerate(lines) if "start" in text or "submit" in text]
        lines[starting[-1] if starting else -1][3].extend(f"{name} starts" for name in started)
    if step.output:
        lines[-1][3].append(f"prints {shortened(repr(step.output), VALUE_WIDTH)}")
    if ended:
        lines[-1][3].extend(f"{name} ends" for name in ended)
    return [line for line in lines if line[3]]


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
        shown = str(change.after)
        is_data = CONTAINER.match(shown) or not OBJECT.match(shown)
        if is_global and change.name not in named and is_data and not NOT_DATA.match(shown):
            yield from (text for text in change_texts([change]) if len(text) <= VALUE_WIDTH)
    for change in step.changes:
        if change.name.endswith("@") and change.before is None:
            yield f"{change.name.removesuffix('@')} starts"
        elif change.name.endswith("@") and change.after is None:
            yield f"{change.name.removesuffix('@')} ends"
    if step.output:
        yield f"prints {shortened(repr(step.output), VALUE_WIDTH)}"


def print_schedule(run: Counterexample, console: Console, *, every_step: bool = False) -> None:
    rows = rows_of(run, every_step=every_step)
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
            _print_in_list(row, max(map(len, threads)), max(len(row.place) for row in rows), console)
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
    _print_row(row, f"{row.number:>{NUMBER_WIDTH - 2}}  {indent}", "", width, console)


def _print_in_list(row: Row, thread_width: int, place_width: int, console: Console) -> None:
    thread = printable(row.thread).ljust(thread_width) + "  "
    row.place = row.place.rjust(place_width)
    width = max(20, console.width - NUMBER_WIDTH - len(thread))
    _print_row(row, f"{row.number:>{NUMBER_WIDTH - 2}}  ", thread, width, console)


def _print_row(row: Row, number: str, thread: str, width: int, console: Console) -> None:
    """Nothing is cut: what is wider than the column goes on below, further in."""
    below = " " * len(number + thread)
    inside = len(row.place) + 2
    first, *more = wrapped(row.text, width - inside, width - inside - HANGING)
    line = Text(number, "dim")
    line.append(thread, "bold")
    line.append(f"{row.place}  ", "cyan")
    line.append(first)
    console.print(line)
    for text in more:
        console.print(Text(below + " " * (inside + HANGING) + text))
    under = max(HANGING, inside)  # the text
    for fact in row.facts:
        for index, text in enumerate(wrapped(fact, width - under, width - under - 2)):
            console.print(Text(below + " " * (under + (2 if index else 0)) + text, "yellow"))


def wrapped(text: str, first: int, others: int) -> list[str]:
    """Broken between words; a word that is too long for a line, behind a mark in it."""
    rest = " ".join(printable(text).split())
    lines: list[str] = []
    while True:
        width = max(8, others if lines else first)
        if len(rest) <= width:
            return [*lines, rest]
        at = max(rest.rfind(" ", 0, width + 1), 0)
        if at < width // 2:
            at = max([rest.rfind(mark, 0, width) + 1 for mark in MARKS] + [at])
        at = at or width
        lines.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()


def _cell(text: str, width: int) -> str:
    return shortened(printable(text), max(8, width)).ljust(width)
