"""Results as people read them.

A counterexample is a table of steps: number, process, place, statement, what
changed. Colour helps on a terminal; every word is there without it.
"""

from __future__ import annotations

import os
import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.console import Console
from rich.text import Text

from assay.evidence.certificate import PYTHON_CLASS
from assay.evidence.counterexample import Counterexample, Step
from assay.evidence.properties import (
    EVENTS,
    TEMPORAL,
    TERMINATION,
    Standing,
    left_out,
    nobody_asked_whether_it_ends,
)
from assay.evidence.result import Result, Shown, Violation
from assay.evidence.verdict import Verdict
from assay.report.changes import change_texts, is_place
from assay.report.cycles import sentences
from assay.report.quantities import bytes_text, count, rate_text, seconds_text, value_text
from assay.report.schedule import has_threads, how_it_goes_on, print_schedule, wrapped
from assay.report.sequential_run import is_sequential, print_steps
from assay.report.words import NOTHING_ABOUT_ENDING, printable, shortened

if TYPE_CHECKING:
    from assay.verification.live import LiveReplay
    from assay.verification.sequential_harness import WrittenHarness

STEPS_SHOWN = 150
STEPS_SHOWN_AT_EACH_END = 70
PIPE_WIDTH = 120
TEXT_COLUMN = 44
HANGING_INDENT = 6
INDENT_OF_RUNS = 12  # of what is said below "violated"
DOES = {  # whoever does not move
    "waits": "waits",
    "starves": "can always move and never does,",
    "sometimes": "can move now and then and never does,",
}
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"

STYLES = {
    Verdict.VERIFIED: "bold green",
    Verdict.VIOLATED: "bold red",
    Verdict.INCOMPLETE: "bold yellow",
    Verdict.REJECTED: "bold red",
}


def make_console(*, stderr: bool = False) -> Console:
    """Whoever sets COLUMNS reads what comes out of a pipe as on a terminal of that width, without colour."""
    console = Console(stderr=stderr, highlight=False, soft_wrap=True)
    if console.is_terminal:
        return console
    if os.environ.get("COLUMNS", "").isdecimal():
        return Console(stderr=stderr, highlight=False, soft_wrap=True, force_terminal=True, color_system=None)
    console.width = PIPE_WIDTH
    return console


def print_heading(console: Console, verdict: Verdict, text: str) -> None:
    heading = Text(_folded(console, f"{verdict}  {text}"))
    heading.stylize(STYLES[verdict], 0, len(str(verdict)))
    console.print(heading)


def print_fact(console: Console, text: str, style: str = "") -> None:
    console.print(Text(_folded(console, f"  {text}"), style))


def _folded(console: Console, text: str, indent: str = " " * HANGING_INDENT) -> str:
    """One line for a pipe; on a terminal folded between words, to be read below its first word.

    Some of the text is a stranger's: it moves no cursor and begins no line of its own.
    """
    text = printable(text)
    if not console.is_terminal:
        return text
    unbroken = re.sub(r"(?<=\d) (?=[A-Za-z])", NO_BREAK_SPACE, text)  # a number and its unit
    lines = textwrap.fill(
        unbroken,
        console.width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace(NO_BREAK_SPACE, " ")


def print_result(result: Result, *, quiet: bool = False, console: Console | None = None) -> None:
    console = console or make_console()
    if not quiet:
        print_shown(console, result.shown)
    print_heading(console, result.verdict, f"{result.program}: {_headline(result)}")
    if quiet:
        return
    print_violations(console, result.violations)
    for one in result.properties:
        if one.kind in (*TEMPORAL, *EVENTS) and one.standing is not Standing.NOT_ASKED:
            is_fair = result.options.get("fair") or (
                one.kind == TERMINATION[0] and result.language != PYTHON_CLASS
            )
            fair = " (in fair runs)" if is_fair and one.kind in TEMPORAL else ""
            print_fact(console, f"{one.standing}: {one.text}{fair}")
    if result.verdict is not Verdict.INCOMPLETE:
        for reason in result.reasons:
            print_fact(console, reason)
    for note in result.notes:
        print_fact(console, f"note: {note}")
    if result.coverage is not None:
        print_fact(console, coverage_text(result.coverage))
    for function in result.code_coverage:
        print_fact(console, function_text(function))
    if result.matching is not None and result.matching["difference"]:
        print_pair(console, result.matching)
    for what, number in result.observations.items():
        print_fact(console, f"observed: {what}: {number:,}")
    print_fact(console, _figures(result), "dim")
    if result.verdict is not Verdict.VIOLATED and nobody_asked_whether_it_ends(result.properties):
        print_fact(console, f"{NOTHING_ABOUT_ENDING}: ask with --terminates", "dim")
    say_where_traces_are(result.program, result.violations, console)
    _say_where_the_certificate_is(result, console)
    _say_where_the_witness_is(result, console)


def print_shown(console: Console, shown: Sequence[Shown]) -> None:
    """Of the way to the verdict, before it. Lines are texts of programs: none is folded."""
    for one in shown:
        console.print(Text(printable(one.title), "bold"))
        for line in one.lines:
            console.print(Text(f"  {printable(line)}".rstrip()))
        console.print()


def function_text(coverage: Mapping[str, object]) -> str:
    """What was come to of one function."""
    missed = cast(Sequence[int], coverage["missed"])
    place = Path(str(coverage["file"])).name
    what = "lines" if len(missed) > 1 else "line"
    rest = f"; not reached: {what} {', '.join(map(str, missed))}" if missed else ""
    reached = f"{coverage['reached']} of {coverage['blocks']} blocks reached"
    return f"{place}: {coverage['function']}: {reached}{rest}"


def print_pair(console: Console, matching: Mapping[str, object]) -> None:
    """Two states with one key that do not behave alike."""
    print_fact(console, "two states that count as one:")
    for value in cast(Sequence[Mapping[str, object]], matching["values"]):
        first, second = value_text(value["first"]), value_text(value["second"])
        print_fact(console, f"  {value['name']} = {first} in the first, {second} in the second")
    step = cast("Mapping[str, object] | None", matching["step"])
    if step is None:
        return
    place = f" ({Path(str(step['file'])).name}:{step['line']})" if step["file"] else ""
    changes = cast(Sequence[Mapping[str, object]], step["changes"])
    told = ", ".join(
        f"{one['name']}: {value_text(one['first'])} -> {value_text(one['second'])}"
        for one in changes
        if not is_place(str(one["name"]))
    )
    print_fact(
        console,
        f"  the first has the step {step['process']} {step['text']}{place}" + (f": {told}" if told else ""),
    )
    print_fact(console, "  and no step of the second leads to a state that counts as the same")


def print_violations(console: Console, violations: Sequence[Violation]) -> None:
    for violation in violations:
        console.print()
        if violation.counterexample is not None:
            print_run(violation.counterexample, console=console)
        else:
            print_fact(console, f"{violation.kind}: {violation.message}")
    if violations:
        console.print()


def _headline(result: Result) -> str:
    if result.verdict is Verdict.VERIFIED:
        granularity = result.semantics.get("granularity")
        under = f" (granularity {granularity})" if granularity else ""
        if result.proof is not None:
            seen = proof_text(result)
        elif result.cache is not None and result.cache.forgot:
            seen = f"every reachable state visited ({count(result.states, 'visit')})"
        else:
            seen = f"all {count(result.states, 'reachable state')} visited"
        granted = cast(list[str], result.semantics.get("granted") or [])
        given = f"; taken for granted: {', '.join(granted)}" if granted else ""
        return f"{seen}, every property asked for holds{under}{given}{_left_out(result)}"
    if result.verdict is Verdict.VIOLATED:
        if not result.violations:
            return f"{count(result.violation_count, 'violation')}"
        first = violation_text(result.violations[0])
        if result.violation_count > 1:
            return f"{count(result.violation_count, 'violation')}, the first: {first}"
        return first
    if result.verdict is Verdict.INCOMPLETE:
        return "no violation found, but " + "; ".join(result.reasons)
    return "; ".join(result.reasons)


def proof_text(result: Result) -> str:
    """What a proof rests on, where not every state was visited."""
    proof = result.proof or {}
    conjuncts, locations = cast(int, proof.get("conjuncts", 0)), cast(int, proof.get("locations", 0))
    if proof.get("kind") in {"closed abstraction", "bisimulation"}:
        also = ", a bisimulation" if proof["kind"] == "bisimulation" else ""
        return (
            f"no step leaves its {count(conjuncts, 'abstract state')} at {count(locations, 'location')}{also}"
        )
    if proof.get("kind") == "unrolled":
        return f"every run was followed to its end ({count(cast(int, proof['bound']), 'round')} of its loops)"
    if proof.get("kind") == "contracts":
        procedures = count(cast(int, proof["procedures"]), "procedure")
        return f"proved by contracts ({count(conjuncts, 'conjunct')} for {procedures})"
    if proof.get("kind") == "cut points":
        return f"proved by an invariant ({count(conjuncts, 'conjunct')} at {count(locations, 'loop')})"
    return (
        f"proved by an invariant ({count(conjuncts, 'conjunct')} at {count(locations, 'location')}, "
        f"after {count(result.states, 'state')})"
    )


def _left_out(result: Result) -> str:
    """What the program or its user mentions and nobody looked at; a headline says no more than is known."""
    texts = [one.text for one in left_out(result.properties)]
    return f"; not looked at: {', '.join(texts)}" if texts else ""


def violation_text(violation: Violation) -> str:
    place = ""
    if violation.file is not None:
        place = f" ({Path(violation.file).name}" + (f":{violation.line})" if violation.line else ")")
    return f"{violation.headline()}{place}"


def _figures(result: Result) -> str:
    rate = result.states / result.search_seconds if result.search_seconds > 0.01 else 0.0
    compiling = f"compiling {seconds_text(result.compile_seconds)}, " if result.compile_seconds else ""
    forgot = result.cache is not None and result.cache.forgot
    of_states = [
        count(result.states, "state visit" if forgot else "state"),
        count(result.transitions, "transition"),
        *([f"depth {result.depth:,}"] if result.proof is None else []),
    ]
    parts = [
        *(of_states if result.language != "c" else []),  # C programs are formulas, not states
        f"{seconds_text(result.seconds)} ({compiling}"
        f"searching {seconds_text(result.search_seconds)}{' at ' + rate_text(rate) if rate else ''})",
    ]
    if result.peak_memory_bytes:
        parts.append(f"peak memory {bytes_text(result.peak_memory_bytes)}")
    return ", ".join(parts)


def coverage_text(coverage: Mapping[str, object]) -> str:
    """An estimate in one sentence that nobody can take for a verdict."""
    share, low, high = (100 * cast(float, coverage[key]) for key in ("coverage", "low", "high"))
    how = f"an estimate, no proof (by {coverage['method']})"
    if low == 0.0 and high == 100.0:
        return f"coverage: unknown; {coverage['method']} alone says {share:.3g} %, with nothing to bound it"
    if low == 0.0:
        return f"coverage: at most {high:.3g} % of all states were visited, {how}"
    return f"coverage: about {share:.3g} % of all states (between {low:.3g} and {high:.3g} %), {how}"


def say_where_traces_are(program: str, violations: Sequence[Violation], console: Console) -> None:
    """The command stands on a line of its own where it would be broken: it is there to be copied."""
    traces = [violation.trace for violation in violations if violation.trace]
    if not traces:
        return
    told = f"  saved as {', '.join(traces)}; walk through it:"
    command = shlex.join(("assay", "replay", program, traces[0]))
    fits = not console.is_terminal or len(told) + 1 + len(command) <= console.width
    console.print(f"{told} {command}" if fits else f"{told}\n    {command}", markup=False)


def _say_where_the_witness_is(result: Result, console: Console) -> None:
    if result.witness is None:
        return
    witness = result.witness
    what = "segment" if witness["kind"] == "violation_sequence" else "invariant"
    left_out = cast(int, witness["left_out"])
    more = f", {count(left_out, 'conjunct')} left out that C cannot say" if left_out else ""
    print_fact(console, f"witness: {witness['path']}, {count(cast(int, witness['parts']), what)}{more}")
    command = shlex.join(("assay", "certify", result.program, str(witness["path"])))
    console.print(f"  validate it: {command}", markup=False)


def _say_where_the_certificate_is(result: Result, console: Console) -> None:
    if result.certificate is None:
        return
    path, size = str(result.certificate["path"]), cast(int, result.certificate["bytes"])
    transitions = (result.cache.transitions_of_graph if result.cache else 0) or result.transitions
    share = f", {size / transitions:.2f} bytes per transition" if transitions and result.proof is None else ""
    print_fact(console, f"certificate: {path}, {bytes_text(size)}{share}")
    # Left to the terminal to fold, so that it can be copied as one line.
    console.print(f"  check it: {shlex.join(_certifying(result, path))}", markup=False)


def _certifying(result: Result, certificate: str) -> list[str]:
    """The command that accepts this claim: what the producer chose has to be asked for."""
    command = ["assay", "certify", result.program, certificate]
    for macro in cast(Sequence[str], result.semantics.get("defines", ())):
        command += ["-D", macro]
    for flag in cast(Sequence[str], result.semantics.get("flags", ())):  # of a C program
        command += ["-D", flag[2:]] if flag.startswith("-D") else []
    if result.semantics.get("data_model", "LP64") != "LP64":
        command += ["--data-model", str(result.semantics["data_model"])]
    for rule in cast(Sequence[str], result.options.get("rules") or ()):
        command += ["--rule", rule]
    granularity = result.semantics.get("granularity", "bytecode")
    if granularity != "bytecode":
        command += ["--granularity", str(granularity)]
    if "embedded_c" in result.semantics:
        command.append("--foreign-code")
        for name, flag in (("c_sources", "--c-source"), ("cflags", "--cflags"), ("ldflags", "--ldflags")):
            for value in cast(Sequence[str], result.options.get(name, ())):
                command += [flag, value]
        if result.options.get("sanitize") is True:
            command.append("--sanitize")
    if result.options.get("check_deadlock") is False:
        command.append("--no-deadlock")
    if result.semantics.get("safety_only") is True:
        command.append("--safety")
    for formula in cast(Sequence[str], result.options.get("ltl", ())):
        command += ["--ltl", formula]
    if result.options.get("fair") is True and any(one.kind in TEMPORAL for one in result.properties):
        command.append("--fair")
    command += [f"--{name}" for name in ("progress", "terminates") if result.options.get(name) is True]
    return command


def print_run(run: Counterexample, *, every_step: bool = False, console: Console | None = None) -> None:
    """The steps of a run, its violation, and for a deadlock who waits for what."""
    console = console or make_console()
    from assay.evidence.explanation import explain  # only those who failed need it

    explanation = explain(run)
    if explanation:
        print_fact(console, explanation, "bold")
    if is_sequential(run):
        print_steps(run, _steps_shown(run, every_step=every_step), console)
        print_violation(run, console)
        return
    if has_threads(run):
        print_schedule(run, console, every_step=every_step)
        print_violation(run, console)
        return
    columns = Columns(run)
    initial = ", ".join(
        f"{name} = {value_text(value)}" for name, value in run.initial.items() if not is_place(name)
    )
    if initial:
        print_fact(console, f"start  {shortened(initial, 4 * PIPE_WIDTH)}", "dim")
    shown = _steps_shown(run, every_step=every_step)
    previous = 0
    for step in shown:
        left_out = []
        if step.number != previous + 1:
            left_out.append(f"{count(step.number - previous - 1, 'step')} not shown")
        if run.omitted and previous < run.omitted_before <= step.number:
            left_out.append(f"{count(run.omitted, 'transition')} not recorded")
        if left_out:
            console.print(Text(f"         ... {', '.join(left_out)} ...", "dim"))
        if run.loop_step is not None and previous < run.loop_step <= step.number:
            console.print(Text("         from here on, round and round:", "bold"))
        _print_step(step, columns, console)
        previous = step.number
    if run.loop_start is not None:
        console.print(Text(f"         {how_it_goes_on(run)}", "bold"))
    print_violation(run, console)


def print_live(run: Counterexample, outcome: LiveReplay, *, console: Console | None = None) -> None:
    console = console or make_console()
    print_run(run, console=console)
    word = "reproduced" if outcome.reproduced else "not reproduced"
    text = (
        f"{word} in CPython {outcome.python}: {outcome.message} "
        f"({outcome.passed} of {count(outcome.total, 'event')} followed)"
    )
    heading = Text(f"  {printable(text)}")
    heading.stylize("bold green" if outcome.reproduced else "bold yellow", 2, 2 + len(word))
    console.print(heading)


def print_harness(written: WrittenHarness, *, console: Console | None = None) -> None:
    console = console or make_console()
    print_fact(console, f"written: {', '.join(written.files)}")
    console.print(f"  compile and run: {written.command}", markup=False)
    how = "" if written.executed.reached else "it does not show the failure: "
    print_fact(console, f"{how}{written.executed.what}")


def print_violation(run: Counterexample, console: Console) -> None:
    kind, message = run.violation.kind, run.violation.message
    said = message if message.startswith(f"{kind}:") else f"{kind}: {message}"
    place = ""
    if run.violation.file is not None:
        place = f"{Path(run.violation.file).name}:{run.violation.line}"
    ending = Text(_folded(console, f"  violated  {said}{'  ' if place else ''}{place}", " " * INDENT_OF_RUNS))
    ending.stylize("bold red", 2, 10)
    ending.stylize("cyan", len(ending.plain) - len(place))
    console.print(ending)
    for text in (*run.violation.traceback, *run.violation.values):
        console.print(Text(f"            {printable(text)}"))
    for sentence in sentences(run):
        print_fact(console, f"          {sentence}")
    for waiting in run.waiting:
        place = f"at {Path(waiting.file).name}:{waiting.line} for  " if waiting.line else ""
        indent = " " * INDENT_OF_RUNS
        told = f"{indent}{waiting.process} {DOES[waiting.how]} {place}{waiting.text}"
        line = Text(_folded(console, told, f"{indent}  "))
        line.stylize("bold", INDENT_OF_RUNS, INDENT_OF_RUNS + len(waiting.process))
        console.print(line)
        if waiting.reason and run.loop_start is None:
            reason = waiting.reason.removeprefix(waiting.text).removeprefix(", ")
            console.print(Text(_folded(console, f"{indent}  {reason}", f"{indent}  ")))


def step_line(step: Step, columns: Columns, width: int) -> Text:
    """No statement is cut: what has no room goes on below."""
    line = Text(f"{step.number:>7}  ", "dim")
    line.append(step.process.ljust(columns.process), "bold")
    line.append("  ")
    line.append(columns.place_of(step).ljust(columns.place), "cyan")
    line.append("  ")
    room = max(TEXT_COLUMN, width - line.cell_len)
    first, *more = wrapped(step.text, room, room - HANGING_INDENT)
    line.append(first.ljust(columns.text))
    for text in more:
        line.append("\n" + " " * (columns.before_text + HANGING_INDENT) + text)
    return line


class Columns:
    """Widths that fit all steps of a run."""

    def __init__(self, run: Counterexample) -> None:
        self.process = max((len(step.process) for step in run.steps), default=0)
        self.place = max((len(self.place_of(step)) for step in run.steps), default=0)
        self.text = min(TEXT_COLUMN, max((len(step.text) for step in run.steps), default=0))
        self.before_text = 9 + self.process + 2 + self.place + 2

    @staticmethod
    def place_of(step: Step) -> str:
        return f"{Path(step.file).name}:{step.line}"


def _print_step(step: Step, columns: Columns, console: Console) -> None:
    line = step_line(step, columns, console.width)
    changes = ", ".join((*change_texts(step.changes), *step.conditions))
    if changes:
        used = columns.before_text + max(columns.text, len(step.text))
        fits = used + 2 + len(changes) <= console.width
        if fits or (not console.is_terminal and used < console.width // 2):
            line.append("  " + changes, "yellow")
        else:
            line.rstrip()
            indent = " " * 11
            line.append("\n" + _folded(console, indent + changes, f"{indent}  "), "yellow")
    line.rstrip()
    console.print(line)


def _steps_shown(run: Counterexample, *, every_step: bool) -> tuple[Step, ...]:
    if every_step or len(run.steps) <= STEPS_SHOWN:
        return run.steps
    return (*run.steps[:STEPS_SHOWN_AT_EACH_END], *run.steps[-STEPS_SHOWN_AT_EACH_END:])
