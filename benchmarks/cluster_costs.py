"""What a search on a cluster costs, piece by piece, in CPU seconds and bytes, measured on one machine.

The engine's share is measured in this process: it plays the workers of a cluster one after another, each with
a `Partitions` of its own, and every call is timed by the CPU that it takes. Dask's share is measured on a
real scheduler and real workers: tasks that do nothing, and meetings at which blocks are exchanged that hold
nothing. Of figures that were measured several times, the least counts.
"""

from __future__ import annotations

import math
import os
import pickle
import resource
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from assay.clustering.company import Company, LevelDone, Summary
from assay.clustering.coordinator import HANGS_SECONDS
from assay.clustering.explored import Explored, Level, SharedDirectory
from assay.clustering.grouping import PARTITIONS_PER_WORKER, partitions_for
from assay.clustering.program import share
from assay.clustering.work import WORK, Part, Partitions, Run, Search, slice_of, together
from assay.clustering.work import Task as Work
from assay.distribution.local_processes import LocalProcesses
from assay.distribution.meeting import Meeting, open_table
from assay.distribution.pinned_tasks import PinnedTasks, Surroundings
from assay.languages.promela.program import load
from assay.transition_system.language_options import LanguageOptions
from benchmarks.cluster_simulation import (
    DaskCosts,
    EngineCosts,
    away_share,
    candidates_met,
    sections_met,
)
from benchmarks.tasks import QUICK, Task
from tests.cluster.processes import Processes

HEADER_WORDS = 5  # of a section, besides the masks of its layout
TICKS = os.sysconf("SC_CLK_TCK")
PLAYED = (1, 2, 4, 16, 64)  # so many workers
REPEATED = 3
MEETING_WORKERS = (2, 4, 8)
ROUNDS = 60
TASKS = 240  # of each kind
IDLE_SECONDS = 4.0
# What files cost is the file system's: here it is as quick as can be.
IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
REPORT_AFTER_SECONDS = 0.02
A_RUN: Run = (
    "assay-cluster-level-0123456789abcdef-1",
    123_456_789,
    1_234_567,
    b"\x7f" * 80,
    0xFEDCBA9876543210,
)
AN_ADDRESS = "tcp://192.168.100.100:40000"


# --- the engine ---


@contextmanager
def search_for(task: Task, workers: int, *, in_order: bool = False) -> Iterator[Search]:
    with tempfile.TemporaryDirectory(prefix="assay-scale-", dir=IN_MEMORY) as folder:
        program = load(task.path, LanguageOptions(defines=task.defines, reductions=frozenset()))
        yield Search(
            name=uuid.uuid4().hex,
            program=share(program.opening, folder),
            partitions=partitions_for(workers),
            in_order=in_order,
            logs_edges=in_order,
            memory_limit_bytes=1 << 30,
            depth_limit=0,
            check_deadlock=True,
            stop_at_first_violation=True,
        )


def played(task: Task, workers: int, *, in_order: bool = False, slices: int = 1) -> list[dict[str, Any]]:
    """What each level counts and costs if so many workers share it, however narrow it is."""
    with search_for(task, workers, in_order=in_order) as search:
        engines, folder = [Partitions(search) for _ in range(workers)], Path(search.directory)
        count = partitions_for(workers)
        groups = [list(range(count))[index::workers] for index in range(workers)]
        group_of = [partition % workers for partition in range(count)]
        begun = engines[0].begin()
        level = Level({begun["partition"]: begun["level"]}, {begun["partition"]: [begun["ranks"]]})
        visited: dict[int, list[Any]] = {one: [] for one in range(count)}
        visited[begun["partition"]] = [begun["level"]]
        levels: list[dict[str, Any]] = []
        record_bytes = 0
        while level.states:
            expand = put_aside = merge = rank = 0.0
            facts: list[dict[str, Any]] = []
            aside: dict[int, list[Any]] = {one: [] for one in range(count)}
            rows: list[list[bytes]] = []
            set_aside = 0
            for number in range(slices):
                rows = []
                for index, (engine, mine) in enumerate(zip(engines, groups, strict=True)):
                    parts = slice_of(level.parts(mine), number, slices)
                    began = time.process_time()
                    told, blocks = engine.expand(parts, len(levels), group_of, index)
                    expand += time.process_time() - began
                    facts.append(told)
                    rows.append(blocks)
                if number + 1 < slices:
                    began = time.process_time()
                    for index, engine in enumerate(engines):
                        kept = facts[number * workers + index]["kept"]
                        for one, piece in engine.put_aside([row[index] for row in rows], kept).items():
                            aside[one].append(piece)
                    put_aside += time.process_time() - began
                    set_aside = sum(one["candidates"] for one in facts)
            merged: list[Any] = []
            for index, (engine, mine) in enumerate(zip(engines, groups, strict=True)):
                arrived = [row[index] for row in rows]
                began = time.process_time()
                kept = facts[(slices - 1) * workers + index]["kept"]
                parts_before = [(one, visited[one], aside[one]) for one in mine]
                merged += engine.merge(parts_before, arrived, kept)["parts"]
                merge += time.process_time() - began
                engine.engine.sync()  # and no longer open
            ranks: list[Any] = []
            if in_order:
                keys = {number: piece for number, _, piece, _ in merged}
                began = time.process_time()
                ranks = [
                    engine.rank(keys, level.states, index, workers) for index, engine in enumerate(engines)
                ]
                rank = time.process_time() - began
            known = {one: {run[:2] for run in runs} for one, runs in visited.items()}
            new = {number: run for number, run, _, _ in merged if run[2]}
            if len(new) == count and not in_order:
                files = {run[0] for run in new.values()}
                record_bytes = round(
                    sum((folder / file).stat().st_size for file in files)
                    / sum(run[2] for run in new.values())
                )
            kept_bytes = sum(one["bytes"][index % workers] for index, one in enumerate(facts))
            levels.append(
                {
                    "states": level.states,
                    "transitions": sum(one["transitions"] for one in facts),
                    "candidates": sum(one["candidates"] for one in facts),
                    "new": sum(run[2] for run in new.values()),
                    "sent_bytes": sum(sum(one["bytes"]) for one in facts) - kept_bytes,
                    "kept_bytes": kept_bytes,
                    "set_aside": set_aside,
                    "rewritten": sum(
                        run[2]
                        for number, own, _, runs in merged
                        for run in runs
                        if run[:2] not in known[number] and run[:2] != own[:2]
                    ),
                    "masks": max((len(run[3]) // 8 for run in level.runs.values()), default=0),
                    "expand": expand,
                    "merge": merge,
                    "rank": rank,
                    "put_aside": put_aside,
                    "workers": workers,
                    "record_bytes": record_bytes,
                }
            )
            visited |= {number: runs for number, _, _, runs in merged}
            ordered = {one: [each[one] for each in ranks if each[one][2]] for one in new} if in_order else {}
            level = Level(new, ordered)
        return levels


def played_often(task: Task, workers: int, **options: Any) -> list[dict[str, Any]]:
    """Of several runs the least of each figure: what disturbed one of them did not disturb all."""
    runs = [played(task, workers, **options) for _ in range(REPEATED)]
    return [
        same[0] | {key: min(one[key] for one in same) for key in ("expand", "merge", "rank", "put_aside")}
        for same in zip(*runs, strict=True)
    ]


def profile_of(name: str, levels: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What the simulation needs to know of a model: counts of one worker, level by level."""
    return {
        "name": name,
        "record_bytes": levels[-1]["record_bytes"],
        "states": sum(one["states"] for one in levels),
        "transitions": sum(one["transitions"] for one in levels),
        "levels": [[one["states"], one["transitions"], one["candidates"], one["new"]] for one in levels],
    }


def least_squares(rows: Sequence[Sequence[float]], wanted: Sequence[float]) -> list[float]:
    """Non-negative coefficients of the columns, by coordinate descent: a cost below nothing is none."""
    width = len(rows[0])
    scale = [math.sqrt(sum(row[i] ** 2 for row in rows)) or 1.0 for i in range(width)]
    columns = [[row[i] / scale[i] for row in rows] for i in range(width)]
    gram = [[math.fsum(a * b for a, b in zip(x, y, strict=True)) for y in columns] for x in columns]
    right = [math.fsum(a * b for a, b in zip(x, wanted, strict=True)) for x in columns]
    found = [0.0] * width
    for _ in range(20_000):
        moved = 0.0
        for i in range(width):
            if gram[i][i] == 0:
                continue
            step = (right[i] - math.fsum(gram[i][j] * found[j] for j in range(width))) / gram[i][i]
            after = max(0.0, found[i] + step)
            moved = max(moved, abs(after - found[i]))
            found[i] = after
        if moved < 1e-12:
            break
    return [value / scale[i] for i, value in enumerate(found)]


def engine_costs(task: Task, most_workers: int) -> tuple[EngineCosts, list[dict[str, Any]]]:
    """Fitted to clusters of several sizes; and how well that went."""
    sizes = [workers for workers in PLAYED if workers <= most_workers]
    every = [one for workers in sizes for one in played_often(task, workers)]
    away = [one["candidates"] * away_share(one["workers"]) for one in every]
    sections = [sections_met(one["candidates"], one["workers"]) for one in every]
    expand = least_squares(
        [
            [one["transitions"], one["candidates"], sent, one["workers"] * partitions_for(one["workers"])]
            for one, sent in zip(every, away, strict=True)
        ],
        [one["expand"] for one in every],
    )
    merge = least_squares(
        [
            [
                one["candidates"],
                sent,
                one["candidates"] * math.log2(one["workers"]),
                section,
                partitions_for(one["workers"]),
                one["rewritten"],
            ]
            for one, sent, section in zip(every, away, sections, strict=True)
        ],
        [one["merge"] for one in every],
    )
    header = 8.0 * (HEADER_WORDS + every[-1]["masks"])
    # A difference between neighbours is the shorter, the denser they lie.
    dense = [(one, c, s) for one, c, s in zip(every, away, sections, strict=True) if s and c > 20 * s]
    weights = [math.sqrt(candidates) for _, candidates, _ in dense]
    spread = least_squares(
        [
            [w, w * max(0.0, 40 - math.log2(candidates / s))]
            for (_, candidates, s), w in zip(dense, weights, strict=True)
        ],
        [
            w * (one["sent_bytes"] - s * header) / candidates
            for (one, candidates, s), w in zip(dense, weights, strict=True)
        ],
    )
    sliced = played_often(task, 4, slices=4)
    ordered = played_often(task, 4, in_order=True)
    plain = [one for one in every if one["workers"] == 4]
    alone = [one for one in every if one["workers"] == 1]
    costs = EngineCosts(
        expand_transition=expand[0],
        expand_candidate=expand[1],
        encode_candidate=expand[2],
        expand_slot=expand[3],
        merge_candidate=merge[0],
        decode_candidate=merge[1],
        merge_candidate_doubling=merge[2],
        merge_section=merge[3],
        merge_part=merge[4],
        rewrite_record=merge[5],
        put_aside_candidate=_total(sliced, "put_aside") / max(1, _total(sliced, "set_aside")),
        header_bytes=header,
        candidate_bytes=spread[0],
        candidate_bytes_halving=spread[1],
        kept_bytes=_total(alone, "kept_bytes") / _total(alone, "candidates"),
        record_bytes=every[-1]["record_bytes"],
        in_order_expand=_total(ordered, "expand") / _total(plain, "expand"),
        in_order_merge=_total(ordered, "merge") / _total(plain, "merge"),
        in_order_bytes=_total(ordered, "sent_bytes") / _total(plain, "sent_bytes"),
        rank_state=_total(ordered, "rank") / _total(ordered, "new"),
    )
    return costs, _fit(costs, every)


def _total(levels: Sequence[dict[str, Any]], key: str) -> float:
    return math.fsum(one[key] for one in levels)


def _fit(costs: EngineCosts, every: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Measured and predicted, of each number of workers."""
    told = []
    for workers in dict.fromkeys(one["workers"] for one in every):
        levels = [one for one in every if one["workers"] == workers]
        alone = [one for one in every if one["workers"] == 1]
        met = [candidates_met(a["transitions"], a["candidates"], workers) for a in alone]
        pairs = list(zip(alone, met, strict=True))
        away = away_share(workers)
        told.append(
            {
                "workers": workers,
                "expand": _total(levels, "expand"),
                "expand_predicted": math.fsum(
                    costs.expanding(one["transitions"], c, c * away, workers * partitions_for(workers))
                    for one, c in pairs
                ),
                "merge": _total(levels, "merge"),
                "merge_predicted": math.fsum(
                    costs.merging(
                        c,
                        c * away,
                        sections_met(c, workers),
                        workers,
                        partitions_for(workers),
                        one["rewritten"],
                    )
                    for one, c in pairs
                ),
                "candidates": _total(levels, "candidates"),
                "candidates_predicted": math.fsum(met),
                "sent_bytes": _total(levels, "sent_bytes"),
                "sent_bytes_predicted": math.fsum(
                    costs.sent_bytes(c * away, sections_met(c, workers)) for c in met
                ),
            }
        )
    return told


# --- Dask ---


def cpu_of(process: int) -> tuple[float, float]:
    """Its own, and that of those children that it has buried."""
    fields = [int(one) for one in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]]
    return (fields[0] + fields[1]) / TICKS, (fields[2] + fields[3]) / TICKS


def answer(given: tuple[bytes, int], _inputs: list[Any], _around: Surroundings) -> bytes:
    return os.urandom(given[1])


def report(given: int, _inputs: list[Any], around: Surroundings) -> None:
    """As progress is told, one after another: what is told at once, Dask sends at once."""
    for _ in range(given):
        around.report((around.worker, 1_234_567, 12_345_678, 1 << 30, 1 << 28))
        time.sleep(REPORT_AFTER_SECONDS)


def get_ready(_given: object, _inputs: list[Any], _around: Surroundings) -> None:
    open_table()


def meet(
    given: tuple[str, list[str], int, int, int], _inputs: list[Any], around: Surroundings
) -> tuple[int, float, float]:
    """Answers how many bytes arrived, and the CPU of this Dask worker: of the first round, of the others."""
    name, addresses, own, rounds, size = given
    arrived, spent = 0, [time.process_time()]
    with Meeting(name, addresses, own, around.is_wanted) as meeting:
        for number in range(rounds):
            blocks = [b"" if one == own else bytes(size) for one in range(len(addresses))]
            arrived += sum(map(len, meeting.exchange(blocks)))
            if not number:
                spent.append(time.process_time())
    return arrived, spent[1] - spent[0], time.process_time() - spent[1]


def echo(task: list[bytes], _report: Any) -> list[bytes]:
    return task


class _Measured:
    """A real cluster, and what it spends on something beyond idling: of several times the least."""

    def __init__(self, cluster: Processes, tasks: PinnedTasks) -> None:
        self._cluster = cluster
        self._tasks = tasks
        samples = [cpu_of_all(cluster)]
        for _ in range(2):  # those who have just begun are not idle yet
            time.sleep(IDLE_SECONDS / 2)
            samples.append(cpu_of_all(cluster))
        self._idle = [min(b - a, c - b) / (IDLE_SECONDS / 2) for a, b, c in zip(*samples, strict=True)]

    def once(self, work: Callable[[], object]) -> list[float]:
        before, began = cpu_of_all(self._cluster), time.monotonic()
        work()
        seconds = time.monotonic() - began
        after = cpu_of_all(self._cluster)
        return [b - a - seconds * rest for a, b, rest in zip(before, after, self._idle, strict=True)]

    def of(self, work: Callable[[], object]) -> list[float]:
        """Scheduler, Dask workers, client."""
        return [max(0.0, min(each)) for each in zip(*(self.once(work) for _ in range(REPEATED)), strict=True)]

    def done(self, function: str, given: Sequence[object]) -> list[Any]:
        """One for each, dealt out to the workers."""
        workers = self._tasks.workers()
        tasks = [
            self._tasks.submit(f"{__name__}:{function}", one, worker=workers[index % len(workers)])
            for index, one in enumerate(given)
        ]
        try:
            return self._tasks.results(tasks, on_tick=lambda: None, on_progress=lambda _: None)
        finally:
            self._tasks.cancel(tasks)

    def met(self, rounds: int, size: int) -> tuple[float, float]:
        """CPU of all workers: of the first round, of the others."""
        workers = self._tasks.workers()
        name = f"{uuid.uuid4().hex}:1"
        told = self.done("meet", [(name, workers, own, rounds, size) for own in range(len(workers))])
        if any(arrived != rounds * size * (len(workers) - 1) for arrived, _, _ in told):
            raise SystemExit("what was handed over at a meeting did not arrive")
        return sum(first for _, first, _ in told), sum(others for _, _, others in told)

    def watched(self) -> None:
        """What the coordinator asks the scheduler every second."""
        self._tasks.workers()
        self._tasks.workers()
        self._tasks.silent(HANGS_SECONDS)


def dask_costs() -> tuple[DaskCosts, dict[str, list[dict[str, Any]]]]:
    """And what they were fitted to."""
    central: list[dict[str, Any]] = []
    meetings: list[dict[str, Any]] = []
    with Processes(MEETING_WORKERS[0]) as cluster:
        for workers in MEETING_WORKERS:
            while len(cluster.workers) < workers:
                cluster.add_worker()
            cluster.await_workers(workers)
            with PinnedTasks(cluster.address) as tasks:
                meetings += _meetings(_Measured(cluster, tasks), workers)
                central.append(_watched(_Measured(cluster, tasks), workers))
        with PinnedTasks(cluster.address) as tasks:
            central += _central(_Measured(cluster, tasks))
    return _fitted(central, meetings), {"central": central, "meetings": meetings}


def _meetings(measured: _Measured, workers: int) -> list[dict[str, Any]]:
    measured.done("get_ready", range(workers))
    first, _ = measured.met(1, 100)  # newcomers are not connected yet
    before = max((one for one in MEETING_WORKERS if one < workers), default=0)
    connections = workers * (workers - 1) - max(0, before * (before - 1))
    rows = []
    for rounds, size in ((ROUNDS, 100), (6, 1_000_000)):
        times = [measured.met(1 + rounds, size) for _ in range(REPEATED)]
        messages = rounds * workers * (workers - 1)
        rows.append(
            {
                "workers": workers,
                "rounds": rounds,
                "messages": messages,
                "bytes": messages * size,
                "connections": connections,
                "connecting": first,
                "first": min(one for one, _ in times),
                "spent": min(one for _, one in times),
            }
        )
    return rows


def _watched(measured: _Measured, workers: int) -> dict[str, Any]:
    spent = measured.of(lambda: [measured.watched() for _ in range(100)])
    return _row("watched", 100, spent, workers=workers)


def _central(measured: _Measured) -> list[dict[str, Any]]:
    rows = []
    for count, given, answered in (
        (TASKS, 0, 0),
        (2 * TASKS, 0, 0),
        (TASKS, 100_000, 0),
        (TASKS, 0, 100_000),
    ):
        wanted: list[object] = [(bytes(given), answered)] * count
        spent = measured.of(partial(measured.done, "answer", wanted))
        rows.append(_row("tasks", count, spent, given=given * count, answered=answered * count))
    for reports in (0, 100):
        spent = measured.of(partial(measured.done, "report", [reports] * MEETING_WORKERS[-1]))
        rows.append(_row("reports", reports * MEETING_WORKERS[-1], spent))
    return rows


def _row(what: str, count: int, spent: Sequence[float], **more: float) -> dict[str, Any]:
    return {
        "what": what,
        "count": count,
        **more,
        "scheduler": spent[0],
        "client": spent[2],
        "workers_cpu": spent[1],
    }


def _fitted(central: Sequence[dict[str, Any]], meetings: Sequence[dict[str, float]]) -> DaskCosts:
    of_meetings = least_squares(
        [[one["workers"] * one["rounds"], one["messages"], one["bytes"]] for one in meetings],
        [one["spent"] for one in meetings],
    )
    tasks, reports, watched = (
        [one for one in central if one["what"] == what] for what in ("tasks", "reports", "watched")
    )
    by = {
        who: {
            "task": least_squares(
                [[one["count"], one["given"], one["answered"]] for one in tasks], [one[who] for one in tasks]
            ),
            "report": max(0.0, reports[1][who] - reports[0][who]) / reports[1]["count"],
            "watch": least_squares(
                [[one["count"], one["count"] * one["workers"]] for one in watched],
                [one[who] for one in watched],
            )[1],
        }
        for who in ("scheduler", "client")
    }
    small = [one for one in meetings if one["rounds"] == ROUNDS]
    connecting = sum(one["connecting"] - one["first"] for one in small)
    scheduler, client = by["scheduler"], by["client"]
    return DaskCosts(
        scheduler_task=scheduler["task"][0],
        scheduler_given_byte=scheduler["task"][1],
        scheduler_answered_byte=scheduler["task"][2],
        scheduler_report=scheduler["report"],
        scheduler_watch=scheduler["watch"],
        client_task=client["task"][0],
        client_given_byte=client["task"][1],
        client_answered_byte=client["task"][2],
        client_report=client["report"],
        client_watch=client["watch"],
        worker_task=max(0.0, tasks[1]["workers_cpu"] - tasks[0]["workers_cpu"]) / TASKS,
        meeting_round=of_meetings[0],
        message=of_meetings[1],
        message_byte=of_meetings[2],
        connection=max(0.0, connecting) / sum(one["connections"] for one in small),
        child_call=_child_call(),
        child_byte=_child_byte(),
        commit_run=_commit_run(),
        **_sizes(),
        **_bookkeeping(),
    )


def cpu_of_all(cluster: Processes) -> list[float]:
    """Scheduler, Dask workers, client and the children of the workers."""
    return [
        cpu_of(cluster.scheduler.pid)[0],
        sum(cpu_of(one.pid)[0] for one in cluster.workers),
        time.process_time(),
        sum(cpu_of(one.pid)[1] for one in cluster.workers),
    ]


def _spent_here(work: Callable[[], object]) -> float:
    """CPU of this process and of children that end with it."""
    children, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    work()
    spent = time.process_time() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent + after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime


def _least(work: Callable[[], object]) -> float:
    return min(_spent_here(work) for _ in range(REPEATED))


def _child_byte() -> float:
    """From a Dask worker to its child and back: for each byte that goes one way."""
    size, rounds = 8 << 20, 6

    def send(count: int) -> None:
        with LocalProcesses(1, retries=0) as executor:
            for _ in range(count):
                executor.run(
                    f"{__name__}:echo",
                    [[os.urandom(size)]],
                    on_progress=lambda *_: None,
                    on_done=lambda *_: None,
                )

    return max(0.0, _least(lambda: send(1 + rounds)) - _least(lambda: send(1))) / (2 * size * rounds)


def _child_call() -> float:
    """Of both, for a call that does nothing but to say where it is."""
    rounds = 400

    def ask(count: int) -> None:
        with search_for(next(iter(QUICK)), 1) as search, LocalProcesses(1, retries=0) as executor:
            for _ in range(count):
                executor.run(
                    WORK, [Work(search, "hello", {})], on_progress=lambda *_: None, on_done=lambda *_: None
                )

    return max(0.0, _least(lambda: ask(1 + rounds)) - _least(lambda: ask(1))) / rounds


def _commit_run() -> float:
    """For each run that is named when a level is committed."""
    levels, partitions = 100, 256
    explored = Explored({}, partitions, in_order=False)
    explored.levels = [Level(dict.fromkeys(range(partitions), A_RUN)) for _ in range(levels)]
    with tempfile.TemporaryDirectory(prefix="assay-scale-") as folder, SharedDirectory(folder) as directory:
        Path(folder, A_RUN[0]).touch()  # of which there are few: syncing is no part of this

        def commit() -> None:
            directory.commit(explored)
            directory.sweep(explored.files())

        return _least(commit) / (levels * partitions)


def _company(workers: int, runs: int) -> Company:
    """What a worker is given, as the coordinator gives it."""
    with search_for(next(iter(QUICK)), 1) as search:
        mine = range(PARTITIONS_PER_WORKER)
        parts: list[Part] = [(one, _run(one), 0, 1_234_567, []) for one in mine]
        return Company(
            search=search,
            lessons=(),
            syncs=True,
            meeting=f"{search.name}:{uuid.uuid4().hex}",
            addresses=[f"{AN_ADDRESS[:-5]}{40_000 + one}" for one in range(workers)],
            own=0,
            group_of=[one % workers for one in range(PARTITIONS_PER_WORKER * workers)],
            parts=parts,
            visited={one: [_run(100 + one * runs + each) for each in range(runs)] for one in mine},
            depth=100,
            level_states=123_456_789,
            most_states=1_234_567,
            bytes_per_state=34.56789,
            block_budget=1 << 26,
            narrow_states=0,
            seconds=1.0,
        )


def _run(number: int) -> Run:
    """Every one is told in full: they come from different files."""
    name = f"{A_RUN[0]}{number}"
    return (name, 123_456_789 + number, 1_234_567 + number, bytes(A_RUN[3]), A_RUN[4] - number)


def _facts(workers: int) -> dict[str, Any]:
    return {
        **dict.fromkeys(("states", "transitions", "candidates"), 12_345_678),
        "violation_count": 0,
        "cut": False,
        **{key: [] for key in ("found", "lessons", "remarks", "untracked")},
        "meanings": {},
        "edges": {},
        "seconds": 1.2345678,
        "cpu_seconds": 1.2345678,
        "bytes": [1_234_567 + one for one in range(workers)],
    }


def _level_done(workers: int, runs: int) -> LevelDone:
    """What a worker answers of a level."""
    parts = [
        (one, _run(one), ("", 0, 0), [_run(100 + one * runs + each) for each in range(runs)])
        for one in range(PARTITIONS_PER_WORKER)
    ]
    return LevelDone([_facts(workers)], {"parts": parts, "seconds": 1.2345678, "cpu_seconds": 1.2345678}, [])


def _a_summary() -> Summary:
    return Summary(
        1_234_567, 123_456_789, False, False, [], {one: _piece(one) for one in range(PARTITIONS_PER_WORKER)}
    )


def _piece(number: int) -> tuple[str, int, int]:
    return (f"assay-cluster-ranks-0123456789abcdef-{number % 8}", 123_456_789 + number, 1_234_567)


def _sizes() -> dict[str, float]:
    """Of what is sent beside blocks, in bytes."""

    def size(what: object) -> float:
        return float(len(pickle.dumps(what)))

    few, many, more = _company(10, 3), _company(110, 3), _company(10, 13)
    some, wide, deep = _level_done(10, 3), _level_done(110, 3), _level_done(10, 13)
    given_run = (size(more) - size(few)) / (10 * PARTITIONS_PER_WORKER)
    peer = (size(many) - size(few)) / 100
    done_peer = (size(wide) - size(some)) / 100
    return {
        "run_bytes": given_run,
        "company_bytes": size(few) - 10 * peer - (3 + 1) * PARTITIONS_PER_WORKER * given_run,
        "company_peer_bytes": peer,
        "level_bytes": size(some)
        - 10 * done_peer
        - (3 + 1) * PARTITIONS_PER_WORKER * (size(deep) - size(some)) / (10 * PARTITIONS_PER_WORKER),
        "level_peer_bytes": done_peer,
        "summary_bytes": size(_a_summary()),
        "piece_bytes": size({one: _piece(one) for one in range(1000)}) / 1000,
    }


def _bookkeeping() -> dict[str, float]:
    """CPU seconds of what grows with the square of the workers, and of what everybody reads of everybody."""
    summary = pickle.dumps(_a_summary())
    pieces = pickle.dumps({one: _piece(one) for one in range(1000)})
    facts = [_facts(100) for _ in range(100)]
    with Processes(1) as cluster, PinnedTasks(cluster.address) as tasks:
        [worker] = tasks.workers()
        one = tasks.submit(f"{__name__}:answer", (b"", 0), worker=worker)
        asked = _least(lambda: [one.done() for _ in range(20_000)]) / 20_000
        tasks.cancel([one])
    return {
        "read_summary": _least(lambda: [pickle.loads(summary) for _ in range(2000)]) / 2000,
        "read_piece": _least(lambda: [pickle.loads(pieces) for _ in range(20)]) / 20_000,
        "facts_pair": _least(lambda: [together(facts) for _ in range(10)]) / 100_000,
        "ask_done": asked,
    }


def as_json(costs: EngineCosts | DaskCosts) -> dict[str, float]:
    return {name: float(f"{value:.4g}") for name, value in asdict(costs).items()}
