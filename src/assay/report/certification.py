"""The outcome of a certification as people read it.

What goes into a pipe is printed as it is: to import `rich` takes longer than to check most proofs.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from assay.certification.result import CertificationResult
from assay.evidence.properties import TERMINATION
from assay.evidence.verdict import Verdict
from assay.report.quantities import bytes_text, count, seconds_text, value_text
from assay.report.words import NOTHING_ABOUT_ENDING, printable

if TYPE_CHECKING:
    from rich.console import Console

OF_TERMINALS = ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")  # what `rich` may read


def print_certification(
    result: CertificationResult, *, quiet: bool = False, console: Console | None = None
) -> None:
    heading = f"{result.program}: {_headline(result)}"
    facts = [] if quiet else list(_facts(result))
    if console is None and not result.violations and _is_a_plain_pipe():
        sys.stdout.write(printable(f"{result.verdict}  {heading}") + "\n")
        sys.stdout.writelines(printable(f"  {text}") + "\n" for text, _ in facts)
        return
    from assay.report.console import make_console, print_fact, print_heading, print_violations

    console = console or make_console()
    print_heading(console, result.verdict, heading)
    if not quiet:
        print_violations(console, result.violations)
    for text, style in facts:
        print_fact(console, text, style)


def _is_a_plain_pipe() -> bool:
    return not sys.stdout.isatty() and not any(os.environ.get(name) for name in OF_TERMINALS)


def _facts(result: CertificationResult) -> Iterator[tuple[str, str]]:
    """With their styles."""
    if result.claim:
        yield f"claim: {result.claim}", ""
        yield f"under: {_semantics(result)}", ""
    for certified in result.temporal:
        where = " (in fair runs)" if certified.fair else ""
        yield (
            (
                f"holds: {printable(certified.title)}{where}, {count(certified.states, 'state')} and "
                f"{count(certified.transitions, 'transition')} with its automaton"
            ),
            "",
        )
    if result.signed_by:
        yield f"signed by key {result.signed_by}", ""
    for note in result.notes:
        yield f"note: {note}", ""
    if result.states:
        yield _figures(result), "dim"
    elif result.solver:
        yield (
            (
                f"{count(result.obligations or 0, 'obligation')}, {seconds_text(result.seconds)} (compiling "
                f"{seconds_text(result.compile_seconds)}, proving {seconds_text(result.run_seconds)}), "
                f"peak memory {bytes_text(result.peak_memory_bytes)}"
            ),
            "dim",
        )
    if result.verdict is Verdict.VERIFIED and TERMINATION[0] not in {one.kind for one in result.temporal}:
        yield f"{NOTHING_ABOUT_ENDING}: verify asks with --terminates", "dim"


def _headline(result: CertificationResult) -> str:
    if result.mode == "witness" and result.verdict is Verdict.VERIFIED:
        granted = cast(list[str], result.semantics.get("granted") or [])
        given = f"; taken for granted: {', '.join(granted)}" if granted else ""
        return f"the witness is confirmed: its invariants hold, and so does the specification{given}"
    if result.mode == "witness" and result.verdict is Verdict.VIOLATED:
        return f"the witness is confirmed: {result.violations[0].message}"
    if result.mode == "witness":
        return f"the witness is {NOT_CONFIRMED[result.verdict]}: {'; '.join(result.reasons)}"
    if result.verdict is Verdict.VERIFIED and result.solver:
        return (
            f"the certificate holds; {count(result.obligations or 0, 'obligation')} made from the "
            f"program text, all proved anew by {result.solver}"
        )
    if result.verdict is Verdict.VERIFIED:
        return {
            "trusted": "every state of the certificate was visited again, and its producer is believed",
            "explained": "the certificate holds; every transition was checked against a map of all states",
        }.get(result.mode, "the certificate holds; every transition was checked, nobody was trusted")
    if result.verdict is Verdict.VIOLATED:
        return f"what was added to the claim does not hold: {result.violations[0].message}"
    return "; ".join(result.reasons)


NOT_CONFIRMED = {Verdict.REJECTED: "rejected", Verdict.INCOMPLETE: "neither confirmed nor rejected"}


def _semantics(result: CertificationResult) -> str:
    parts = []
    for name, value in result.semantics.items():
        text = ", ".join(map(_item, value)) or "none" if isinstance(value, list) else value_text(value)
        parts.append(f"{name.replace('_', ' ')}: {text}")
    return "; ".join(parts)


def _item(value: object) -> str:
    """Of a list: a stranger's macro must not look like two."""
    text = str(value)
    return text if re.fullmatch(r"[A-Za-z0-9_.+:=-]+", text) else json.dumps(text)


def _figures(result: CertificationResult) -> str:
    parts = [
        count(result.states, "state"),
        count(result.transitions, "transition"),
        f"{seconds_text(result.seconds)} (compiling {seconds_text(result.compile_seconds)}, "
        f"walking {seconds_text(result.run_seconds)})",
        f"{count(result.tasks, 'task')} in {result.where}",
    ]
    if result.peak_memory_bytes:
        parts.append(f"peak memory {bytes_text(result.peak_memory_bytes)}")
    if result.wrong_acceptance_log2 is not None:
        parts.append(
            f"a wrong certificate passes with probability below 2^{math.ceil(result.wrong_acceptance_log2)}"
        )
    if result.duplicates:
        parts.append(f"{count(result.duplicates, 'state')} visited twice")
    return ", ".join(parts)
