"""What the runs of a swarm are: drawn from one seed, each able to be repeated alone.

Run number i of seed s depends on s, i and the memory of a run alone, so more runs or more workers only add
runs. A kind of run says what kind of path it takes through the states; what it draws besides (seed of hashes
and orders, number of hash functions, size of the table, depth) makes two runs of one kind differ.

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
ONCE = "breadth"  # it would go the same way again
# Without hash functions that differ, these would too.
SAME_WHEN_EXACT = {"reversed": "random", "given": "random", "rotated": "random-processes"}
RESTART_AFTER = (1_000, 10_000, 100_000)
MOST_RESTARTS = 2**32
DEPTHS = (100, 10_000)
HASH_FUNCTIONS = (1, 2, 3, 4)
SHARES_OF_MEMORY = (0.5, 0.125, 0.03125)  # that the table of bits takes of what a run may have
LEAST_TABLE = 1 << 16
BYTES_PER_RESTARTED_STATE = 16


@dataclass(frozen=True, slots=True)
class PlannedRun:
    number: int  # from 0
    kind: str
    keywords: Mapping[str, object] = field(default_factory=dict)  # of `assay.verify`, without limits on time

    def options(self, **more: object) -> SearchOptions:
        return SearchOptions.from_keywords({**self.keywords, **more})

    def command(self, program: str, language: LanguageOptions, *, more: Mapping[str, object]) -> str:
        """Repeats the run alone."""
        given = {**self.keywords, **more}
        return shlex.join(["assay", "verify", program, *_search_flags(given), *language_flags(language)])


def plan(runs: int, *, seed: int, memory_bytes: int, lossy: bool) -> list[PlannedRun]:
    """`memory_bytes` is what each run may have; `lossy`: states may be kept as a few bits."""
    return [_planned(number, seed=seed, memory_bytes=memory_bytes, lossy=lossy) for number in range(runs)]


def _planned(number: int, *, seed: int, memory_bytes: int, lossy: bool) -> PlannedRun:
    source = random.Random(f"assay swarm {seed} {number}")
    kinds = [*KINDS] if number < len(KINDS) else [one for one in KINDS if one != ONCE]
    kind = kinds[number if number < len(KINDS) else (number - len(KINDS)) % len(kinds)]
    if not lossy:
        kind = SAME_WHEN_EXACT.get(kind, kind)
    keywords: dict[str, object] = {**KINDS[kind], "memory_limit_bytes": memory_bytes}
    if kind == ONCE:
        return PlannedRun(number, kind, keywords)
    keywords["seed"] = source.getrandbits(32)
    table_bytes = int(memory_bytes * source.choice(SHARES_OF_MEMORY))
    functions = source.choice(HASH_FUNCTIONS)
    if kind == "restarting":
        keywords |= {"restarts": MOST_RESTARTS, "restart_after": source.choice(RESTART_AFTER)}
        # Each attempt begins with a table of zeros: one that is too large costs more than the search.
        table_bytes = min(table_bytes, BYTES_PER_RESTARTED_STATE * source.choice(RESTART_AFTER))
    if kind == "shallow":
        low, high = (math.log(depth) for depth in DEPTHS)
        keywords["max_depth"] = round(math.exp(source.uniform(low, high)))
    if lossy:
        keywords |= {
            "storage": "bitstate",
            "hash_functions": functions,
            "bitstate_memory_bytes": max(LEAST_TABLE, table_bytes),
        }
    return PlannedRun(number, kind, keywords)


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
