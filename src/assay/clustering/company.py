"""Several workers, level after level, each with its own partitions, without asking anybody else.

Each expands what it has of the level, hands the others the candidates that are theirs, merges what it was
handed, and tells the others how many states are new. All know the same then, and so each decides for itself,
as all others do, whether to go on. What a level needs beside that is one exchange of blocks for each slice,
one of summaries and, where states have an order of discovery, one of their ranks.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from typing import Any

from assay.clustering.grouping import slices_for
from assay.clustering.work import Part, Piece, Run, Search, ranks_of, slice_of
from assay.distribution.meeting import Meeting
from assay.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """The part of one worker."""

    search: Search
    lessons: tuple[str, ...]
    syncs: bool
    meeting: str
    addresses: list[str]
    own: int  # its number among them
    group_of: list[int]  # who has a partition
    parts: list[Part]
    visited: dict[int, list[Run]]
    depth: int
    level_states: int  # of all
    most_states: int  # of one worker
    bytes_per_state: float  # of candidates, in the level before
    block_budget: int
    narrow_states: int  # a level as small as this is for one worker alone
    seconds: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What a worker tells the others of a level."""

    new: int
    block_bytes: int
    found: bool
    tired: bool
    lessons: list[str]
    keys: dict[int, Piece]


@dataclass(slots=True)
class LevelDone:
    """What a worker has to say of its part of a level."""

    told: list[dict[str, Any]]  # of each slice
    merged: dict[str, Any]
    ranks: list[
        dict[int, Piece]
    ]  # of the new states of all partitions, if they have an order; the first tells


Call = Callable[..., Any]  # of the child: its name, the lessons, arguments


def advance(company: Company, is_wanted: Callable[[], bool], child: Call) -> list[LevelDone]:
    end = time.monotonic() + company.seconds
    lessons = list(company.lessons)
    parts, visited = company.parts, company.visited
    depth, states = company.depth, company.level_states
    most_states, bytes_per_state = company.most_states, company.bytes_per_state
    levels: list[LevelDone] = []
    with Meeting(company.meeting, company.addresses, company.own, is_wanted) as meeting:
        while True:
            slices = slices_for(most_states, bytes_per_state, company.block_budget)
            told: list[dict[str, Any]] = []
            merged = _level(company, meeting, child, lessons, parts, visited, depth, slices, told)
            everybody = _summaries(meeting, company, _summary(told, merged, time.monotonic() > end))
            lessons += [name for one in everybody for name in one.lessons if name not in lessons]
            ranks = _ranks(meeting, company, child, lessons, everybody, states)
            levels.append(LevelDone(told, merged, ranks if company.own == 0 else []))
            bytes_per_state = sum(one.block_bytes for one in everybody) / states
            states = sum(one.new for one in everybody)
            most_states = max(one.new for one in everybody)
            if (
                states <= company.narrow_states
                or any(one.found for one in everybody)
                or any(one.tired for one in everybody)
            ):
                return levels
            parts = [
                (number, level, 0, level[2], ranks_of(ranks, number))
                for number, level, _, _ in merged["parts"]
                if level[2]
            ]
            visited = {number: runs for number, _, _, runs in merged["parts"]}
            depth += 1


def _level(
    company: Company,
    meeting: Meeting,
    child: Call,
    lessons: Sequence[str],
    parts: Sequence[Part],
    visited: dict[int, list[Run]],
    depth: int,
    slices: int,
    told: list[dict[str, Any]],
) -> dict[str, Any]:
    """A level, in slices whose candidates fit in memory: all but the last are put aside first."""
    aside: dict[int, list[Piece]] = {number: [] for number in visited}
    for number in range(slices):
        facts, blocks = child(
            "expand",
            lessons,
            parts=slice_of(parts, number, slices),
            depth=depth,
            group_of=company.group_of,
            own_group=company.own,
        )
        told.append(facts)
        arrived = meeting.exchange(blocks)
        if number + 1 == slices:
            break
        del blocks
        for partition, piece in child("put_aside", lessons, blocks=arrived, kept=facts["kept"]).items():
            aside[partition].append(piece)
    merged: dict[str, Any] = child(
        "merge",
        lessons,
        parts=[(number, runs, aside[number]) for number, runs in visited.items()],
        blocks=arrived,
        kept=facts["kept"],
    )
    return merged


def _summary(told: Sequence[dict[str, Any]], merged: dict[str, Any], tired: bool) -> Summary:
    return Summary(
        new=sum(level[2] for _, level, _, _ in merged["parts"]),
        block_bytes=sum(sum(facts["bytes"]) for facts in told),
        found=any(facts["found"] for facts in told),
        tired=tired,
        lessons=[name for facts in told for name in facts["lessons"]],
        keys={number: keys for number, _, keys, _ in merged["parts"]},
    )


def _summaries(meeting: Meeting, company: Company, own: Summary) -> list[Summary]:
    content = pickle.dumps(own)
    # Our own work on the other workers wrote them.
    return [pickle.loads(one) for one in meeting.exchange([content] * len(company.addresses))]  # noqa: S301


def _ranks(
    meeting: Meeting,
    company: Company,
    child: Call,
    lessons: Sequence[str],
    everybody: Sequence[Summary],
    parents: int,
) -> list[dict[int, Piece]]:
    """The order of the new states; each worker finds a slice of it."""
    if not company.search.in_order:
        return []
    keys = {number: piece for one in everybody for number, piece in one.keys.items()}
    found = child(
        "rank",
        lessons,
        keys=keys,
        parents=parents,
        slice_number=company.own,
        slices=len(company.addresses),
    )
    content = pickle.dumps(found)
    return [pickle.loads(one) for one in meeting.exchange([content] * len(company.addresses))]  # noqa: S301
