"""A run that goes round for ever, in plain words: what those who move do again and again.

Only what the steps of the cycle show is said: that somebody reads what nobody changes, or gives its own lock
back where another one is taken. Everything else is told step by step above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.evidence.counterexample import Counterexample, Step

TRIES = re.compile(r"\.acquire\((?:blocking\s*=\s*False|False|timeout\b|.*\btimeout\s*=)")
GIVES_BACK = re.compile(r"\.release\(\)")


def sentences(run: Counterexample) -> Iterator[str]:
    """None for a run that ends."""
    if run.loop_start is None:
        return
    if run.loop_start == len(run.positions):
        if run.conditions:
            yield f"for ever: {', '.join(run.conditions)}"
        return
    cycle = [step for step in run.steps if step.transition >= run.loop_start]
    movers = list(dict.fromkeys(step.process for step in cycle))
    doing = {mover: _what(mover, cycle) for mover in movers}
    if not any(doing.values()):
        rounds = "goes" if len(movers) == 1 else "go"
        places = {(step.file, step.line) for step in cycle}
        where = f" in line {cycle[0].line}: {cycle[0].text}" if len(places) == 1 else ""
        yield f"{_listed(movers)} {rounds} round for ever{where}"
    else:
        for what in dict.fromkeys(doing.values()):
            those = [mover for mover in movers if doing[mover] == what]
            one = len(those) == 1
            if not what:
                yield f"{_listed(those)} {'goes' if one else 'go'} on as before"
            elif what == BACKS_OFF:
                yield (
                    f"{_listed(those)} {'takes' if one else 'take'} a lock, "
                    f"{'finds' if one else 'find'} another one taken and {'gives' if one else 'give'} "
                    f"{'its own' if one else 'their own'} back, again and again"
                )
            else:
                reads = f"{'reads' if one else 'read'} {what} again and again"
                yield f"{_listed(those)} {reads}, and nobody changes it"
    if run.conditions:
        yield f"all the way round: {', '.join(run.conditions)}"
    if any(one.how == "starves" for one in run.waiting):
        yield "such a run is unfair; with --fair only others count"


BACKS_OFF = "backs off"


def _what(mover: str, cycle: Sequence[Step]) -> str:
    own = [step for step in cycle if step.process == mover]
    texts = [step.text for step in own]
    if any(map(TRIES.search, texts)) and any(map(GIVES_BACK.search, texts)):
        return BACKS_OFF
    read = {access.name for step in own for access in step.accesses if access.kind == "read" and access.name}
    written = {a.name for step in cycle for a in step.accesses if a.kind == "write"}
    changed = {change.name for step in cycle for change in step.changes if "@" not in change.name}
    does_more = any(not step.accesses for step in own) or any(
        a.kind == "write" for s in own for a in s.accesses
    )
    if len(read) == 1 and not does_more and not read & (written | changed):
        return read.pop()
    return ""


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
