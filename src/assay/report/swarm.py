"""What a swarm found out, as people read it, and its progress."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from assay.evidence.properties import left_out
from assay.evidence.sketch import ERRORS_TOLD, STANDARD_ERROR
from assay.evidence.verdict import Verdict
from assay.report.console import (
    coverage_text,
    make_console,
    print_fact,
    print_heading,
    print_violations,
    say_where_traces_are,
    violation_text,
)
from assay.report.progress import live_line
from assay.report.quantities import bytes_text, count, seconds_text
from assay.swarming.request import SwarmProgress
from assay.swarming.result import SwarmResult, SwarmRun, estimate_as_json

ENDS = {  # how runs end, in the order in which it is told
    "violation": "came to a violation",
    "finished": "came to their end",
    "time": "used up their time",
    "memory": "used up their memory",
    "depth": "reached their depth",
    "states": "reached their limit on states",
    "stuck": "did not answer in time",
    "crashed": "crashed",
    "lost": "were lost",
    "interrupted": "were interrupted",
    "not needed": "were not needed",
    "not begun": "were not begun",
}


def print_swarm(result: SwarmResult, *, quiet: bool = False, console: Console | None = None) -> None:
    console = console or make_console()
    print_heading(console, result.verdict, f"{result.program}: {_headline(result)}")
    if quiet:
        return
    print_violations(console, result.violations)
    for finding in result.findings:
        first = result.runs[finding.runs[0]]
        others = f", and by {count(len(finding.runs) - 1, 'other run')}" if len(finding.runs) > 1 else ""
        print_fact(
            console,
            f"found {seconds_text(finding.seconds)} after the start by run {first.number} ({first.kind}, "
            f"{count(first.states, 'state')}){others}",
        )
        print_fact(console, f"that run alone: {first.command}", "dim")
    if result.verdict is not Verdict.INCOMPLETE:
        for reason in result.reasons:
            print_fact(console, reason)
    for note in result.notes:
        print_fact(console, f"note: {note}")
    _print_runs(result, console)
    if result.seen is not None:
        share = 100 * ERRORS_TOLD * STANDARD_ERROR
        print_fact(
            console,
            f"seen by all together: about {result.seen.states:,} different states (within {share:.2g} %), "
            f"{result.seen.visits:,} counted in all runs",
        )
    if result.coverage is not None and result.verdict is not Verdict.VERIFIED:
        print_fact(console, coverage_text(estimate_as_json(result.coverage)))
    elif result.why_no_coverage and result.verdict is not Verdict.VERIFIED:
        print_fact(console, f"coverage: unknown; {result.why_no_coverage}")
    print_fact(console, _figures(result), "dim")
    say_where_traces_are(result.program, result.violations, console)


def print_plan(result: SwarmResult, *, console: Console | None = None) -> None:
    """The commands that repeat the runs."""
    console = console or make_console()
    for run in result.runs:
        console.print(f"{run.number:4}  {run.kind:16}  {run.command}", markup=False)


def _headline(result: SwarmResult) -> str:
    if result.verdict is Verdict.VIOLATED:
        first = violation_text(result.violations[0])
        several = len(result.violations)
        return f"{count(several, 'different violation')}, the first: {first}" if several > 1 else first
    if result.verdict is Verdict.VERIFIED:
        assert result.proved_by is not None
        run = result.runs[result.proved_by]
        seen = f"all {count(run.states, 'reachable state')} visited by run {run.number} ({run.kind}), exactly"
        left = ", ".join(one.text for one in left_out(result.properties))
        return f"{seen}; every property asked for holds" + (f"; not looked at: {left}" if left else "")
    return "no violation found, but " + "; ".join(result.reasons)


def _print_runs(result: SwarmResult, console: Console) -> None:
    ends = Counter(run.end for run in result.runs)
    told = [f"{ends.pop(end)} {words}" for end, words in ENDS.items() if end in ends]
    told += [f"{number} ended: {end}" for end, number in ends.items()]
    print_fact(console, f"{count(len(result.runs), 'run')}: {', '.join(told)}")
    kinds: dict[str, list[SwarmRun]] = {}
    for run in result.runs:
        if run.states:
            kinds.setdefault(run.kind, []).append(run)
    if not kinds:
        return
    print_fact(console, f"{'kind':18} {'runs':>5} {'states seen':>14} {'deepest':>9}  found", "dim")
    for kind, runs in sorted(kinds.items(), key=lambda item: -result.seen_by_kind.get(item[0], 0)):
        seen = result.seen_by_kind.get(kind)
        found = sum(1 for one in result.findings if kind in one.kinds)
        print_fact(
            console,
            f"{kind:18} {len(runs):>5} {'?' if seen is None else f'~{seen:,}':>14} "
            f"{max(run.depth for run in runs):>9,}  {count(found, 'violation') if found else '-'}",
        )


def _figures(result: SwarmResult) -> str:
    parts = [
        f"{seconds_text(result.seconds)} (compiling {seconds_text(result.compile_seconds)})",
        f"in {result.where}",
        f"seed {result.options['seed']}",
    ]
    if result.peak_memory_bytes:
        parts.append(f"peak memory of a run {bytes_text(result.peak_memory_bytes)}")
    return ", ".join(parts)


def progress_text(progress: SwarmProgress, elapsed: float) -> str:
    parts = [
        f"{progress.done:,} of {count(progress.runs, 'run')} done",
        f"{progress.states:,} states",
        seconds_text(elapsed),
    ]
    if progress.violations:
        parts.insert(1, f"{progress.violations:,} with violations")
    return "  ".join(parts)


@contextmanager
def swarm_listener(*, wanted: bool) -> Iterator[Callable[[SwarmProgress], None] | None]:
    """A listener that redraws one line, or None where nobody looks."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    began = time.monotonic()
    with live_line() as draw:
        yield lambda progress: draw(progress_text(progress, time.monotonic() - began))
