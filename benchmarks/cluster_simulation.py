"""A search on a cluster on paper: how long each level takes, of what it costs, and what it waits for.

Everything here is arithmetic. What is assumed stands where it is used; `docs/cluster-scale.md` says what is
left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.clustering.coordinator import (
    BLOCK_SHARE,
    COMMIT_SECONDS,
    NARROW_LEVELS,
    NARROW_STATES,
    NARROW_TOTAL,
)
from assay.clustering.grouping import partitions_for

DISK_BLOCK_BYTES = 1 << 14  # what is read of a run to look for a state
SLICE_MARGIN = 1.5  # of the coordinator's estimate
RANK_BYTES = 60  # of the piece that names the keys of a partition, in a message


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCosts:
    """Of one model, on one processor: CPU seconds and bytes."""

    expand_transition: float
    expand_candidate: float
    expand_slot: float  # for each partition that a worker could meet
    merge_candidate: float
    merge_candidate_doubling: float  # more for each doubling of the workers that it may come from
    merge_section: float
    merge_part: float  # for each partition
    rewrite_record: float
    put_aside_candidate: float
    header_bytes: float  # of a section
    candidate_bytes: float
    candidate_bytes_halving: float  # more for each halving of how densely candidates lie
    record_bytes: float  # of a state on disk
    in_order_expand: float  # so many times as much for a certificate
    in_order_merge: float
    in_order_bytes: float
    rank_state: float

    def expanding(self, transitions: float, candidates: float, slots: float) -> float:
        return (
            transitions * self.expand_transition
            + candidates * self.expand_candidate
            + slots * self.expand_slot
        )

    def merging(
        self, candidates: float, sections: float, sources: float, parts: float, rewritten: float
    ) -> float:
        each = self.merge_candidate + self.merge_candidate_doubling * math.log2(max(1.0, sources))
        return (
            candidates * each
            + sections * self.merge_section
            + parts * self.merge_part
            + rewritten * self.rewrite_record
        )

    def block_bytes(self, candidates: float, sections: float) -> float:
        if not candidates:
            return 0.0
        halvings = max(0.0, 40 - math.log2(max(1.0, candidates / sections)))
        each = min(
            max(1.0, self.candidate_bytes + self.candidate_bytes_halving * halvings), self.record_bytes + 1
        )
        return sections * self.header_bytes + candidates * each


@dataclass(frozen=True, slots=True, kw_only=True)
class DaskCosts:
    """CPU seconds of whoever does it."""

    scheduler_task: float
    client_task: float
    worker_task: float
    worker_byte: float  # of a block that is sent from worker to worker: both of them together
    payload_byte: float  # of what a task is given, on its way through client and scheduler
    child_byte: float  # between a Dask worker and its child, one way
    commit_run: float  # that is named in the file of the search


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """A worker is one process of one core, as the search has them; a machine has several."""

    workers_per_machine: int = 16
    memory_bytes: float = 4e9  # of a worker's child
    cache_bytes: float = 4e9  # of the system for files, for each worker
    network_bytes: float = 1.25e9  # a second, of a machine, each way
    disk_bytes: float = 2e9  # a second: of a machine, or of the one file server
    file_server: bool = False  # the shared directory is one machine's
    latency_seconds: float = (
        0.03  # of one round of tasks: to the scheduler, to a worker and back, three times
    )
    core_speed: float = 1.0  # against the one that was measured


@dataclass(frozen=True, slots=True)
class Profile:
    """Counts of each level: states, transitions, distinct successors, new states."""

    name: str
    levels: Sequence[tuple[float, float, float, float]]

    @property
    def states(self) -> float:
        return math.fsum(level[0] for level in self.levels)

    @property
    def transitions(self) -> float:
        return math.fsum(level[1] for level in self.levels)

    def scaled(self, states: float, *, levels: int = 1) -> Profile:
        """Of the same shape with so many states, each level drawn out into several."""
        factor = states / self.states / levels
        return Profile(
            self.name,
            [
                (max(1.0, a * factor), b * factor, c * factor, d * factor)
                for a, b, c, d in self.levels
                for _ in range(levels)
            ],
        )


@dataclass(slots=True)
class Simulated:
    workers: int
    seconds: float = 0.0
    engine_seconds: float = 0.0  # CPU of all workers together
    dask_seconds: float = 0.0  # of all Dask workers together
    scheduler_seconds: float = 0.0
    client_seconds: float = 0.0
    bytes_sent: float = 0.0
    bytes_at_home: float = 0.0  # of blocks that a worker makes for itself
    disk_read: float = 0.0  # of what is not in memory
    disk_written: float = 0.0
    disk_bytes: float = 0.0  # held in the end
    candidates: float = 0.0
    tasks: float = 0.0
    most_slices: int = 1
    bound: Counter[str] = field(default_factory=Counter)  # seconds that each waited for
    by_level: list[tuple[float, str]] = field(default_factory=list)

    @property
    def binding(self) -> str:
        return self.bound.most_common(1)[0][0]


def candidates_met(transitions: float, distinct: float, sources: float) -> float:
    """A state is a candidate once for each source that reaches it. To have all of them reached equally often
    makes a little too many of them."""
    if not distinct:
        return 0.0
    times = max(1.0, transitions / distinct)
    return min(max(transitions, distinct), distinct * sources * -math.expm1(times * _log_others(sources)))


def _log_others(sources: float) -> float:
    return math.log1p(-1 / sources) if sources > 1 else -math.inf


def sections_met(candidates: float, workers: int, slices: int = 1) -> float:
    """Non-empty ones, of each worker and slice for each partition."""
    most = float(workers * partitions_for(workers) * slices)
    return most * -math.expm1(-candidates / most) if candidates else 0.0


def skew(states: float, workers: int) -> float:
    """How much more than its share the fullest worker has if a hash deals states out: balls in bins."""
    if workers == 1:
        return 1.0
    each = max(states / workers, 1e-9)
    return min(float(workers), max(1 / each, 1 + math.sqrt(2 * math.log(workers) / each)))


class Runs:
    """The runs of states seen before of a partition, as the engine merges them: one stands for all."""

    def __init__(self) -> None:
        self.sizes: list[float] = []

    def add(self, records: float) -> float:
        """Answers how many are written again."""
        if records <= 0:
            return 0.0
        self.sizes.append(records)
        first, total = len(self.sizes) - 1, records
        while first > 0 and self.sizes[first - 1] <= 2 * total:
            first -= 1
            total += self.sizes[first]
        if first + 1 == len(self.sizes):
            return 0.0
        self.sizes[first:] = [total]
        return total

    def blocks_read(self, wanted: float, record_bytes: float) -> float:
        """If what is looked for lies anywhere."""
        read = 0.0
        for records in self.sizes:
            blocks = records * record_bytes / DISK_BLOCK_BYTES
            read += blocks * -math.expm1(-wanted / blocks) if blocks else 0.0
        return read


def simulate(
    profile: Profile,
    engine: EngineCosts,
    dask: DaskCosts,
    workers: int,
    hardware: Hardware,
    *,
    in_order: bool = False,
) -> Simulated:
    out = Simulated(workers)
    partitions = partitions_for(workers)
    runs = Runs()
    seen, narrow, last_bytes, last_states = 1.0, 0, 0.0, 0.0
    for number, (states, transitions, distinct, new) in enumerate(profile.levels):
        narrow = narrow + 1 if states <= NARROW_STATES else 0
        alone = workers == 1 or (states <= NARROW_STATES and (seen <= NARROW_TOTAL or narrow > NARROW_LEVELS))
        sharers = 1 if alone else workers
        slices = 1
        if last_states:
            fullest = states / sharers * skew(states, sharers)
            made = fullest * SLICE_MARGIN * last_bytes / last_states
            slices = int(made / (hardware.memory_bytes / BLOCK_SHARE)) + 1
            slices = max(1, min(slices, int(states / sharers) or 1))
        out.most_slices = max(out.most_slices, slices)
        # A slice of a worker meets what another has met: it is a source of its own.
        candidates = candidates_met(transitions, distinct, sharers * slices)
        sections = min(
            candidates, sections_met(candidates, workers, slices) * (sharers / workers if alone else 1)
        )
        blocks = engine.block_bytes(candidates, sections) * (engine.in_order_bytes if in_order else 1)
        last_bytes, last_states = blocks, states
        read_blocks = runs.blocks_read(distinct / partitions, engine.record_bytes) * partitions
        rewritten = runs.add(new / partitions) * partitions
        slots = sharers * partitions * slices
        expand = engine.expanding(transitions, candidates, slots) / hardware.core_speed
        # What was put aside has lost what several workers had met in one slice.
        aside_share = (slices - 1) / slices
        aside = candidates_met(transitions, distinct, slices) * aside_share
        merge = engine.merging(
            candidates / slices + aside,
            sections / slices + (slices - 1) * partitions,
            sharers,
            partitions,
            rewritten,
        )
        merge /= hardware.core_speed
        put_aside = candidates * aside_share * engine.put_aside_candidate / hardware.core_speed
        if in_order:
            expand, merge = expand * engine.in_order_expand, merge * engine.in_order_merge
            merge += new * engine.rank_state / hardware.core_speed
        level = _Level(
            sharers=sharers,
            slices=slices,
            expand=(expand + put_aside) / sharers * skew(states, sharers),
            merge=merge / sharers * skew(new, sharers),
            blocks=blocks,
            in_order=in_order,
        )
        aside_bytes = blocks * aside / candidates if candidates else 0.0
        held = (seen + new) * engine.record_bytes
        out_of_cache = max(0.0, 1 - hardware.cache_bytes * workers / max(1.0, 2 * held))
        written = (new * (2 if in_order else 1) + rewritten) * engine.record_bytes + aside_bytes
        read = (
            (states + rewritten) * engine.record_bytes + aside_bytes + read_blocks * DISK_BLOCK_BYTES
        ) * out_of_cache
        rate, level.store_label = _store_rate(hardware, workers, sharers)
        level.store = (read + written) / rate
        seen += new
        commit = dask.commit_run * (number + len(runs.sizes)) * partitions / hardware.core_speed
        _spend(out, level, dask, hardware, commit)
        out.engine_seconds += expand + merge + put_aside
        out.candidates += candidates
        out.disk_read += read
        out.disk_written += written
    # The levels, for the way back, and the runs into which they were merged.
    out.disk_bytes = 2 * seen * engine.record_bytes
    return out


def _store_rate(hardware: Hardware, workers: int, sharers: int) -> tuple[float, str]:
    """Of the shared directory, in bytes a second, and what it is that limits it. Unless one machine serves
    it, each has its share of every file, so that most of what is read or written goes over the network."""
    machines = -(-workers // hardware.workers_per_machine)
    if hardware.file_server:
        servers, users = 1, 1
    else:
        servers = machines
        users = machines if sharers > 1 else 1
    disks = hardware.disk_bytes * servers
    is_elsewhere = 1.0 if hardware.file_server else (machines - 1) / machines
    network = hardware.network_bytes * users / is_elsewhere if is_elsewhere else math.inf
    return (disks, "disk") if disks <= network else (network, "files by network")


@dataclass(slots=True)
class _Level:
    sharers: int
    slices: int
    expand: float  # seconds of the fullest worker
    merge: float
    blocks: float
    in_order: bool
    store: float = 0.0
    store_label: str = ""


def _spend(out: Simulated, level: _Level, dask: DaskCosts, hardware: Hardware, commit: float) -> None:
    """The phases of a level one after another; in each, whatever takes longest is what it waits for."""
    workers, speed = level.sharers, hardware.core_speed
    began = out.seconds
    spent: Counter[str] = Counter()
    if workers == 1:
        label = "one worker" if out.workers > 1 else "processors"
        spent[label] += level.expand
        out.bytes_at_home += level.blocks
        _slowest(spent, {label: level.merge, level.store_label: level.store})
    else:
        tasks = level.slices * (workers * workers + 2 * workers) + (workers if level.in_order else 0)
        payload = workers * partitions_for(workers) * RANK_BYTES if level.in_order else 0
        scheduler = (tasks * dask.scheduler_task + payload * dask.payload_byte) / speed
        client = tasks * dask.client_task / speed
        away = level.blocks * (workers - 1) / workers
        each = tasks * dask.worker_task + away * dask.worker_byte + 2 * level.blocks * dask.child_byte
        out.tasks += tasks
        out.bytes_sent += away
        out.bytes_at_home += level.blocks - away
        out.scheduler_seconds += scheduler
        out.client_seconds += client
        out.dask_seconds += each / speed
        machines = -(-out.workers // hardware.workers_per_machine)
        network = level.blocks * (machines - 1) / machines / machines / hardware.network_bytes
        # The client and the scheduler work at the same time. Half of what they do, they do while states are
        # expanded; the other half when blocks are there to be moved.
        central = max(scheduler, client)
        _slowest(spent, {"processors": level.expand, "scheduler": central / 2})
        _slowest(
            spent, {"Dask workers": each / workers / speed, "network": network, "scheduler": central / 2}
        )
        _slowest(spent, {"processors": level.merge, level.store_label: level.store})
        spent["latency"] += hardware.latency_seconds * level.slices
    seconds = math.fsum(spent.values())
    spent["commits"] += commit * min(1.0, seconds / COMMIT_SECONDS)
    out.seconds += math.fsum(spent.values())
    out.bound.update(spent)
    out.by_level.append((out.seconds - began, max(spent, key=lambda one: spent[one])))


def _slowest(spent: Counter[str], phases: dict[str, float]) -> None:
    name = max(phases, key=lambda one: phases[one])
    spent[name] += phases[name]
