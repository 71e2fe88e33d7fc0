"""What a search on a cluster costs, piece by piece, in CPU seconds and bytes, measured on one machine.

The engine's share is measured in this process: the workers of a cluster are played one after another by one
`Partitions`, so that there can be any number of them, and every call is timed by the CPU that it takes.
Dask's share is measured on a real scheduler and real workers, with tasks that do nothing.
"""

from __future__ import annotations

import math
import os
import resource
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from assay.clustering.explored import Explored, Level, SharedDirectory
from assay.clustering.grouping import partitions_for
from assay.clustering.program import share
from assay.clustering.standing import BLOCK
from assay.clustering.work import Partitions, Search, slice_of
from assay.distribution.local_processes import LocalProcesses
from assay.distribution.pinned_tasks import PinnedTasks
from assay.languages.promela.program import load
from assay.transition_system.language_options import LanguageOptions
from benchmarks.cluster_simulation import DaskCosts, EngineCosts, candidates_met, sections_met
from benchmarks.tasks import Task
from tests.cluster.processes import Processes

HEADER_WORDS = 5  # of a section, besides the masks of its layout
TICKS = os.sysconf("SC_CLK_TCK")
PLAYED = (1, 2, 4, 16, 64)  # so many workers
DASK_WORKERS = 6
GROUPS = (6, 12, 18, 24, 30)
IDLE_SECONDS = 4.0


# --- the engine ---


# A worker forgets what it has not used for 64 calls. Who plays so many of them makes fewer between two merges
# of one.
PLAYED_BY_ONE = 12


@contextmanager
def engines_for(task: Task, workers: int, *, in_order: bool) -> Iterator[tuple[list[Partitions], Path]]:
    """One for each worker; several of them may be the same."""
    with tempfile.TemporaryDirectory(prefix="assay-scale-") as folder:
        program = load(task.path, LanguageOptions(defines=task.defines, reductions=frozenset()))
        search = Search(
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
        players = [Partitions(search) for _ in range(-(-workers // PLAYED_BY_ONE))]
        yield [players[index // PLAYED_BY_ONE] for index in range(workers)], Path(folder)


def played(task: Task, workers: int, *, in_order: bool = False, slices: int = 1) -> list[dict[str, Any]]:
    """What each level counts and costs if so many workers share it, however narrow it is."""
    with engines_for(task, workers, in_order=in_order) as (engines, folder):
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
            expand = put_aside = rank = 0.0
            facts: list[dict[str, Any]] = []
            aside: dict[int, list[Any]] = {one: [] for one in range(count)}
            rows: list[list[bytes]] = []
            set_aside = total_bytes = home_bytes = 0
            for number in range(slices):
                rows = []
                for engine, mine in zip(engines, groups, strict=True):
                    parts = slice_of(level.parts(mine), number, slices)
                    began = time.process_time()
                    told, blocks = engine.expand(parts, len(levels), group_of, None)
                    expand += time.process_time() - began
                    facts.append(told)
                    rows.append(blocks)
                total_bytes += sum(len(block) for row in rows for block in row)
                home_bytes += sum(len(row[index]) for index, row in enumerate(rows))
                if number + 1 < slices:
                    began = time.process_time()
                    for index in range(workers):
                        for one, piece in engines[index].put_aside([row[index] for row in rows], "").items():
                            aside[one].append(piece)
                    put_aside += time.process_time() - began
                    set_aside = sum(one["candidates"] for one in facts)
            merged: list[Any] = []
            merge = 0.0
            for index, (engine, mine) in enumerate(zip(engines, groups, strict=True)):
                incoming = [row[index] for row in rows]
                began = time.process_time()
                merged += engine.merge([(one, visited[one], aside[one]) for one in mine], incoming, "")[
                    "parts"
                ]
                merge += time.process_time() - began
                # A real worker expands between two merges; who does not forgets the runs of the first one.
                engine.expand([], len(levels), group_of, None)
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
            levels.append(
                {
                    "states": level.states,
                    "transitions": sum(one["transitions"] for one in facts),
                    "candidates": sum(one["candidates"] for one in facts),
                    "new": sum(run[2] for run in new.values()),
                    "bytes": total_bytes,
                    "home_bytes": home_bytes,
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


def engine_costs(task: Task) -> tuple[EngineCosts, list[dict[str, Any]]]:
    """Fitted to clusters of several sizes; and how well that went."""
    every: list[dict[str, Any]] = []
    for workers in PLAYED:
        # Of two runs the lesser of each figure: what disturbed one of them did not disturb the other.
        pair = [played(task, workers), played(task, workers)]
        every += [
            a | {key: min(a[key], b[key]) for key in ("expand", "merge")} for a, b in zip(*pair, strict=True)
        ]
    sections = [sections_met(one["candidates"], one["workers"]) for one in every]
    expand = least_squares(
        [
            [one["transitions"], one["candidates"], one["workers"] * partitions_for(one["workers"])]
            for one in every
        ],
        [one["expand"] for one in every],
    )
    merge = least_squares(
        [
            [
                one["candidates"],
                one["candidates"] * math.log2(one["workers"]),
                section,
                partitions_for(one["workers"]),
                one["rewritten"],
            ]
            for one, section in zip(every, sections, strict=True)
        ],
        [one["merge"] for one in every],
    )
    header = 8.0 * (HEADER_WORDS + every[-1]["masks"])
    # A difference between neighbours is the shorter, the denser they lie.
    dense = [(one, s) for one, s in zip(every, sections, strict=True) if one["candidates"] > 20 * s]
    weights = [math.sqrt(one["candidates"]) for one, _ in dense]
    spread = least_squares(
        [
            [w, w * max(0.0, 40 - math.log2(one["candidates"] / s))]
            for (one, s), w in zip(dense, weights, strict=True)
        ],
        [
            w * (one["bytes"] - s * header) / one["candidates"]
            for (one, s), w in zip(dense, weights, strict=True)
        ],
    )
    sliced = played(task, 4, slices=4)
    ordered = played(task, 4, in_order=True)
    plain = [one for one in every if one["workers"] == 4]
    costs = EngineCosts(
        expand_transition=expand[0],
        expand_candidate=expand[1],
        expand_slot=expand[2],
        merge_candidate=merge[0],
        merge_candidate_doubling=merge[1],
        merge_section=merge[2],
        merge_part=merge[3],
        rewrite_record=merge[4],
        put_aside_candidate=_total(sliced, "put_aside") / max(1, _total(sliced, "set_aside")),
        header_bytes=header,
        candidate_bytes=spread[0],
        candidate_bytes_halving=spread[1],
        record_bytes=every[-1]["record_bytes"],
        in_order_expand=_total(ordered, "expand") / _total(plain, "expand"),
        in_order_merge=_total(ordered, "merge") / _total(plain, "merge"),
        in_order_bytes=_total(ordered, "bytes") / _total(plain, "bytes"),
        rank_state=_total(ordered, "rank") / _total(ordered, "new"),
    )
    return costs, _fit(costs, every)


def _total(levels: Sequence[dict[str, Any]], key: str) -> float:
    return math.fsum(one[key] for one in levels)


def _fit(costs: EngineCosts, every: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Measured and predicted, of each number of workers."""
    told = []
    for workers in PLAYED:
        levels = [one for one in every if one["workers"] == workers]
        alone = [one for one in every if one["workers"] == 1]
        met = [candidates_met(a["transitions"], a["candidates"], workers) for a in alone]
        told.append(
            {
                "workers": workers,
                "expand": _total(levels, "expand"),
                "expand_predicted": math.fsum(
                    costs.expanding(one["transitions"], c, workers * partitions_for(workers))
                    for one, c in zip(alone, met, strict=True)
                ),
                "merge": _total(levels, "merge"),
                "merge_predicted": math.fsum(
                    costs.merging(
                        c, sections_met(c, workers), workers, partitions_for(workers), one["rewritten"]
                    )
                    for one, c in zip(alone, met, strict=True)
                ),
                "candidates": _total(levels, "candidates"),
                "candidates_predicted": math.fsum(met),
                "bytes": _total(levels, "bytes"),
                "bytes_predicted": math.fsum(costs.block_bytes(c, sections_met(c, workers)) for c in met),
            }
        )
    return told


# --- Dask ---


def cpu_of(process: int) -> tuple[float, float]:
    """Its own, and that of those children that it has buried."""
    fields = [int(one) for one in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]]
    return (fields[0] + fields[1]) / TICKS, (fields[2] + fields[3]) / TICKS


def make_blocks(given: tuple[int, int], _inputs: list[Any], _around: Any) -> Any:
    groups, size = given
    return {}, [os.urandom(size)] * groups


def take_blocks(_given: bytes, inputs: list[Any], _around: Any) -> int:
    return sum(len(block) for _, block in inputs)


def echo(task: list[bytes], _report: Any) -> list[bytes]:
    return task


def dask_costs() -> tuple[DaskCosts, list[dict[str, float]]]:
    """Of the tasks of a level, and how well they are predicted."""
    measured = []
    with Processes(DASK_WORKERS) as cluster, PinnedTasks(cluster.address) as tasks:
        before = cpu_of_all(cluster)
        time.sleep(IDLE_SECONDS)
        idle = [(b - a) / IDLE_SECONDS for a, b in zip(before, cpu_of_all(cluster), strict=True)]
        for groups, size, payload in (
            *((groups, 100, 0) for groups in GROUPS),
            (6, 2_000_000, 0),
            (6, 100, 2_000_000),
            *((groups, 100, 0) for groups in GROUPS),
        ):
            before, began = cpu_of_all(cluster), time.monotonic()
            _level(tasks, groups, size, payload)
            seconds = time.monotonic() - began
            spent = [
                b - a - seconds * rest for a, b, rest in zip(before, cpu_of_all(cluster), idle, strict=True)
            ]
            measured.append(
                {
                    "tasks": groups * groups + 2 * groups,
                    "sent_bytes": size * groups * groups * (DASK_WORKERS - 1) // DASK_WORKERS,
                    "payload_bytes": payload * groups,
                    "scheduler": spent[0],
                    "workers": spent[1],
                    "client": spent[2],
                }
            )
    fitted = {
        name: least_squares(
            [[one["tasks"], one["sent_bytes"], one["payload_bytes"]] for one in measured],
            [one[name] for one in measured],
        )
        for name in ("scheduler", "workers", "client")
    }
    costs = DaskCosts(
        scheduler_task=fitted["scheduler"][0],
        client_task=fitted["client"][0],
        worker_task=fitted["workers"][0],
        worker_byte=fitted["workers"][1],
        payload_byte=fitted["scheduler"][2] + fitted["client"][2],
        child_byte=_child_byte(),
        commit_run=_commit_run(),
    )
    return costs, measured


def cpu_of_all(cluster: Processes) -> list[float]:
    """Scheduler, Dask workers, client and the children of the workers."""
    return [
        cpu_of(cluster.scheduler.pid)[0],
        sum(cpu_of(one.pid)[0] for one in cluster.workers),
        time.process_time(),
        sum(cpu_of(one.pid)[1] for one in cluster.workers),
    ]


def _level(tasks: PinnedTasks, groups: int, size: int, payload: int) -> None:
    """The tasks of one level, as the coordinator submits them."""
    workers = tasks.workers()
    here = [workers[index % len(workers)] for index in range(groups)]
    made = [tasks.submit(f"{__name__}:make_blocks", (groups, size), worker=one) for one in here]
    blocks = [
        [
            tasks.submit(BLOCK, (source, target), worker=here[source], inputs=[made[source]])
            for target in range(groups)
        ]
        for source in range(groups)
    ]
    given = os.urandom(payload)
    merges = [
        tasks.submit(f"{__name__}:take_blocks", given, worker=one, inputs=[row[index] for row in blocks])
        for index, one in enumerate(here)
    ]
    got = tasks.results(merges, on_tick=lambda: None, on_progress=lambda _: None)
    if got != [size * groups] * groups:
        raise SystemExit("the blocks of a level did not arrive")
    tasks.cancel(merges)


def _child_byte() -> float:
    """From a Dask worker to its child and back: for each byte that goes one way."""
    size, rounds = 8 << 20, 6
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = []
    for count in (1, 1 + rounds):
        began, before = time.process_time(), children
        with LocalProcesses(1, retries=0) as executor:
            for _ in range(count):
                executor.run(
                    f"{__name__}:echo",
                    [[os.urandom(size)]],
                    on_progress=lambda *_: None,
                    on_done=lambda *_: None,
                )
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        child = children.ru_utime + children.ru_stime - before.ru_utime - before.ru_stime
        spent.append(time.process_time() - began + child)
    return max(0.0, spent[1] - spent[0]) / (2 * size * rounds)


def _commit_run() -> float:
    """For each run that is named when a level is committed."""
    levels, partitions = 100, 256
    run = ("assay-cluster-level-0123456789abcdef-1", 123_456_789, 1_234_567, b"\x7f" * 80, 0xFEDCBA9876543210)
    explored = Explored({}, partitions, in_order=False)
    explored.levels = [Level(dict.fromkeys(range(partitions), run)) for _ in range(levels)]
    with tempfile.TemporaryDirectory(prefix="assay-scale-") as folder, SharedDirectory(folder) as directory:
        best = math.inf
        for _ in range(3):
            began = time.process_time()
            directory.commit(explored)
            directory.sweep(explored.files())
            best = min(best, time.process_time() - began)
    return best / (levels * partitions)


def as_json(costs: EngineCosts | DaskCosts) -> dict[str, float]:
    return {name: float(f"{value:.4g}") for name, value in asdict(costs).items()}
