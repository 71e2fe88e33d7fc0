"""What the runs of a swarm are: drawn from one seed, each able to be repeated alone.

Run number i of seed s depends on s, i and what a run may have of memory and time, so more runs or more
workers only add runs. A kind of run says what kind of path it takes through the states; what it draws besides
(seed of hashes and orders, number of hash functions, size of the table, depth) makes two runs of one kind
differ.

Every second run draws the order of processes anew in each state, and has three shares of the time where the
others have one: those are the searches that come to deep errors; the others see early what an order of theirs
shows. Time and memory go together: clearing a table that a run cannot fill takes the time it has.

    random             all steps of a state in random order
    breadth            level by level, exact: shortest counterexamples; of a small program everything (once)
    restarting         random, and from the beginning again after some thousand states
    reversed           processes and their steps the other way round
    random-processes   processes in an order drawn in every state, their steps as they stand
    shallow            random, not deeper than some hundred or thousand steps
    permuted           processes in one drawn order, their steps rotated
    given              as the program lists its steps
    random-steps       processes as they stand, their steps in random order
    rotated            processes rotated, their steps reversed

Programs whose states must be kept whole (classes) are searched with exact storage: there the order, the depth
and the restarts are what differs.
"""

from __future__ import annotations

import math
import random
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import field

from assay.records import dataclass
from assay.search.options import SearchOptions, table
from assay.transition_system import language_options
from assay.transition_system.language_options import REDUCTIONS, LanguageOptions

KINDS: Mapping[str, Mapping[str, object]] = {
    "random": {"search": "random-dfs"},
    "breadth": {"search": "bfs"},
    "restarting": {"search": "random-dfs"},
    "reversed": {"search": "dfs", "order": "reversed", "process_order": "reversed"},
    "random-processes": {"search": "dfs", "process_order": "random"},
    "shallow": {"search": "random-dfs"},
    "permuted": {"search": "dfs", "process_order": "permuted", "order": "rotated"},
    "given": {"search": "dfs"},
    "random-steps": {"search": "dfs", "order": "random"},
    "rotated": {"search": "dfs", "process_order": "rotated", "order": "reversed"},
}
DRAWN_IN_EACH_STATE = {"random", "restarting", "random-processes"}
ROUND = (
    "random", "breadth", "restarting", "reversed", "random-processes", "shallow", "restarting", "permuted",
    "random", "given", "restarting", "random-steps", "random-processes", "rotated",
)  # fmt: skip
ONCE = "breadth"  # it would go the same way again
# Without hash functions that differ, these would too; what stands for them has as many shares of the time.
SAME_WHEN_EXACT = {"reversed": "shallow", "given": "random-steps", "rotated": "random-steps"}
RESTART_AFTER = (5_000, 500_000)
MOST_RESTARTS = 2**32
DEPTHS = (100, 10_000)
HASH_FUNCTIONS = (1, 2, 3, 4)
SHARES_OF_MEMORY = (0.5, 0.125, 0.03125)  # that the table of bits takes of what a run may have
LEAST_TABLE = 1 << 16
BYTES_PER_RESTARTED_STATE = 16
BYTES_PER_SECOND = 4 << 20  # of the table that a run can fill: a million states, 32 bits for each


@dataclass(frozen=True, slots=True)
class PlannedRun:
    number: int  # from 0
    kind: str
    keywords: Mapping[str, object] = field(default_factory=dict)  # of `assay.verify`, without limits on time

    @property
    def shares(self) -> int:
        """Of the time."""
        return shares_of(self.kind)

    def options(self, **more: object) -> SearchOptions:
        return SearchOptions.from_keywords({**self.keywords, **more})

    def command(self, program: str, language: LanguageOptions, *, more: Mapping[str, object]) -> str:
        """Repeats the run alone."""
        given = {**self.keywords, **more}
        return shlex.join(["assay", "verify", program, *_search_flags(given), *language_flags(language)])


def plan(
    runs: int, *, seed: int, memory_bytes: int, seconds_of_a_share: float, lossy: bool
) -> list[PlannedRun]:
    """`memory_bytes` is what each run may have; `lossy`: states may be kept as a few bits."""
    return [
        _planned(
            number, seed=seed, memory_bytes=memory_bytes, seconds_of_a_share=seconds_of_a_share, lossy=lossy
        )
        for number in range(runs)
    ]


def shares_of(kind: str) -> int:
    return 3 if kind in DRAWN_IN_EACH_STATE else 1


def shares_of_all(runs: int) -> int:
    """Of the time, that so many runs have together."""
    return sum(shares_of(_kind(number)) for number in range(runs))


def _kind(number: int) -> str:
    if number < len(ROUND):
        return ROUND[number]
    later = [kind for kind in ROUND if kind != ONCE]
    return later[(number - len(ROUND)) % len(later)]


def _planned(
    number: int, *, seed: int, memory_bytes: int, seconds_of_a_share: float, lossy: bool
) -> PlannedRun:
    source = random.Random(f"assay swarm {seed} {number}")
    kind = _kind(number)
    if not lossy:
        kind = SAME_WHEN_EXACT.get(kind, kind)
    keywords: dict[str, object] = {**KINDS[kind], "memory_limit_bytes": memory_bytes}
    if kind == ONCE:
        return PlannedRun(number, kind, keywords)
    keywords["seed"] = source.getrandbits(32)
    table_bytes = int(memory_bytes * source.choice(SHARES_OF_MEMORY))
    table_bytes = min(table_bytes, _fillable(seconds_of_a_share * shares_of(kind)))
    functions = source.choice(HASH_FUNCTIONS)
    if kind == "restarting":
        restart_after = _drawn(source, RESTART_AFTER)
        keywords |= {"restarts": MOST_RESTARTS, "restart_after": restart_after}
        # Each attempt begins with a table of zeros: one that is too large costs more than the search.
        table_bytes = min(table_bytes, BYTES_PER_RESTARTED_STATE * restart_after)
    if kind == "shallow":
        keywords["max_depth"] = _drawn(source, DEPTHS)
    if lossy:
        keywords |= {
            "storage": "bitstate",
            "hash_functions": functions,
            "bitstate_memory_bytes": max(LEAST_TABLE, table_bytes),
        }
    return PlannedRun(number, kind, keywords)


def _fillable(seconds: float) -> int:
    """The bytes of a table that a run of so long can fill: a power of two, so that a little more or less time
    makes no other run."""
    return 1 << max(0, math.ceil(math.log2(max(1.0, seconds * BYTES_PER_SECOND))))


def _drawn(source: random.Random, between: tuple[int, int]) -> int:
    """Each order of magnitude as often as the others."""
    low, high = (math.log(end) for end in between)
    return round(math.exp(source.uniform(low, high)))


def _search_flags(given: Mapping[str, object]) -> Iterator[str]:
    for _, option in table():
        value = given.get(option.name)
        if option.name not in given:
            continue
        if option.kind == "switch":
            is_set = (not value) if option.flag.startswith("--no-") else bool(value)
            yield from [option.flag] if is_set else []
        else:
            unit = "s" if option.kind == "duration" else ""
            yield from (option.flag, f"{value}{unit}")


def language_flags(options: LanguageOptions) -> Iterator[str]:
    """The flags that ask for these options."""
    for name, option in language_options.table():
        value = getattr(options, name)
        if option.kind == "reductions":
            yield from (f"--no-{one}" for one in REDUCTIONS if one not in value)
        elif option.kind == "switch":
            yield from [option.flag] if value else []
        elif isinstance(value, str):
            yield from (option.flag, value) if value else ()
        else:
            for one in value:
                yield from (option.flag, one)
