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
    ANSWER_AFTER_SECONDS,
    BLOCK_SHARE,
    COMMIT_SECONDS,
    NARROW_LEVELS,
    NARROW_STATES,
    NARROW_TOTAL,
)
from assay.clustering.grouping import partitions_for, slices_for
from assay.clustering.work import REPORT_SECONDS

DISK_BLOCK_BYTES = 1 << 14  # what is read of a run to look for a state
FILES = 2  # that a worker makes in a level: what is new, and runs that were merged
CONNECTIONS = 512  # that a Dask worker keeps; beyond that, one is closed for every one that is opened


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCosts:
    """Of one model, on one processor: CPU seconds and bytes."""

    expand_transition: float
    expand_candidate: float
    encode_candidate: float  # more if it goes to another worker
    expand_slot: float  # for each partition that a worker could meet
    merge_candidate: float
    decode_candidate: float  # more if it comes from another
    merge_candidate_doubling: float  # more for each doubling of the workers that it may come from
    merge_section: float
    merge_part: float  # for each partition
    rewrite_record: float
    put_aside_candidate: float
    header_bytes: float  # of a section
    candidate_bytes: float  # of one that is sent
    candidate_bytes_halving: float  # more for each halving of how densely candidates lie
    kept_bytes: float  # of one that stays
    record_bytes: float  # of a state on disk
    in_order_expand: float  # so many times as much for a certificate
    in_order_merge: float
    in_order_bytes: float
    rank_state: float

    def expanding(self, transitions: float, candidates: float, away: float, slots: float) -> float:
        return (
            transitions * self.expand_transition
            + candidates * self.expand_candidate
            + away * self.encode_candidate
            + slots * self.expand_slot
        )

    def merging(
        self,
        candidates: float,
        away: float,
        sections: float,
        sources: float,
        parts: float,
        rewritten: float,
    ) -> float:
        each = self.merge_candidate + self.merge_candidate_doubling * math.log2(max(1.0, sources))
        return (
            candidates * each
            + away * self.decode_candidate
            + sections * self.merge_section
            + parts * self.merge_part
            + rewritten * self.rewrite_record
        )

    def sent_bytes(self, away: float, sections: float) -> float:
        if not away or not sections:
            return 0.0
        halvings = max(0.0, 40 - math.log2(max(1.0, away / sections)))
        each = min(
            max(1.0, self.candidate_bytes + self.candidate_bytes_halving * halvings), self.record_bytes + 1
        )
        return sections * self.header_bytes + away * each


@dataclass(frozen=True, slots=True, kw_only=True)
class DaskCosts:
    """CPU seconds of whoever does it, and bytes of what is sent beside blocks."""

    scheduler_task: float
    scheduler_given_byte: float  # of what a task is given
    scheduler_answered_byte: float
    scheduler_report: float  # of progress
    scheduler_watch: float  # a second, for each worker: is it still there?
    client_task: float
    client_given_byte: float
    client_answered_byte: float
    client_report: float
    client_watch: float
    worker_task: float
    meeting_round: float  # for each worker, beside its messages
    message: float  # from worker to worker, the question and the answer: both of them together
    message_byte: float
    connection: float  # more for the first message between two
    child_call: float  # a Dask worker and its child together
    child_byte: float  # between them, one way
    commit_run: float  # that is named in the file of the search
    run_bytes: float  # that is named in a task or its answer
    company_bytes: float  # of the task of a worker
    company_peer_bytes: float  # more for each worker
    level_bytes: float  # of its answer, for each level
    level_peer_bytes: float
    summary_bytes: float  # of what a worker tells each other one of a level
    piece_bytes: float  # of the name of a part of the ranks
    read_summary: float
    read_piece: float
    facts_pair: float  # what the client adds up of each worker about each other one, in a level
    ask_done: float  # whether a task is


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """A worker is one process of one core, as the search has them; a machine has several."""

    workers_per_machine: int = 16
    memory_bytes: float = 4e9  # of a worker's child
    cache_bytes: float = 4e9  # of the system for files, for each worker
    network_bytes: float = 1.25e9  # a second, of a machine, each way
    disk_bytes: float = 2e9  # a second: of a machine, or of the one file server
    file_server: bool = False  # the shared directory is one machine's
    latency_seconds: float = 0.0005  # of a question and its answer, and the waking of who waits for it
    sync_seconds: float = 0.0005  # for a file that others are to see
    core_speed: float = 1.0  # against the one that was measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How the search is done. The defaults are how it is; the rest is how it might be."""

    answer_seconds: float = ANSWER_AFTER_SECONDS
    report_seconds: float = REPORT_SECONDS
    block_share: float = BLOCK_SHARE
    answers_at_once: bool = False  # the client asks for all results in one question
    summaries_by_tree: bool = False  # not from everybody to everybody
    blocks_by_machine: bool = False  # one message for all workers of a machine
    files_at_home: bool = False  # what a worker reads is on its own machine
    commits_sync: bool = True  # every file, one after another, though workers have
    ranks_told_once: bool = False  # by one worker, not by each


AS_IT_IS = Way()


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
    dask_seconds: float = 0.0  # of all Dask workers together, with what it costs children to talk to them
    scheduler_seconds: float = 0.0
    client_seconds: float = 0.0
    bytes_sent: float = 0.0  # of blocks
    bytes_kept: float = 0.0  # of candidates that stay with their worker
    bytes_told: float = 0.0  # to the client, through the scheduler
    disk_read: float = 0.0  # of what is not in memory
    disk_written: float = 0.0
    disk_bytes: float = 0.0  # held in the end
    candidates: float = 0.0
    tasks: float = 0.0
    messages: float = 0.0
    most_slices: int = 1
    bound: Counter[str] = field(default_factory=Counter)  # seconds that each waited for
    by_level: list[tuple[float, str]] = field(default_factory=list)

    @property
    def binding(self) -> str:
        return self.bound.most_common(1)[0][0]


def away_share(workers: int) -> float:
    """Of what a worker meets, what belongs to others."""
    return (workers - 1) / workers


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
    """Non-empty ones that are sent, of each worker and slice for each partition that is not its own."""
    most = float(workers * partitions_for(workers) * slices)
    return away_share(workers) * most * -math.expm1(-candidates / most) if candidates else 0.0


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
    way: Way = AS_IT_IS,
) -> Simulated:
    out = Simulated(workers)
    partitions = partitions_for(workers)
    runs = Runs()
    seen, narrow, last_bytes, last_states = 1.0, 0, 0.0, 0.0
    batch: _Batch | None = None
    have_met = False
    for number, (states, transitions, distinct, new) in enumerate(profile.levels):
        if batch is None:
            narrow = narrow + 1 if states <= NARROW_STATES else 0
            is_narrow = states <= NARROW_STATES and (seen <= NARROW_TOTAL or narrow > NARROW_LEVELS)
            batch = _Batch(1 if workers == 1 or is_narrow else workers, seen <= NARROW_TOTAL)
        sharers = batch.sharers
        slices = 1
        if last_states:
            fullest = max(1, int(states / sharers * skew(states, sharers)))
            slices = slices_for(
                fullest, last_bytes / last_states, int(hardware.memory_bytes / way.block_share)
            )
        out.most_slices = max(out.most_slices, slices)
        # A slice of a worker meets what another has met: it is a source of its own.
        candidates = candidates_met(transitions, distinct, sharers * slices)
        away = candidates * away_share(sharers)
        sections = min(away, sections_met(candidates, workers, slices)) if sharers > 1 else 0.0
        sent = engine.sent_bytes(away, sections) * (engine.in_order_bytes if in_order else 1)
        kept = (candidates - away) * (engine.kept_bytes + (8 if in_order else 0))
        last_bytes, last_states = sent + kept, states
        read_blocks = runs.blocks_read(distinct / partitions, engine.record_bytes) * partitions
        rewritten = runs.add(new / partitions) * partitions
        expand = engine.expanding(transitions, candidates, away, sharers * partitions * slices)
        # What was put aside has lost what several workers had met in one slice.
        aside_share = (slices - 1) / slices
        aside = candidates_met(transitions, distinct, slices) * aside_share
        merge = engine.merging(
            candidates / slices + aside,
            away / slices,
            sections / slices + (slices - 1) * partitions,
            sharers,
            partitions,
            rewritten,
        )
        put_aside = candidates * aside_share * engine.put_aside_candidate
        if in_order:
            expand, merge = expand * engine.in_order_expand, merge * engine.in_order_merge
            merge += new * engine.rank_state
        aside_bytes = (sent + kept) * aside / candidates if candidates else 0.0
        held = (seen + new) * engine.record_bytes
        out_of_cache = max(0.0, 1 - hardware.cache_bytes * workers / max(1.0, 2 * held))
        written = (new * (2 if in_order else 1) + rewritten) * engine.record_bytes + aside_bytes
        read = (
            (states + rewritten) * engine.record_bytes + aside_bytes + read_blocks * DISK_BLOCK_BYTES
        ) * out_of_cache
        store, store_label = _store_seconds(hardware, way, workers, sharers, read, written)
        level = _Level(
            slices=slices,
            expand=(expand + put_aside) / hardware.core_speed / sharers * skew(states, sharers),
            merge=merge / hardware.core_speed / sharers * skew(new, sharers),
            sent=sent,
            in_order=in_order,
            is_first=sharers > 1 and not have_met,
            store=store,
            store_label=store_label,
        )
        have_met = have_met or sharers > 1
        began = out.seconds
        spent = _spend(out, batch, level, dask, hardware, way)
        seen += new
        if batch.is_over(way, new, of_several=workers > 1) or number + 1 == len(profile.levels):
            runs_named = (number + 2 + len(runs.sizes)) * partitions
            spent.update(_answer(out, batch, len(runs.sizes), runs_named, dask, hardware, way, in_order))
            batch = None
        out.seconds += math.fsum(spent.values())
        out.bound.update(spent)
        out.by_level.append((out.seconds - began, max(spent, key=lambda one: spent[one])))
        out.engine_seconds += (expand + merge + put_aside) / hardware.core_speed
        out.bytes_sent += sent
        out.bytes_kept += kept
        out.candidates += candidates
        out.disk_read += read
        out.disk_written += written
    # The levels, for the way back, and the runs into which they were merged.
    out.disk_bytes = 2 * seen * engine.record_bytes
    return out


def _store_seconds(
    hardware: Hardware, way: Way, workers: int, sharers: int, read: float, written: float
) -> tuple[float, str]:
    """Of the shared directory, and what it is that limits it. Unless one machine serves it, each has its
    share of every file, so that most of what is read or written goes over the network."""
    machines = -(-workers // hardware.workers_per_machine)
    if hardware.file_server:
        servers, users = 1, 1
    else:
        servers = machines
        users = machines if sharers > 1 else 1
    disk = (read + written) / (hardware.disk_bytes * servers)
    is_elsewhere = 1.0 if hardware.file_server else (machines - 1) / machines
    travels = written + (0.0 if way.files_at_home else read)
    network = travels * is_elsewhere / (hardware.network_bytes * users)
    return (disk, "disk") if disk >= network else (network, "files by network")


@dataclass(slots=True)
class _Batch:
    """Levels that are done before anybody answers."""

    sharers: int
    ends_when_narrow: bool
    levels: int = 0
    seconds: float = 0.0
    reports: float = 0.0

    def is_over(self, way: Way, new: float, *, of_several: bool) -> bool:
        if self.seconds > way.answer_seconds:
            return True
        if self.sharers == 1:
            return of_several and new > NARROW_STATES
        return self.ends_when_narrow and new <= NARROW_STATES


@dataclass(slots=True)
class _Level:
    slices: int
    expand: float  # seconds of the fullest worker
    merge: float
    sent: float
    in_order: bool
    is_first: bool  # that is shared: nobody is connected yet
    store: float
    store_label: str


def _spend(
    out: Simulated, batch: _Batch, level: _Level, dask: DaskCosts, hardware: Hardware, way: Way
) -> Counter[str]:
    """The phases of a level one after another; in each, whatever takes longest is what it waits for."""
    workers, speed = batch.sharers, hardware.core_speed
    spent: Counter[str] = Counter()
    if workers == 1:
        label = "one worker" if out.workers > 1 else "processors"
        spent[label] += level.expand
        _slowest(spent, {label: level.merge, level.store_label: level.store})
    else:
        spent["processors"] += level.expand
        others, partitions = workers - 1, partitions_for(workers)
        machines = -(-workers // hardware.workers_per_machine)
        peers = min(workers, machines + hardware.workers_per_machine) - 1 if way.blocks_by_machine else others
        # One question and one answer for each other worker: what a worker pays for them is half of what both
        # sides pay, twice.
        each = dask.message + (dask.connection if workers > CONNECTIONS else 0.0)
        rounds = level.slices + 1 + (1 if level.in_order else 0)
        messages = level.slices * peers
        messages += math.ceil(math.log2(workers)) if way.summaries_by_tree else others
        told = others * (dask.summary_bytes * dask.message_byte + dask.read_summary)
        beside = others * dask.summary_bytes
        if level.in_order:
            messages += others
            pieces = others * partitions
            told += pieces * (dask.piece_bytes * dask.message_byte + dask.read_piece)
            beside += pieces * dask.piece_bytes
        if level.is_first:
            told += others * dask.connection
        calls = 2 * level.slices + (1 if level.in_order else 0)
        talk = messages * each + rounds * dask.meeting_round + told + calls * dask.child_call
        talk += level.sent / workers * (dask.message_byte + 2 * dask.child_byte)
        out.messages += messages * workers
        out.dask_seconds += workers * talk / speed
        leaves = level.sent + beside * workers
        network = leaves * (machines - 1) / machines / machines / hardware.network_bytes
        _slowest(spent, {"messages": talk / speed, "network": network})
        _slowest(spent, {"processors": level.merge, level.store_label: level.store})
        spent["latency"] += rounds * hardware.latency_seconds + FILES * hardware.sync_seconds
    for seconds, times in ((level.expand, level.slices), (level.merge, 1)):
        batch.reports += workers * times * int(seconds / times / way.report_seconds)
    batch.levels += 1
    batch.seconds += math.fsum(spent.values())
    return spent


def _answer(
    out: Simulated,
    batch: _Batch,
    runs: int,
    runs_named: float,
    dask: DaskCosts,
    hardware: Hardware,
    way: Way,
    in_order: bool,
) -> Counter[str]:
    """Between two batches nobody works but the client and the scheduler."""
    workers, speed = batch.sharers, hardware.core_speed
    partitions = partitions_for(out.workers)
    named = partitions * (1 + runs) * dask.run_bytes
    given = workers * (dask.company_bytes + workers * dask.company_peer_bytes) + named
    answered = batch.levels * (workers * (dask.level_bytes + workers * dask.level_peer_bytes) + named)
    pieces = 0.0
    if in_order:
        # Each has the ranks of its partitions, one piece of each worker, and answers those of all of them.
        given += workers * partitions * dask.piece_bytes
        pieces = batch.levels * workers * partitions * (1 if way.ranks_told_once else workers)
        answered += pieces * dask.piece_bytes
    scheduler = (
        workers * dask.scheduler_task
        + given * dask.scheduler_given_byte
        + answered * dask.scheduler_answered_byte
    )
    client = (
        workers * dask.client_task
        + given * dask.client_given_byte
        + answered * dask.client_answered_byte
        + pieces * dask.read_piece
        + batch.levels * workers * workers * dask.facts_pair
    )
    # Each time something is heard, all tasks are asked whether they are done.
    if not way.answers_at_once:
        client += workers * workers / 2 * dask.ask_done
    heard = batch.reports * (dask.client_report + workers * dask.ask_done)
    watching = (
        batch.seconds * out.workers * dask.scheduler_watch + batch.reports * dask.scheduler_report,
        batch.seconds * out.workers * dask.client_watch + heard,
    )
    out.tasks += workers
    out.bytes_told += answered
    out.scheduler_seconds += (scheduler + watching[0]) / speed
    out.client_seconds += (client + watching[1]) / speed
    out.dask_seconds += workers * dask.worker_task / speed
    spent: Counter[str] = Counter()
    if way.answers_at_once:
        spent["scheduler and client"] += max(scheduler, client) / speed + 2 * hardware.latency_seconds
    else:
        # Results are asked for one after another: while the one works, the other waits.
        spent["scheduler and client"] += (scheduler + client) / speed
        spent["scheduler and client"] += (1 + workers) * hardware.latency_seconds
    # What is told of progress is heard before the answers that come after it.
    spent["scheduler and client"] += max(0.0, max(watching) / speed - batch.seconds)
    commit = dask.commit_run * runs_named / speed
    commit *= min(1.0, (batch.seconds + spent["scheduler and client"]) / COMMIT_SECONDS)
    spent["commits"] += commit
    if way.commits_sync:
        spent["commits"] += FILES * workers * batch.levels * hardware.sync_seconds
    return spent


def _slowest(spent: Counter[str], phases: dict[str, float]) -> None:
    name = max(phases, key=lambda one: phases[one])
    spent[name] += phases[name]
