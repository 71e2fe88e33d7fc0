"""The order of a search on a cluster: level by level, until no state is new.

Each worker has a group of partitions. Together they go on for about a second, or a level if that takes longer
(`company`), and answer with counts and the names of files; then the levels are committed. What happens in
between can be done again: what was lost, in part or whole, costs its time and nothing else.

Where a level is small, one worker does it alone, and those after it, until they are large.
"""

from __future__ import annotations

import contextlib
import json
import struct
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.clustering.certificate import arguments_of, streams_for, write
from assay.clustering.company import Company, LevelDone
from assay.clustering.explored import Explored, Found, Level, SharedDirectory
from assay.clustering.grouping import partitions_for, shared_out, slices_for
from assay.clustering.program import NotTheSame, has_parts, share
from assay.clustering.standing import CALL, END, TOGETHER
from assay.clustering.work import CandidatesLost, Search, Task, TaskFailed, machine_of, ranks_of, together
from assay.distribution.interface import Cause, ClusterProblem, WorkerDied
from assay.distribution.meeting import PeerLost
from assay.distribution.pinned_tasks import PinnedTasks, TasksLost
from assay.evidence.verdict import SearchFacts, StopReason
from assay.execution import interrupts
from assay.execution.model_process import EngineFailure, ModelProcess, Progress, Report
from assay.execution.replaying import Replayed, replay
from assay.records import dataclass
from assay.search.native import NativeOutcome, NativeViolation, WrittenCertificate
from assay.search.options import SearchOptions
from assay.transition_system.interface import Opening
from assay.transition_system.language_options import OptionProblem

if TYPE_CHECKING:
    from assay.evidence.certificate.claim import CertificateRequest, Claim

AT_STATE = 0xFFFFFFFF  # the position of a violation of a state
NO_POSITION = 0xFFFFFFFF
NARROW_STATES = 20_000  # a level up to this size is one worker's
NARROW_TOTAL = 2_000_000  # unless the others would have to be read first...
NARROW_LEVELS = 50  # ... which is worth it when so many were narrow
ANSWER_AFTER_SECONDS = 1.0  # a worker, alone or with others, has done some levels
LOOK_FOR_WORKERS_SECONDS = 1.0
WITHOUT_WORKERS_SECONDS = 60.0
COMMIT_SECONDS = 5.0
HANGS_SECONDS = 30.0
LOST_SECONDS = 5.0
STALLS_SECONDS = 4.0  # while a worker is gone
MOST_TRIES = 6  # of a level
DEFAULT_MEMORY = 1 << 30
DASK_MEMORY = 160 << 20  # of a Dask worker without its child
LEAST_MEMORY = 64 << 20  # of the child
BLOCK_SHARE = 16  # of its memory, blocks on their way take one part


class Stop(Exception):
    """The search ends here, with what it has."""

    def __init__(self, reason: StopReason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def search(
    tasks: PinnedTasks,
    path: str,
    opening: Opening,
    options: SearchOptions,
    *,
    deadline: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    certificate: CertificateRequest | None = None,
    claim: Claim | None = None,
    identity: Sequence[tuple[str, str]] = (),
    process: ModelProcess | None = None,
) -> NativeOutcome:
    """What `search.native.search` does, on a cluster, with states in this directory."""
    with SharedDirectory(path) as directory:
        explored = directory.load(dict(identity), resume=options.resume)
        coordinator = Coordinator(tasks, directory, opening, options, deadline, on_progress)
        return coordinator.outcome(explored, dict(identity), certificate, claim, process)


def order_of(state: bytes) -> tuple[int, tuple[int, ...]]:
    """The order of states where there is none of discovery: that of the search on disk."""
    return len(state), struct.unpack(f"<{len(state) // 8}Q", state)


def _code_meaning(meaning: str, replayed: Replayed) -> int:
    """The code that the process which executed a run has for what another process called by its own."""
    said: Any = (replayed.run.descriptions or {}) if replayed.run is not None else {}
    for code, told in said.get("violations", {}).items():
        if json.dumps(told, sort_keys=True) == json.dumps(json.loads(meaning), sort_keys=True):
            return int(code)
    return -1


@dataclass(slots=True)
class _Told:
    """By a worker, of what it does now."""

    states: int = 0
    transitions: int = 0
    memory_bytes: int = 0


class Coordinator:
    def __init__(
        self,
        tasks: PinnedTasks,
        directory: SharedDirectory,
        opening: Opening,
        options: SearchOptions,
        deadline: float | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._tasks = tasks
        self._directory = directory
        self._opening = opening
        self._options = options
        self._deadline = deadline
        self._on_progress = on_progress
        self._began = time.monotonic()
        self._accepted: list[str] = []
        self._refused: dict[str, str] = {}
        self._next_look = self._next_commit = 0.0
        self._told: dict[str, _Told] = {}
        self._last_heard = 0.0
        self._peak_memory = 0
        self._narrow_levels = 0
        self._remarks: list[str] = []
        self._most_workers = 0
        self._resumed_from = 0
        self._explored: Explored | None = None
        self._tracing = False
        self._initial_states = 0  # if the first state is not the program's own
        self._answer: tuple[str, int] | None = None  # of the first worker that was asked
        self._syncs = False  # some worker is on another machine
        self._hanging: set[str] = set()
        self._lost: dict[str, float] = {}  # who did not answer others: until when they are left alone
        self._next_watch = 0.0

    # --- from the request to the outcome ---

    def outcome(
        self,
        explored: Explored | None,
        identity: Mapping[str, str],
        certificate: CertificateRequest | None,
        claim: Claim | None,
        process: ModelProcess | None,
    ) -> NativeOutcome:
        self._search = self._search_for(
            explored,
            # Words that stand for parts have no order that one process would know.
            in_order=certificate is not None or has_parts(self._opening),
            logs_edges=certificate is not None,
        )
        stop, facts, paths = Stop(StopReason.FINISHED), None, []
        try:
            try:
                self._look_for_workers(first=True)
                self._explored = self._begin(identity) if explored is None else self._take_up(explored)
                facts = self._explore(self._explored)
                self._tracing = bool(self._explored.found)
                paths = self._paths(self._explored)
            except Stop as stopped:
                stop = stopped
            except ClusterProblem as gone:
                stop = Stop(StopReason.CLUSTER, str(gone))
            written: WrittenCertificate | None = None
            problem = ""
            if (
                certificate is not None
                and claim is not None
                and facts is not None
                and facts.complete
                and not facts.violation_count
            ):
                written, problem = self._certificate(certificate, claim, process)
            return replace(
                self._told_of(stop, facts, paths, process, keep=bool(problem)),
                certificate=written,
                certificate_problem=problem,
            )
        finally:
            self._say_goodbye()

    def _search_for(
        self, explored: Explored | None, *, in_order: bool, logs_edges: bool, question: str = ""
    ) -> Search:
        memory = (self._options.memory_limit_bytes or DEFAULT_MEMORY + DASK_MEMORY) - DASK_MEMORY
        if memory < LEAST_MEMORY:
            raise OptionProblem(
                f"memory: a worker of a cluster needs at least {(DASK_MEMORY + LEAST_MEMORY) >> 20} MiB, got "
                f"{self._options.memory_limit_bytes >> 20} MiB"
            )
        return Search(
            name=uuid.uuid4().hex,
            program=share(self._opening, str(self._directory.path)),
            partitions=partitions_for(len(self._tasks.workers()))
            if explored is None
            else explored.partitions,
            in_order=in_order,
            logs_edges=logs_edges,
            memory_limit_bytes=memory,
            depth_limit=self._options.depth_limit,
            check_deadlock=self._options.check_deadlock,
            stop_at_first_violation=self._options.stop_at_first_violation,
            question=question,
        )

    def _told_of(
        self,
        stop: Stop,
        facts: SearchFacts | None,
        paths: list[tuple[int, list[int]]],
        process: ModelProcess | None,
        *,
        keep: bool,
    ) -> NativeOutcome:
        explored = self._explored
        if explored is None:
            return NativeOutcome(self._facts_of_a_stopped_search(stop), (), 0)
        seconds = time.monotonic() - self._began
        if facts is None:
            facts = self._facts_of_a_stopped_search(stop)
        elif stop.reason is not StopReason.FINISHED:  # it was stopped on the way back from a violation
            paths = []
        disk_bytes = max(explored.disk_bytes, self._directory.bytes())
        self._leave(facts, keep=keep)
        return NativeOutcome(
            self._of_the_program(replace(facts, seconds=seconds)),
            tuple(self._executed(code, path, process) for code, path in paths),
            self._peak_memory,
            disk_bytes=disk_bytes,
            resumed_from=self._resumed_from,
            levels=tuple(level.states for level in explored.levels),
            remarks=(*explored.remarks, *self._remarks),
            untracked=tuple(explored.untracked),
            cluster=self._as_json(explored),
        )

    def _facts_of_a_stopped_search(self, stop: Stop) -> SearchFacts:
        explored = self._explored
        if explored is None:
            return SearchFacts(stop_reason=stop.reason, stop_detail=stop.detail)
        return SearchFacts(
            states=explored.states,
            transitions=explored.transitions,
            depth=explored.depth,
            frontier=explored.levels[-1].states,
            stop_reason=stop.reason,
            stop_detail=stop.detail,
            violation_count=explored.violation_count,
        )

    def _leave(self, facts: SearchFacts, *, keep: bool = False) -> None:
        """Nothing of a search that is over stays; one that was stopped can be gone on with."""
        if not keep and (facts.complete or facts.stop_reason in {StopReason.VIOLATION, StopReason.DEPTH}):
            self._directory.clear()
        elif self._explored is not None:
            with contextlib.suppress(OSError):  # what was committed before is there
                self._commit(self._explored)

    def _of_the_program(self, facts: SearchFacts) -> SearchFacts:
        """A state before the initial ones is ours."""
        if not self._initial_states:
            return facts
        return replace(
            facts,
            states=facts.states - 1,
            transitions=facts.transitions - self._initial_states,
            depth=max(0, facts.depth - 1),
        )

    def _certificate(
        self, certificate: CertificateRequest, claim: Claim, process: ModelProcess | None
    ) -> tuple[WrittenCertificate | None, str]:
        explored = self._explored
        assert explored is not None
        try:
            self._commit(explored)
            # The table takes a little more than half as much again, and stands where candidates stood.
            streams = streams_for(explored, len(self._accepted), self._search.memory_limit_bytes // 2)
            numbers: list[Any] = []
            for begin in range(0, len(streams), len(self._accepted)):
                numbers += self._numbered(explored, streams[begin : begin + len(self._accepted)])
            self._explored = None  # nobody hears of its progress any more
            return write(
                self._opening,
                explored,
                streams,
                numbers,
                str(self._directory.path),
                certificate=certificate,
                claim=claim,
                memory_bytes=self._search.memory_limit_bytes // 2,
                deadline=self._deadline,
                on_progress=self._on_progress,
                process=process,
            )
        except Stop as stopped:
            return None, stopped.detail or f"it was stopped ({stopped.reason.value})"
        except (ClusterProblem, OSError) as problem:
            return None, str(problem)
        finally:
            self._explored = explored

    def _numbered(self, explored: Explored, streams: Sequence[Sequence[int]]) -> list[Any]:
        def make() -> list[Any]:
            return [
                self._tasks.submit(
                    CALL,
                    self._task("number_edges", arguments_of(explored, stream)),
                    worker=self._accepted[index % len(self._accepted)],
                )
                for index, stream in enumerate(streams)
            ]

        return self._do(make)

    def _executed(self, code: int, path: list[int], process: ModelProcess | None) -> NativeViolation:
        replayed = replay(self._opening, path, process=process)
        if self._explored is not None and self._explored.meanings and code:
            code = _code_meaning(self._explored.meanings[code - 1], replayed)
        if replayed.failed_at is not None or code not in replayed.codes:
            raise EngineFailure(
                "a run that the cluster found does not lead to its violation when executed again "
                f"(code {code}, executed: {sorted(replayed.codes)}, failed at {replayed.failed_at})"
            )
        return NativeViolation(code, tuple(path), replayed.run)

    def _as_json(self, explored: Explored) -> dict[str, object]:
        return {
            "workers": self._most_workers,
            "partitions": explored.partitions,
            "bytes_sent": explored.bytes_sent,
            "refused": dict(self._refused),
            "peak_memory_bytes": self._peak_memory,
            "levels": explored.profile,
        }

    # --- workers ---

    def _look_for_workers(self, *, first: bool = False) -> None:
        """Newcomers are asked whether they can take part; who is gone is forgotten."""
        patience = time.monotonic() + WITHOUT_WORKERS_SECONDS
        while True:
            there = self._tasks.workers()
            self._hanging &= set(self._tasks.silent(HANGS_SECONDS)) if self._hanging else set()
            now = time.monotonic()
            there = [one for one in there if one not in self._hanging and self._lost.get(one, 0.0) < now]
            for worker in there:
                if worker not in self._accepted and worker not in self._refused:
                    self._ask(worker)
            self._accepted = [one for one in self._accepted if one in there]
            self._most_workers = max(self._most_workers, len(self._accepted))
            self._next_look = time.monotonic() + LOOK_FOR_WORKERS_SECONDS
            if self._accepted:
                return
            if first and there and all(one in self._refused for one in there):
                raise OptionProblem(f"cluster: {self._refused[there[0]]}")
            if time.monotonic() > patience:
                raise ClusterProblem("the cluster has lost all its workers")
            self._tick()
            time.sleep(0.2)

    def _ask(self, worker: str) -> None:
        """Nobody else can answer for it, so that its task waits for ever when it is lost."""
        task = self._tasks.submit(CALL, self._task("hello", {}), worker=worker, nowhere_else=True)
        next_look = time.monotonic() + LOOK_FOR_WORKERS_SECONDS

        def still_there() -> None:
            nonlocal next_look
            self._tick()
            if time.monotonic() > next_look:
                next_look = time.monotonic() + LOOK_FOR_WORKERS_SECONDS
                if worker not in self._tasks.workers() or worker in self._tasks.silent(HANGS_SECONDS):
                    raise TasksLost(worker)

        try:
            [answer] = self._tasks.results([task], on_tick=still_there, on_progress=self._hear)
        except TasksLost:
            self._tasks.cancel([task])
            return
        except TaskFailed as failed:
            raise self._failure(failed) from None
        except (WorkerDied, ClusterProblem, NotTheSame, RuntimeError) as problem:
            why = str(problem)
        else:
            begins, machine = answer[:2], answer[2]
            self._answer = self._answer or begins
            self._initial_states = begins[1]
            why = "" if begins == self._answer else "its program begins in another state"
            if machine != machine_of(str(self._directory.path)) and not self._syncs:
                self._syncs = True
                if self._explored is not None:  # what was only written is sent to where all can read it
                    self._commit(self._explored)
        if why:
            self._refused[worker] = why
            self._remarks.append(f"the worker at {worker} does not take part: {why}")
        else:
            self._accepted.append(worker)

    def _say_goodbye(self) -> None:
        with contextlib.suppress(Exception):
            present = set(self._tasks.workers())
            farewells = [
                self._tasks.submit(END, self._search.name, worker=one, nowhere_else=True)
                for one in self._accepted
                if one in present
            ]
            patience = time.monotonic() + 2.0

            def give_up() -> None:
                if time.monotonic() > patience:
                    raise TimeoutError

            self._tasks.results(farewells, on_tick=give_up, on_progress=lambda _: None)

    def _tick(self) -> None:
        now = time.monotonic()
        if interrupts.take():
            raise Stop(StopReason.INTERRUPTED)
        if self._deadline is not None and now > self._deadline and not self._tracing:
            raise Stop(StopReason.TIME)
        self._tell()

    def _watch(self, stalls_seconds: float = STALLS_SECONDS) -> None:
        """The same while tasks are done that somebody who hangs, or is gone, might never finish."""
        self._tick()
        now = time.monotonic()
        if now < self._next_watch:
            return
        self._next_watch = now + LOOK_FOR_WORKERS_SECONDS
        gone = set(self._accepted) - set(self._tasks.workers())
        if gone and now > self._last_heard + stalls_seconds:
            # Dask has tasks of a lost worker done by others, but not if for a moment there were none; and not
            # those that nobody else can do.
            raise TasksLost(f"the worker at {min(gone)} is gone, and nobody goes on with what it did")
        hanging = set(self._tasks.silent(HANGS_SECONDS)) & set(self._accepted)
        if hanging:
            self._hanging |= hanging
            raise TasksLost(f"the worker at {min(hanging)} does not answer")

    def _hear(self, told: tuple[str, int, int, int, int]) -> None:
        worker, states, transitions, of_child, of_worker = told
        self._told[worker] = _Told(states, transitions, of_child + of_worker)
        self._last_heard = time.monotonic()
        self._peak_memory = max(self._peak_memory, of_child + of_worker)

    def _tell(self) -> None:
        explored = self._explored
        if self._on_progress is None or explored is None:
            return
        under_way = [self._told.get(one, _Told()) for one in self._accepted]
        expanded = sum(one.states for one in under_way)
        fullest = max((one.memory_bytes for one in under_way), default=0)
        self._on_progress(
            Progress(
                states=explored.states,
                transitions=explored.transitions + sum(one.transitions for one in under_way),
                depth=explored.depth,
                frontier=max(0, explored.levels[-1].states - expanded),
                memory_bytes=fullest,
                seconds=time.monotonic() - self._began,
                tracing=self._tracing,
                note=self._note(explored),
            )
        )

    def _note(self, explored: Explored) -> str:
        skew = explored.profile[-1].get("skew", 1.0) if explored.profile else 1.0
        workers = f"{len(self._accepted)} worker{'' if len(self._accepted) == 1 else 's'}"
        return f"{workers}, skew {skew:.2f}, {explored.bytes_sent / 1e6:,.1f} MB sent"

    def _failure(self, failed: TaskFailed) -> Exception:
        """What a task says of the program, as a search on one machine says it."""
        report = Report()
        report.failure = dict(failed.facts)
        if failed.facts["kind"] == "disk":
            return Stop(StopReason.DISK, str(failed.facts["message"]))
        if failed.facts["kind"] == "memory":
            return Stop(StopReason.MEMORY, "the system gave no more")
        try:
            report.raise_if_it_failed()
        except Exception as problem:
            return problem
        return EngineFailure(str(failed.facts["message"]))

    def _watch_company(self) -> None:
        self._watch(0.0)

    def _do(self, make: Callable[[], list[Any]], on_tick: Callable[[], None] | None = None) -> list[Any]:
        """Has tasks done, again as long as they are lost with their workers."""
        deaths = 0
        for tries in range(1, MOST_TRIES + 1):
            tasks: list[Any] = []
            try:
                self._last_heard = time.monotonic()
                tasks = make()
                return self._tasks.results(tasks, on_tick=on_tick or self._watch, on_progress=self._hear)
            except TaskFailed as failed:
                raise self._failure(failed) from None
            except (TasksLost, WorkerDied, NotTheSame, CandidatesLost, OSError) as lost:
                if isinstance(lost, PeerLost):
                    self._lost[lost.address] = time.monotonic() + LOST_SECONDS
                # What a process has told of parts of states in vain it would not tell again: all begin anew.
                self._search = replace(self._search, name=uuid.uuid4().hex)
                if isinstance(lost, WorkerDied) and lost.cause is Cause.MEMORY:
                    deaths += 1
                if tries == MOST_TRIES or deaths == MOST_TRIES // 2:
                    reason = StopReason.MEMORY if deaths else StopReason.CRASHED
                    raise Stop(reason, str(lost)) from lost
            finally:
                self._told.clear()
                if tasks:
                    self._tasks.cancel(tasks)
            self._look_for_workers()
        raise AssertionError

    def _task(self, call: str, arguments: dict[str, Any]) -> Task:
        lessons = () if self._explored is None else tuple(self._explored.lessons)
        return Task(self._search, call, arguments, lessons, self._syncs)

    @property
    def _block_budget(self) -> int:
        return self._search.memory_limit_bytes // BLOCK_SHARE

    def _one(self, call: str, worker: str | None = None, **arguments: Any) -> Any:
        def make() -> list[Any]:
            chosen = worker if worker in self._accepted else self._accepted[0]
            return [self._tasks.submit(CALL, self._task(call, arguments), worker=str(chosen))]

        [result] = self._do(make)
        return result

    # --- levels ---

    def _begin(self, identity: Mapping[str, str]) -> Explored:
        self._directory.sweep(set())
        begun = self._one("begin")
        explored = Explored(dict(identity), self._search.partitions, self._search.in_order)
        partition = begun["partition"]
        explored.levels.append(Level({partition: begun["level"]}, {partition: [begun["ranks"]]}))
        explored.visited = {one: [] for one in range(explored.partitions)}
        explored.visited[partition] = [begun["level"]]
        explored.states = 1
        if begun["violation"]:
            explored.violation_count = 1
            code = explored.code_of(begun["violation"], begun["meanings"].get(begun["violation"], ""))
            explored.add(Found(code, AT_STATE, 0, 0, 0, begun["state"]))
        return explored

    def _take_up(self, explored: Explored) -> Explored:
        """Nothing on disk is believed before its checksum has been."""
        self._directory.sweep(explored.files())
        runs = {run[:2]: run for each in explored.visited.values() for run in each}
        runs |= {run[:2]: run for level in explored.levels for run in level.runs.values()}
        shares: list[list[Any]] = [[] for _ in self._accepted]
        for index, run in enumerate(runs.values()):
            shares[index % len(shares)].append(run)

        def make() -> list[Any]:
            return [
                self._tasks.submit(
                    CALL,
                    self._task("check", {"runs": mine}),
                    worker=self._accepted[index % len(self._accepted)],
                )
                for index, mine in enumerate(shares)
            ]

        damaged = sorted({name for found in self._do(make) for name in found})
        if damaged:
            raise OptionProblem(
                f"spill: {self._directory.path / damaged[0]} is damaged; begin again in another directory"
            )
        self._resumed_from = explored.states
        return explored

    def _commit(self, explored: Explored) -> None:
        self._directory.commit(explored)
        self._directory.sweep(explored.files())
        self._next_commit = time.monotonic() + COMMIT_SECONDS

    def _explore(self, explored: Explored) -> SearchFacts:
        options = self._options
        if (
            explored.found
            and options.stop_at_first_violation
            and explored.depth == 0
            and explored.states == 1
        ):
            return self._violated(explored, expanded=0)  # the initial state
        while not explored.finished:
            now = time.monotonic()
            if now > self._next_look:
                self._look_for_workers()
            for facts, parts in self._next_levels(explored):
                ended = self._take(explored, facts, parts)
                if ended is not None:
                    return ended
            if now > self._next_commit:
                self._commit(explored)
        complete = not explored.cut
        return SearchFacts(
            states=explored.states,
            transitions=explored.transitions,
            depth=explored.depth,
            complete=complete,
            stop_reason=StopReason.FINISHED if complete else StopReason.DEPTH,
            violation_count=explored.violation_count,
        )

    def _take(self, explored: Explored, facts: dict[str, Any], parts: Sequence[Any]) -> SearchFacts | None:
        """A level that was done. Answers what the search ends with, if it ends here."""
        depth, level = explored.depth, explored.levels[-1]
        new = {number: run for number, run, _, _ in parts if run[2]}
        fresh = sum(run[2] for run in new.values())
        limit = self._options.state_limit and self._options.state_limit + bool(self._initial_states)
        found = [
            Found(explored.code_of(code, meaning), position, depth, length, rank, state)
            for code, position, length, rank, sequence, state, meaning in sorted(
                facts["found"], key=lambda one: (one[3] if explored.in_order else order_of(one[5]), one[4])
            )
        ]
        explored.violation_count += facts["violation_count"]
        explored.cut = explored.cut or facts["cut"]
        for one in found:
            explored.add(one)
        explored.bytes_sent += facts["sent"]
        explored.lessons += facts["lessons"]
        explored.remarks += [one for one in facts["remarks"] if one not in explored.remarks]
        explored.untracked += [one for one in facts["untracked"] if one not in explored.untracked]
        explored.profile.append(self._profile(level, facts, fresh))
        if explored.found and self._options.stop_at_first_violation:
            if any(one.path_length == depth for one in explored.found):
                first = min(
                    (one for one in found if one.path_length == depth),
                    key=lambda one: self._order(explored, one),
                )
                counted = self._count_until(explored, first)
                explored.transitions += sum(transitions for _, transitions in counted)
                return self._violated(explored, expanded=sum(states for states, _ in counted))
            explored.transitions += facts["transitions"]
            return self._violated(explored, expanded=level.states)
        explored.transitions += facts["transitions"]
        if limit and explored.states + fresh > limit:
            unmerged = limit - explored.states
            transitions = explored.transitions
            # The level is done again by whoever goes on: what is committed is the one before.
            explored.transitions -= facts["transitions"]
            explored.violation_count -= facts["violation_count"]
            return SearchFacts(
                states=limit,
                transitions=transitions,
                depth=depth,
                frontier=unmerged,
                stop_reason=StopReason.STATES,
                violation_count=explored.violation_count + facts["violation_count"],
            )
        level.edges = facts["edges"]
        if not fresh:
            explored.finished = True
            return None
        explored.states += fresh
        explored.visited |= {number: runs for number, _, _, runs in parts}
        explored.levels.append(
            Level(new, {one: ranks_of(facts["ranks"], one) for one in new} if explored.in_order else {})
        )
        return None

    def _order(self, explored: Explored, found: Found) -> Any:
        return found.rank if explored.in_order else order_of(found.state)

    def _profile(self, level: Level, facts: dict[str, Any], fresh: int) -> dict[str, Any]:
        return {
            "states": level.states,
            "transitions": facts["transitions"],
            "candidates": facts["candidates"],
            "new": fresh,
            "workers": facts["workers"],
            "block_bytes": sum(facts["bytes"]),
            "sent_bytes": facts["sent"],
            "skew": round(facts["skew"], 3),
            "expand_seconds": round(facts["seconds"], 6),
            "merge_seconds": round(facts["merge_seconds"], 6),
            # Of the worker that took longest; without what it waited for.
            "expand_cpu_seconds": round(facts["cpu_seconds"], 6),
            "merge_cpu_seconds": round(facts["merge_cpu_seconds"], 6),
            "seconds": round(facts["whole_seconds"], 6),
        }

    def _violated(self, explored: Explored, *, expanded: int) -> SearchFacts:
        shortest = min(explored.found, key=lambda one: one.path_length)
        explored.found = [shortest]
        return SearchFacts(
            states=explored.states,
            transitions=explored.transitions,
            depth=explored.depth,
            frontier=explored.levels[-1].states - expanded,
            stop_reason=StopReason.VIOLATION,
            violation_count=1,
        )

    def _bytes_per_state(self, explored: Explored) -> float:
        if not explored.profile:
            return 0.0
        last = explored.profile[-1]
        return float(last["block_bytes"] / max(1, last["states"]))

    def _is_narrow(self, explored: Explored) -> bool:
        states = explored.levels[-1].states
        self._narrow_levels = self._narrow_levels + 1 if states <= NARROW_STATES else 0
        return states <= NARROW_STATES and (
            explored.states <= NARROW_TOTAL or self._narrow_levels > NARROW_LEVELS
        )

    def _next_levels(self, explored: Explored) -> list[tuple[dict[str, Any], Sequence[Any]]]:
        began = time.monotonic()
        if len(self._accepted) == 1 or self._is_narrow(explored):
            levels = self._alone(explored)
        else:
            levels = self._together(explored)
        seconds = (time.monotonic() - began) / len(levels)
        return [({**facts, "whole_seconds": seconds}, parts) for facts, parts in levels]

    def _alone(self, explored: Explored) -> list[tuple[dict[str, Any], Sequence[Any]]]:
        level = explored.levels[-1]
        only = len(self._accepted) == 1
        everything = range(explored.partitions)
        done = self._one(
            "advance",
            worker=self._accepted[0],
            parts=level.parts(everything),
            visited=explored.visited,
            depth=explored.depth,
            slices=slices_for(level.states, self._bytes_per_state(explored), self._block_budget),
            most_states=(level.states * 2 + NARROW_STATES) if only else NARROW_STATES,
            seconds=ANSWER_AFTER_SECONDS,
        )
        return [
            (
                {
                    **facts,
                    "sent": 0,
                    "skew": 1.0,
                    "workers": 1,
                    "merge_seconds": merged["seconds"],
                    "merge_cpu_seconds": merged["cpu_seconds"],
                    "ranks": merged.get("ranks", []),
                },
                merged["parts"],
            )
            for facts, merged in done
        ]

    def _together(self, explored: Explored) -> list[tuple[dict[str, Any], Sequence[Any]]]:
        level = explored.levels[-1]
        groups: dict[str, list[int]] = {}

        def make() -> list[Any]:
            nonlocal groups
            groups = shared_out(explored.partitions, self._accepted, explored.homes)
            return [
                self._tasks.submit(TOGETHER, part, worker=worker, nowhere_else=True)
                for worker, part in zip(groups, self._company(explored, level, groups), strict=True)
            ]

        answers: list[list[LevelDone]] = self._do(make, self._watch_company)
        explored.homes = {one: worker for worker, mine in groups.items() for one in mine}
        loads = [sum(level.runs[one][2] for one in mine if one in level.runs) for mine in groups.values()]
        levels: list[tuple[dict[str, Any], Sequence[Any]]] = []
        for done in zip(*answers, strict=True):
            parts = [part for one in done for part in one.merged["parts"]]
            levels.append((self._facts(done, loads), parts))
            new = {number: run[2] for number, run, _, _ in parts}
            loads = [sum(new[one] for one in mine) for mine in groups.values()]
        return levels

    def _facts(self, done: Sequence[LevelDone], loads: Sequence[int]) -> dict[str, Any]:
        """Of all workers, of one level."""
        return {
            **together([facts for one in done for facts in one.told]),
            "sent": sum(
                sum(facts["bytes"]) - facts["bytes"][own]
                for own, one in enumerate(done)
                for facts in one.told
            ),
            "workers": len(done),
            "skew": max(loads) * len(loads) / max(1, sum(loads)),
            "seconds": max(sum(facts["seconds"] for facts in one.told) for one in done),
            "cpu_seconds": max(sum(facts["cpu_seconds"] for facts in one.told) for one in done),
            "merge_seconds": max(one.merged["seconds"] for one in done),
            "merge_cpu_seconds": max(one.merged["cpu_seconds"] for one in done),
            "ranks": done[0].ranks,
        }

    def _company(
        self, explored: Explored, level: Level, groups: Mapping[str, list[int]]
    ) -> Iterator[Company]:
        group_of = [0] * explored.partitions
        for index, mine in enumerate(groups.values()):
            for partition in mine:
                group_of[partition] = index
        parts = [level.parts(mine) for mine in groups.values()]
        meeting = f"{self._search.name}:{uuid.uuid4().hex}"  # what was handed over in vain is of another
        for own, mine in enumerate(groups.values()):
            yield Company(
                search=self._search,
                lessons=tuple(explored.lessons),
                syncs=self._syncs,
                meeting=meeting,
                addresses=list(groups),
                own=own,
                group_of=group_of,
                parts=parts[own],
                visited={one: explored.visited[one] for one in mine},
                depth=explored.depth,
                level_states=level.states,
                most_states=max(sum(end - begin for _, _, begin, end, _ in each) for each in parts),
                bytes_per_state=self._bytes_per_state(explored),
                block_budget=self._block_budget,
                narrow_states=NARROW_STATES if explored.states <= NARROW_TOTAL else 0,
                seconds=ANSWER_AFTER_SECONDS,
            )

    # --- after a violation ---

    def _count_until(self, explored: Explored, first: Found) -> list[tuple[int, int]]:
        limit = self._options.depth_limit and self._options.depth_limit + bool(self._initial_states)
        at_limit = bool(limit) and explored.depth >= limit

        def make() -> list[Any]:
            groups = shared_out(explored.partitions, self._accepted, explored.homes)
            return [
                self._tasks.submit(
                    CALL,
                    self._task(
                        "count_until",
                        {
                            "parts": explored.levels[-1].parts(mine),
                            "state": first.state,
                            "rank": first.rank,
                            "at_limit": at_limit,
                        },
                    ),
                    worker=worker,
                )
                for worker, mine in groups.items()
            ]

        return self._do(make)

    def _paths(self, explored: Explored) -> list[tuple[int, list[int]]]:
        """Backwards over the partitions: each step is the first one, of the first state, that leads there."""
        paths: list[list[int]] = [
            [] if one.position == AT_STATE else [one.position] for one in explored.found
        ]
        states = [one.state for one in explored.found]
        lost: set[int] = set()
        depth = max((one.depth for one in explored.found), default=0)
        while depth > 0:
            wanted = [
                index for index, one in enumerate(explored.found) if one.depth >= depth and index not in lost
            ]
            until = max((one.depth for one in explored.found if one.depth < depth), default=0)
            back = self._back(explored, depth, until, [states[index] for index in wanted])
            for before in back:
                for index, one in zip(wanted, before, strict=True):
                    if index in lost:
                        continue
                    if one is None:  # steps that depend on more than the state: whoever executes it will see
                        paths[index] = [NO_POSITION]
                        lost.add(index)
                    else:
                        paths[index].append(one[0])
                        states[index] = one[2]
                depth -= 1
        return [(one.code, path[::-1]) for one, path in zip(explored.found, paths, strict=True)]

    def _back(
        self, explored: Explored, depth: int, until: int, states: list[bytes]
    ) -> list[list[tuple[int, int, bytes] | None]]:
        """One step back, or several where levels are narrow."""
        narrow: list[Level] = []
        while (
            depth - 1 - len(narrow) >= until
            and explored.levels[depth - 1 - len(narrow)].states <= NARROW_STATES
        ):
            narrow.append(explored.levels[depth - 1 - len(narrow)])
        everything = range(explored.partitions)
        if narrow or len(self._accepted) == 1:
            levels = narrow or [explored.levels[depth - 1]]
            found: list[list[tuple[int, int, bytes] | None]] = self._one(
                "predecessors", levels=[level.parts(everything) for level in levels], states=states
            )
            return found
        level = explored.levels[depth - 1]

        def make() -> list[Any]:
            groups = shared_out(explored.partitions, self._accepted, explored.homes)
            return [
                self._tasks.submit(
                    CALL,
                    self._task("predecessors", {"levels": [level.parts(mine)], "states": states}),
                    worker=worker,
                )
                for worker, mine in groups.items()
            ]

        candidates = [answer[0] for answer in self._do(make)]
        best: list[tuple[int, int, bytes] | None] = []
        for each in zip(*candidates, strict=True):
            there = [one for one in each if one is not None]
            key: Callable[[tuple[int, int, bytes]], Any] = (
                (lambda one: one[1]) if explored.in_order else (lambda one: order_of(one[2]))
            )
            best.append(min(there, key=key, default=None))
        return [best]
