"""What the child process of a worker does with its partitions, one call at a time.

Everything here is a function of the files that a task names; what this process keeps (the open model, open
files) only saves time.
"""

from __future__ import annotations

import errno
import json
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

from assay.clustering.cycle_calls import CycleCalls
from assay.clustering.program import NotTheSame, SharedProgram, opened
from assay.execution.memory import memory_of
from assay.records import dataclass
from assay.transition_system.opening import describes_itself, remarks_of, root_of, untracked_by
from assay.transition_system.question import Question

WORK = "assay.clustering.work:work"
REPORT_SECONDS = 0.3
LEVELS_WITH_OPEN_FILES = 32
NO_ROOM = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EFBIG])

# A run in a file: its name, where it begins, records, masks of their layout, checksum.
Run = tuple[str, int, int, bytes, int]
# Words or bytes in a file: its name, where they begin, how many.
Piece = tuple[str, int, int]
# A partition's part of a level: its number, the run, from which to which state, their ranks.
Part = tuple[int, Run, int, int, Sequence[Piece]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a worker has to know of a search."""

    name: str  # of this start of it: no two have the same
    program: SharedProgram
    partitions: int
    in_order: bool  # states are to have the order of their discovery
    logs_edges: bool  # the graph is to be written down
    memory_limit_bytes: int  # of the child
    depth_limit: int
    check_deadlock: bool
    stop_at_first_violation: bool
    question: str = ""  # JSON: about runs; then the product with its automaton is searched

    @property
    def directory(self) -> str:
        return self.program.directory


@dataclass(frozen=True, slots=True)
class Task:
    search: Search
    call: str  # a method of `Partitions`, or of its `cycles`
    arguments: dict[str, Any]
    lessons: tuple[str, ...] = ()  # files with parts of states that others met
    syncs: bool = True  # other machines are to see what it writes


class TaskFailed(Exception):
    """What went wrong, as a search on one machine tells it: `kind`, `message` and more."""

    def __init__(self, facts: dict[str, Any]) -> None:
        super().__init__(facts)
        self.facts = facts


class CandidatesLost(Exception):
    """Another process had kept them, and is gone: the level has to be done again."""


_open: tuple[str, Partitions] | None = None


def work(task: Task, report: Callable[[object], None]) -> Any:
    from assay import _engine
    from assay.execution.worker import told_of

    try:
        return _done(task, report)
    except (NotTheSame, CandidatesLost):
        raise
    except MemoryError:
        raise TaskFailed({"kind": "memory", "message": "memory ran out"}) from None
    except (_engine.DiskProblem, _engine.CheckpointProblem, _engine.GraphProblem) as problem:
        raise TaskFailed({"kind": "disk", "message": str(problem)}) from None
    except ValueError as problem:  # options that do not go together
        raise TaskFailed({"kind": "option", "message": str(problem)}) from None
    except OSError as problem:
        if problem.errno not in NO_ROOM:
            raise TaskFailed(told_of(problem)) from None
        raise TaskFailed({"kind": "disk", "message": str(problem)}) from None
    except Exception as problem:
        raise TaskFailed(told_of(problem)) from None


def _done(task: Task, report: Callable[[object], None]) -> Any:
    global _open  # noqa: PLW0603 (this process serves one search)
    if _open is None or _open[0] != task.search.name:
        _open = (task.search.name, Partitions(task.search))
    partitions = _open[1]
    over = threading.Event()
    teller = threading.Thread(target=_tell, args=(partitions, report, over), daemon=True)
    teller.start()
    try:
        partitions.syncs = task.syncs
        partitions.learn(task.lessons)
        result = attrgetter(task.call)(partitions)(**task.arguments)
        partitions.close_files()
        return result
    finally:
        over.set()
        teller.join()


def _tell(partitions: Partitions, report: Callable[[object], None], over: threading.Event) -> None:
    while not over.wait(REPORT_SECONDS):
        report((partitions.engine.states, partitions.engine.transitions, memory_of("self").resident_bytes))


def machine_of(directory: str) -> str:
    """Whoever has the same sees what others write as soon as it is written: one kernel, one file system."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot} {Path(directory).stat().st_dev}"


class Partitions:
    def __init__(self, search: Search) -> None:
        from assay import _engine

        self.model = opened(search.program)
        self._question = (
            Question.from_json(json.loads(search.question), self.model) if search.question else None
        )
        self._search = search
        self._files = 0
        self._learned: set[str] = set()
        self.syncs = True  # other machines are to see what is written
        self._kept = ""  # the name of what the engine kept of the last expansion
        self.engine = _engine.PartitionWorker(
            self._question.product(self.model) if self._question else self.model,
            directory=search.directory,
            partitions=search.partitions,
            in_order=search.in_order,
            logs_edges=search.logs_edges,
            memory_limit_bytes=search.memory_limit_bytes,
            depth_limit=search.depth_limit and search.depth_limit + bool(self._initial_states),
            check_deadlock=search.check_deadlock,
            stop_at_first_violation=search.stop_at_first_violation,
        )

    @property
    def _initial_states(self) -> int:
        """How many there are, if the first state is not the program's own; a product is counted with it."""
        return 0 if self._question else root_of(self.model)

    @cached_property
    def cycles(self) -> CycleCalls:
        assert self._question is not None
        return CycleCalls(self.engine, self._question, self._new_name)

    def _new_name(self, what: str) -> str:
        """Nobody else ever makes a file of this name: what was done twice does not meet."""
        self._files += 1
        return f"assay-cluster-{what}-{uuid.uuid4().hex[:16]}-{self._files}"

    def close_files(self) -> None:
        """Those that were written are held open until then."""
        if self.syncs:
            self.engine.sync()
        else:
            self.engine.leave_unsynced()

    def learn(self, lessons: Sequence[str]) -> None:
        for name in lessons:
            if name not in self._learned:
                self.engine.learn(Path(self._search.directory, name).read_bytes())
                self._learned.add(name)

    def _lessons(self) -> list[str]:
        """A file with the parts of states that were met here, for the others; none: there are none."""
        lessons = self.engine.take_lessons()
        if not lessons:
            return []
        name = self._new_name("lessons")
        Path(self._search.directory, name).write_bytes(lessons)
        self._learned.add(name)
        return [name]

    def _meanings(self, codes: set[int]) -> dict[int, str]:
        """Where codes of violations are numbers of this process: what they mean."""
        if not describes_itself(self.model):
            return {}
        return {
            code: json.dumps(self.model.violation(code), sort_keys=True, default=str) for code in codes - {0}
        }

    # --- calls ---

    def hello(self) -> tuple[str, int, str]:
        """What shows that this worker searches the same program: the content of its initial state. How many
        initial states there are, if that state is not the program's own. And where it is."""
        state, _ = self.model.initial_state()
        content = f"{self.model.content_hash(state):016x} {len(state)}"
        return content, self._initial_states, machine_of(self._search.directory)

    def begin(self) -> dict[str, Any]:
        partition, violation, state, level, ranks = self.engine.begin(self._new_name("level"))
        return {
            "meanings": self._meanings({violation}),
            "partition": partition,
            "violation": violation,
            "state": state,
            "level": level,
            "ranks": ranks,
        }

    def expand(
        self, parts: list[Part], depth: int, group_of: list[int], own_group: int | None
    ) -> tuple[dict[str, Any], list[bytes]]:
        """What belongs to the own group, if there is one, stays in this process, for the next `put_aside` or
        `merge`, which must know its name: the process that does them may be another."""
        began, worked = time.monotonic(), time.process_time()
        own = len(group_of) if own_group is None else own_group
        name = self._new_name("edges")
        facts, blocks = self.engine.expand(parts, depth, group_of, own, name)
        self._kept = facts["kept"] = "" if own_group is None else name
        facts["seconds"] = time.monotonic() - began
        facts["cpu_seconds"] = time.process_time() - worked
        facts["bytes"] = [len(block) for block in blocks]
        kept_bytes = facts.pop("kept_bytes")
        if own_group is not None:
            facts["bytes"][own_group] = kept_bytes
        facts["lessons"] = self._lessons()
        facts["meanings"] = self._meanings({found[0] for found in facts["found"]})
        facts["remarks"] = remarks_of(self.model)
        facts["untracked"] = untracked_by(self.model)
        facts["edges"] = {part[0]: [piece] for part, piece in zip(parts, facts["edges"], strict=False)}
        return facts, blocks

    def _take_kept(self, name: str) -> None:
        if name != self._kept:
            raise CandidatesLost("the process that had expanded a level is gone")
        self._kept = ""

    def put_aside(self, blocks: list[bytes], kept: str) -> dict[int, Piece]:
        self._take_kept(kept)
        return self.engine.put_aside(blocks, self._new_name("batch"))

    def merge(
        self, parts: list[tuple[int, list[Run], list[Piece]]], blocks: list[bytes], kept: str
    ) -> dict[str, Any]:
        self._take_kept(kept)
        began, worked = time.monotonic(), time.process_time()
        merged = self.engine.merge(parts, blocks, self._new_name("level"))
        return {
            "parts": merged,
            "seconds": time.monotonic() - began,
            "cpu_seconds": time.process_time() - worked,
        }

    def advance(
        self,
        parts: list[Part],
        visited: dict[int, list[Run]],
        depth: int,
        slices: int,
        most_states: int,
        seconds: float,
    ) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """All partitions at once, level after level, until one is too large for one worker or the time is
        up."""
        end = time.monotonic() + seconds
        levels = []
        while True:
            facts, merged = self._level(parts, visited, depth, slices)
            levels.append((facts, merged))
            if len(levels) % LEVELS_WITH_OPEN_FILES == 0:
                self.close_files()
            new = sum(level[2] for _, level, _, _ in merged["parts"])
            if self._search.in_order:
                keys = {number: piece for number, _, piece, _ in merged["parts"]}
                merged["ranks"] = [self.rank(keys, sum(part[3] - part[2] for part in parts), 0, 1)]
            if not new or new > most_states or time.monotonic() > end or facts["found"]:
                return levels
            parts = [
                (number, level, 0, level[2], ranks_of(merged.get("ranks", []), number))
                for number, level, _, _ in merged["parts"]
                if level[2]
            ]
            visited = {number: runs for number, _, _, runs in merged["parts"]}
            depth += 1

    def _level(
        self, parts: list[Part], visited: dict[int, list[Run]], depth: int, slices: int
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        group_of = [0] * self._search.partitions
        told: list[dict[str, Any]] = []
        aside: dict[int, list[Piece]] = {number: [] for number in visited}
        for number in range(slices):
            facts, _ = self.expand(slice_of(parts, number, slices), depth, group_of, own_group=0)
            told.append(facts)
            if number + 1 < slices:
                for partition, piece in self.put_aside([], facts["kept"]).items():
                    aside[partition].append(piece)
        merged = self.merge(
            [(number, runs, aside[number]) for number, runs in visited.items()], [], facts["kept"]
        )
        return together(told), merged

    def predecessors(
        self, levels: list[list[Part]], states: list[bytes]
    ) -> list[list[tuple[int, int, bytes] | None]]:
        """Back through these levels, the last one first: of each state the first predecessor, of that the
        first..."""
        found = []
        for parts in levels:
            before = self.engine.predecessors(parts, states)
            found.append(before)
            if any(one is None for one in before):
                break
            states = [one[2] for one in before if one is not None]
        return found

    def rank(self, keys: dict[int, Piece], parents: int, slice_number: int, slices: int) -> dict[int, Piece]:
        """The ranks of the new states of each partition, of one slice of them."""
        ranks = self.engine.rank(list(keys.values()), parents, slice_number, slices, self._new_name("ranks"))
        return dict(zip(keys, ranks, strict=True))

    def number_edges(
        self, partitions: list[int], levels: list[tuple[int, list[Part]]], edges: list[list[Piece]]
    ) -> list[Piece]:
        return self.engine.number_edges(partitions, levels, edges, self._new_name("numbers"))

    def count_until(self, parts: list[Part], state: bytes, rank: int, at_limit: bool) -> tuple[int, int]:
        return self.engine.count_until(parts, state, rank, at_limit)

    def check(self, runs: list[Run]) -> list[str]:
        """The files of those runs that are not what they were."""
        return [run[0] for run in runs if not self.engine.is_intact(run)]


def slice_of(parts: Sequence[Part], number: int, slices: int) -> list[Part]:
    """One of so many equal slices of what is to be expanded."""
    cut = []
    for partition, run, begin, end, ranks in parts:
        first = begin + (end - begin) * number // slices
        last = begin + (end - begin) * (number + 1) // slices
        if first < last:
            cut.append((partition, run, first, last, ranks))
    return cut


def together(told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What several expansions of one level say as one."""
    return {
        **{
            name: sum(one[name] for one in told)
            for name in ("states", "transitions", "candidates", "violation_count", "seconds", "cpu_seconds")
        },
        "cut": any(one["cut"] for one in told),
        # What codes mean is told apart where each process has its own.
        "found": [(*found, one["meanings"].get(found[0], "")) for one in told for found in one["found"]],
        "lessons": [name for one in told for name in one["lessons"]],
        "remarks": [remark for one in told for remark in one["remarks"]],
        "untracked": [each for one in told for each in one["untracked"]],
        "bytes": [sum(column) for column in zip(*(one["bytes"] for one in told), strict=True)],
        "edges": {
            partition: [piece for one in told for piece in one["edges"].get(partition, [])]
            for partition in {partition for one in told for partition in one["edges"]}
        },
    }


def ranks_of(slices: Sequence[dict[int, Piece]], partition: int) -> list[Piece]:
    """Of the new states of a partition, in their order."""
    return [one[partition] for one in slices if one[partition][2]]
