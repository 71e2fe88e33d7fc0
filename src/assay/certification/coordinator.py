"""Puts the stages together for a certifier: read, compile, walk, combine, judge.

The program text is compiled here, the certificate says how to walk through its
states, and nothing else of the certificate is believed: docs/formats/certificate.md
has the argument. No search is involved.
"""

from __future__ import annotations

import itertools
import json
import os
import shlex
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from assay import __version__
from assay.certification import products
from assay.certification.explanation import explain_discrepancy, explain_violation
from assay.certification.program import load_for, ship, texts_of
from assay.certification.result import CertificationResult
from assay.certification.subgraphs import (
    RegionSource,
    region_sources,
    require_fitting_list,
    require_subgraphs,
)
from assay.certification.task import (
    CertificationTask,
    FrameSource,
    TaskProgress,
    TaskReport,
)
from assay.certification.walkers import NativeWalkers
from assay.distribution.cluster import Cluster, ClusterProblem
from assay.distribution.interface import Executor, OutOfTime, WorkerDied
from assay.distribution.local_processes import ChildKind, LocalProcesses
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import PYTHON_CLASS, CertificateProblem, Header, shown_name
from assay.evidence.verdict import Verdict
from assay.execution.alarm import OutOfTime as LoadedTooLong
from assay.execution.alarm import alarm_at
from assay.languages import names_a_class
from assay.transition_system.interface import LanguageOptions, OptionProblem, Program, PropertyProblem
from assay.transition_system.opening import draw_key

PURPOSES = {"authenticated": "authenticate", "explained": "explain", "trusted": "trust"}
PARTITIONS = ("intervals", "subgraphs")
TASK = "assay.certification.task"
TASKS_PER_CLUSTER_WORKER = 4
PROCESS_BYTES = 64 << 20  # of a process that walks, besides what the walk keeps
BASE_BYTES, BASE_SECONDS = 256 << 20, 120.0  # that any walk may take
STATE_BYTES, STATE_BYTES_IN_PYTHON = 1 << 10, 16 << 10
TRANSITION_SECONDS, TRANSITION_SECONDS_IN_PYTHON = 50e-6, 10e-3
SECONDS_PER_BYTE = 5e-3


@dataclass(frozen=True, slots=True)
class CertificationProgress:
    """Over all tasks; `entries` of `total` have been checked."""

    states: int
    entries: int
    total: int
    tasks_done: int
    tasks: int


Listener = Callable[[CertificationProgress], None]


def certify(
    program: str | Path,
    certificate: str | Path,
    *,
    mode: str = "authenticated",
    drop_after_last: bool = False,
    tasks: int | None = None,
    partition: str = "intervals",
    workers: int = 1,
    cluster: str | None = None,
    invariants: Iterable[str] = (),
    step_invariants: Iterable[str] = (),
    require_deadlock_freedom: bool = True,
    safety: bool = False,
    defines: Iterable[str] | None = (),
    granularity: str = "",
    trusted_keys: Sequence[str | Path] = (),
    signature: str | Path | None = None,
    trust_unsigned: bool = False,
    memory_limit_bytes: int = 0,
    timeout_seconds: float = 0.0,
    explain_rejection: bool = True,
    listener: Listener | None = None,
    started: float | None = None,
) -> CertificationResult:
    """Check that a certificate holds for a program, and whatever is added to its claim.

    `mode` is "authenticated" (nobody is trusted), "explained" (the same with a
    map of all states, to name what is wrong) or "trusted" (the script is believed; needs a
    signature by one of `trusted_keys`, or `trust_unsigned`). `partition` is "intervals"
    (tasks of equal size) or "subgraphs" (subtrees, as the thesis cuts them; the
    certificate must have its list of subgraphs). `invariants` and
    `step_invariants` are checked in addition to what the producer claimed.
    `defines` must be the macros of the certificate, one for one; None accepts any.
    `granularity` is where the threads of a Python program may switch, "bytecode" if empty; a claim
    with another one is refused.
    A certificate that leaves out the program's own claims needs `safety`. Raises
    `SourceProblem` when the program cannot be used and `OptionProblem` when an
    option cannot.
    """
    started = time.monotonic() if started is None else started
    if mode not in PURPOSES:
        raise OptionProblem(f"mode: expected one of {', '.join(PURPOSES)}, got {mode!r}")
    if partition not in PARTITIONS:
        raise OptionProblem(f"partition: expected one of {', '.join(PARTITIONS)}, got {partition!r}")
    if mode == "explained" and partition != "intervals":
        raise OptionProblem(
            "partition: to explain, one map of all states is kept, so there is one task and nothing to cut"
        )
    added = LanguageOptions(invariants=tuple(invariants), step_invariants=tuple(step_invariants))
    if mode == "trusted" and added.step_invariants:
        raise OptionProblem(
            "step-invariant: a trusted certificate is not followed along every transition, "
            "so nothing can be said about steps; leave --trusted out"
        )
    certification = _Certification(
        program=Path(program),
        path=Path(certificate),
        mode=mode,
        drop_after_last=drop_after_last,
        tasks=tasks,
        partition=partition,
        workers=workers,
        cluster=cluster,
        added=added,
        require_deadlock_freedom=require_deadlock_freedom,
        safety=safety,
        defines=None if defines is None else tuple(defines),
        granularity=granularity,
        trusted_keys=tuple(Path(key) for key in trusted_keys),
        signature=None if signature is None else Path(signature),
        trust_unsigned=trust_unsigned,
        started=started,
        memory_limit_bytes=memory_limit_bytes,
        deadline=started + timeout_seconds if timeout_seconds else None,
        explain_rejection=explain_rejection,
        listener=listener,
    )
    result = certification.result()
    return replace(result, seconds=time.monotonic() - started)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Certification:
    """One request, step by step."""

    program: Path
    path: Path
    mode: str
    drop_after_last: bool
    tasks: int | None
    partition: str
    workers: int
    cluster: str | None
    added: LanguageOptions
    require_deadlock_freedom: bool
    safety: bool
    defines: tuple[str, ...] | None
    granularity: str
    trusted_keys: tuple[Path, ...]
    signature: Path | None
    trust_unsigned: bool
    started: float
    memory_limit_bytes: int  # 0 until the certificate says what it needs
    deadline: float | None
    explain_rejection: bool
    listener: Listener | None
    default_limits: tuple[str, ...] = ()  # options that were not given

    def result(self) -> CertificationResult:
        nothing = CertificationResult(
            verdict=Verdict.REJECTED,
            program=str(self.program),
            certificate={"path": str(self.path), "bytes": None, "sha256": None},
            mode=self.mode,
            workers=self.workers,
            version=__version__,
        )
        if not self.path.is_file():
            raise OptionProblem(f"certificate: expected a file, got {self.path}, which is none")
        try:
            with CertificateFile(self.path) as file:
                return self._limited_for(file)._with_file(file, nothing)  # noqa: SLF001 (our own)
        except CertificateProblem as problem:
            return replace(nothing, reasons=(str(problem),))

    def _limited_for(self, file: CertificateFile) -> _Certification:
        """With limits that follow from the claim and the size of its file, where none were given."""
        limits = default_limits(file, mode=self.mode)
        return replace(
            self,
            memory_limit_bytes=self.memory_limit_bytes or limits.memory_bytes,
            deadline=self.started + limits.seconds if self.deadline is None else self.deadline,
            default_limits=tuple(
                option
                for option, given in [("--memory", self.memory_limit_bytes), ("--timeout", self.deadline)]
                if not given
            ),
        )

    def _how_to_allow_more(self, option: str) -> str:
        if option not in self.default_limits:
            return ""
        return f"; that limit follows from the claim and the size of its file, and {option} sets another"

    def _with_file(self, file: CertificateFile, nothing: CertificationResult) -> CertificationResult:
        header = file.header
        known = replace(
            nothing,
            claim=header.claim,
            certificate={"path": str(self.path), "bytes": file.size, "sha256": file.sha256},
            semantics=dict(header.semantics),
            options=self._options(),
        )
        try:
            known = replace(known, signed_by=self._trust(file))
            self._require_claim(header)
            if self.partition == "subgraphs":
                require_subgraphs(header)
            begin = time.monotonic()
            if self.deadline is not None and begin >= self.deadline:
                raise LoadedTooLong  # noqa: TRY301 (told like the alarm)
            with alarm_at(self.deadline):  # the stranger's macros may take the front end long
                program = self._load(header)
            known = replace(
                known, compile_seconds=time.monotonic() - begin, notes=self._notes(header, program)
            )
            return self._walk(file, program, known)
        except CertificateProblem as problem:
            return replace(known, verdict=Verdict.REJECTED, reasons=(str(problem),))
        except WorkerDied as problem:
            if problem.took_too_long:
                reason = "a property that the certificate claims takes too long to evaluate"
                return replace(known, verdict=Verdict.REJECTED, reasons=(reason,))
            reason = f"{problem}{self._how_to_allow_more('--memory') if 'memory' in problem.how else ''}"
            return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
        except PropertyProblem as problem:
            if problem.text in {*self.added.invariants, *self.added.step_invariants}:
                raise
            reason = f"the certificate claims what cannot be evaluated: {problem}"
            return replace(known, verdict=Verdict.REJECTED, reasons=(reason,))
        except OutOfTime as problem:
            reason = f"{problem}{self._how_to_allow_more('--timeout')}"
            return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
        except ClusterProblem as problem:
            return replace(known, verdict=Verdict.INCOMPLETE, reasons=(str(problem),))
        except LoadedTooLong:
            reason = "time ran out before the program was compiled"
            return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
        except MemoryError:
            reason = "a walk would have to keep more than the memory limit allows"
            reason += self._how_to_allow_more("--memory")
            return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))

    def _notes(self, header: Header, program: Program) -> tuple[str, ...]:
        notes = []
        if self.mode == "trusted":
            notes.append(
                "the script was believed: states were checked again, but not that there are no others, "
                "and nothing about steps"
            )
        if program.unchecked:
            # What the program itself asks about and the claim does not cover.
            notes.append(f"not looked at: {', '.join(left_out.text for left_out in program.unchecked)}")
        if header.program != self.program.name:
            notes.append(f"the certificate calls this text {shown_name(header.program)}")
        return tuple(notes)

    def _load(self, header: Header) -> Program:
        if names_a_class(str(self.program)):
            if self.cluster is not None:
                raise OptionProblem("cluster: a Python class is executed where its file is; use --workers")
            if self.partition != "intervals":
                raise OptionProblem("partition: a Python class is cut into intervals only")
        return load_for(self.program, header, self.added)

    def _options(self) -> dict[str, object]:
        return {
            "mode": self.mode,
            "tasks": self.tasks,
            "partition": self.partition,
            "workers": self.workers,
            "cluster": self.cluster,
            "invariants": list(self.added.invariants),
            "step_invariants": list(self.added.step_invariants),
            "require_deadlock_freedom": self.require_deadlock_freedom,
            "safety": self.safety,
            "defines": None if self.defines is None else list(self.defines),
            "granularity": self.granularity or None,
            "memory_limit_bytes": self.memory_limit_bytes,
        }

    def _trust(self, file: CertificateFile) -> str | None:
        """The key that signed it. Whoever gives keys wants to know, however much is checked besides."""
        if not self.trusted_keys:
            if self.signature is not None:
                raise OptionProblem("signature: it is checked with a public key; give one with --key")
            if self.mode != "trusted" or self.trust_unsigned:
                return None
            raise OptionProblem(
                "trusted: give the producer's public key with --key, or say --trust-unsigned to believe "
                "the script without knowing who made it"
            )
        from assay.evidence.signature import SignatureProblem, default_envelope, verify

        envelope = self.signature or default_envelope(self.path)
        try:
            return verify(file, envelope, self.trusted_keys).key_id
        except SignatureProblem as problem:
            raise CertificateProblem(str(problem)) from None

    def _require_claim(self, header: Header) -> None:
        """The claim is the stranger's; these parts of it are not accepted silently."""
        if not header.properties.assertions:
            raise CertificateProblem("the certificate does not claim that assertions hold")
        if self.require_deadlock_freedom and not header.properties.deadlock:
            raise CertificateProblem(
                "the certificate does not claim that there is no deadlock; "
                "if that is not needed, say --no-deadlock"
            )
        if header.semantics.get("safety_only") is True and not self.safety:
            raise CertificateProblem(
                "the certificate leaves out what the program itself claims (never, ltl, trace); "
                "if safety is all you need, say --safety"
            )
        claimed = texts_of(header.semantics, "defines")
        if self.defines is not None and self.defines != claimed:
            raise CertificateProblem(
                f"the certificate is about the program with {_macros(claimed)}, "
                f"you asked for it with {_macros(self.defines)}; "
                f"{_asking_for(claimed)}, or --any-macros to accept the claim with whatever macros it names"
            )

        if header.language == "python":
            granularity, wanted = header.semantics.get("granularity"), self.granularity or "bytecode"
            if granularity != wanted:
                raise CertificateProblem(
                    f"in the certificate threads switch as {granularity!a:.40} says, you asked for "
                    f"{wanted}; give --granularity if that is what you mean"
                )
        elif self.granularity:
            raise CertificateProblem(
                f"the certificate is about a program in {header.language}, which has no granularity"
            )

    def _walk(
        self, file: CertificateFile, program: Program, known: CertificationResult
    ) -> CertificationResult:
        header = file.header
        # What is executed in Python has to see every set in the order that the producer saw.
        fixed_hashes = program.opening.fixed_hashes
        with (
            self._here(fixed_hashes) as here,
            self._walkers(program) as walkers,
            self._elsewhere(fixed_hashes) as elsewhere,
        ):
            executor = elsewhere or walkers or here
            if self.partition == "intervals" and self.mode != "trusted":
                require_fitting_list(file, memory_limit_bytes=self.memory_limit_bytes, deadline=self.deadline)
            sources = self._sources(file, executor.workers)
            began = time.monotonic()
            drawn, key = _secrets(walkers or here, program), draw_key()
            shipped = None
            if elsewhere:
                shipped = ship(self.program, program, header, self.added)
            tasks = [
                CertificationTask(
                    opening=program.opening,
                    shipped=shipped,
                    source=with_bodies(file, source)
                    if elsewhere and isinstance(source, FrameSource)
                    else source,
                    purpose=PURPOSES[self.mode],
                    secrets=drawn,
                    key=key,
                    total_states=header.states,
                    check_deadlock=header.properties.deadlock,
                    memory_limit_bytes=self.memory_limit_bytes,
                    drop_after_last=self.drop_after_last,
                )
                for source in sources
            ]
            reports = cast(list[TaskReport], self._run(executor, tasks, header))
            entries = [source.entries for source in sources]
            known = replace(
                known,
                run_seconds=time.monotonic() - began,
                walk_seconds=sum(report.seconds for report in reports),
                states=sum(report.states for report in reports),
                transitions=sum(report.entries for report in reports),
                depth=max(report.depth for report in reports),
                tasks=len(tasks),
                workers=executor.workers,
                where=executor.describe(),
                largest_task_share=max(entries) / max(1, sum(entries)),
                average_path=sum(report.path_length for report in reports) / len(reports),
                longest_path=max(report.path_length for report in reports),
                peak_memory_bytes=executor.peak_memory_bytes,
            )
            if self.mode == "explained":
                known = replace(
                    known,
                    duplicates=None if self.drop_after_last else reports[0].duplicates,
                    map_entries_peak=reports[0].map_entries,
                )
            for report in reports:
                if report.violation is not None:
                    return self._violated(program, header, report.violation, known)
            try:
                self._judge(here, file, program, sources, reports)
            except CertificateProblem as problem:
                return replace(known, verdict=Verdict.REJECTED, reasons=(str(problem),))
            bound = products.wrong_acceptance_log2(
                header.states,
                header.transitions,
                digests=sum(report.digests for report in reports),
                longest_digested=max(report.longest_digested for report in reports),
            )
            return replace(
                known,
                verdict=Verdict.VERIFIED,
                complete=self.mode != "trusted",
                wrong_acceptance_log2=None if self.mode == "trusted" else bound,
            )

    def _sources(self, file: CertificateFile, workers: int) -> Sequence[FrameSource | RegionSource]:
        tasks = self._task_count(workers)
        if self.partition == "intervals":
            return frame_sources(file, min(tasks, file.header.frames))
        return region_sources(
            file,
            tasks,
            trusted=self.mode == "trusted",
            memory_limit_bytes=self.memory_limit_bytes,
            deadline=self.deadline,
        )

    def _task_count(self, workers: int) -> int:
        if self.mode == "explained":
            if self.tasks not in {None, 1} or self.workers > 1 or self.cluster:
                raise OptionProblem("explain: one map of all states is kept, so there is one task")
            return 1
        # On a cluster, more tasks than workers: one that is lost costs less.
        return self.tasks or (workers * TASKS_PER_CLUSTER_WORKER if self.cluster else workers)

    def _here(self, fixed_hashes: bool, kind: ChildKind | None = None) -> LocalProcesses:
        limit = self.memory_limit_bytes
        return LocalProcesses(
            self.workers,
            memory_limit_bytes=limit + PROCESS_BYTES if limit else 0,
            deadline=self.deadline,
            fixed_hashes=fixed_hashes,
            kind=kind,
        )

    def _walkers(self, program: Program) -> AbstractContextManager[Executor | None]:
        """Processes of the engine alone, where these are enough."""
        if self.cluster is not None or self.mode == "explained" or program.opening.needs_interpreter:
            return nullcontext()
        return self._here(fixed_hashes=False, kind=NativeWalkers(program.opening.file))

    def _elsewhere(self, fixed_hashes: bool) -> AbstractContextManager[Executor | None]:
        if self.cluster is None:
            return nullcontext()
        limit = self.memory_limit_bytes
        try:
            return Cluster(
                self.cluster,
                memory_limit_bytes=limit + PROCESS_BYTES if limit else 0,
                deadline=self.deadline,
                fixed_hashes=fixed_hashes,
            )
        except ClusterProblem as problem:
            raise OptionProblem(f"cluster: {problem}") from problem

    def _run(self, executor: Executor, tasks: Sequence[CertificationTask], header: Header) -> list[object]:
        latest: dict[int, TaskProgress] = {}
        done: set[int] = set()

        def tell() -> None:
            if self.listener is not None:
                self.listener(
                    CertificationProgress(
                        sum(progress.states for progress in latest.values()),
                        sum(progress.entries for progress in latest.values()),
                        header.transitions,
                        len(done),
                        len(tasks),
                    )
                )

        def on_progress(task: int, progress: object) -> None:
            latest[task] = cast(TaskProgress, progress)
            tell()

        def on_done(task: int, report: object) -> None:
            done.add(task)
            found = cast(TaskReport, report)
            latest[task] = TaskProgress(found.states, found.entries)
            tell()

        return executor.run(f"{TASK}:run", tasks, on_progress=on_progress, on_done=on_done)

    def _judge(
        self,
        executor: Executor,
        file: CertificateFile,
        program: Program,
        sources: Sequence[FrameSource | RegionSource],
        reports: Sequence[TaskReport],
    ) -> None:
        """Whether the tasks together are the whole script. Raises `CertificateProblem` if not."""
        header = file.header
        if reports[0].discrepancy is not None:
            explain_discrepancy(executor, file, program, reports[0])
        if self.partition == "intervals":
            require_one_walk(cast(Sequence[FrameSource], sources), reports)
        else:
            require_finished_walks(reports)
        states, entries = sum(r.states for r in reports), sum(r.entries for r in reports)
        if (states, entries) != (header.states, header.transitions):
            raise CertificateProblem(
                f"{states:,} states and {entries:,} transitions were visited, the certificate claims "
                f"{header.states:,} and {header.transitions:,}"
            )
        depth = max(report.depth for report in reports)
        if depth != header.depth:
            raise CertificateProblem(
                f"the longest path of the tree has {depth:,} steps, the certificate claims {header.depth:,}"
            )
        if self.mode == "trusted":
            return
        if self.mode == "explained":
            explain_discrepancy(executor, file, program, reports[0])
            return
        # Between regions, a reference stands in the place of each entry that leads to another one.
        between = 0 if self.partition == "intervals" else len(sources) - 1
        counted = sum(report.counted for report in reports)
        if counted == header.references + between and products.product(
            r.referred for r in reports
        ) == products.product(r.visited for r in reports):
            return
        if self.explain_rejection:
            self._explain(executor, file, program)
        raise CertificateProblem(
            "some transition does not lead to the state that the certificate says, or a state is not "
            "referred to as often as it says (--explain names the first one)"
        )

    def _explain(self, executor: Executor, file: CertificateFile, program: Program) -> None:
        """Walk once more with a map of all states; raises `CertificateProblem` that names what is wrong."""
        (source,) = frame_sources(file, 1)
        header = file.header
        task = CertificationTask(
            opening=program.opening,
            source=source,
            purpose=PURPOSES["explained"],
            secrets=_secrets(executor, program),
            key=draw_key(),
            total_states=header.states,
            check_deadlock=header.properties.deadlock,
            memory_limit_bytes=self.memory_limit_bytes,
        )
        try:
            (report,) = cast(list[TaskReport], self._run(executor, [task], header))
        except (OutOfTime, WorkerDied, MemoryError):
            return  # the rejection stands, its place stays unknown
        explain_discrepancy(executor, file, program, report)

    def _violated(
        self,
        program: Program,
        header: Header,
        found: tuple[int, tuple[int, ...]],
        known: CertificationResult,
    ) -> CertificationResult:
        violation = explain_violation(program, *found)
        known = replace(known, violations=(violation,))
        added = {*self.added.invariants, *self.added.step_invariants}
        claimed = {*header.properties.invariants, *header.properties.step_invariants}
        text = violation.message.removesuffix(" (cannot be evaluated)")
        if violation.kind in {"invariant", "step-invariant"} and text in added - claimed:
            return replace(known, verdict=Verdict.VIOLATED)
        reason = f"the program violates what the certificate claims: {violation.message}"
        return replace(known, verdict=Verdict.REJECTED, reasons=(reason,))


@dataclass(frozen=True, slots=True)
class Limits:
    memory_bytes: int
    seconds: float


def default_limits(file: CertificateFile, *, mode: str) -> Limits:
    """What a walk may take if nobody says: generous for any honest certificate of this claim and size.

    A stranger's script may visit the same states over and over. That proves the same and costs what its
    counts say, and those take hardly any bytes in the file; so both the counts and the size are a limit.
    """
    header = file.header
    in_python = header.language in {"python", PYTHON_CLASS}
    for_states = header.states * (STATE_BYTES_IN_PYTHON if in_python else STATE_BYTES)
    for_size = file.size * (STATE_BYTES_IN_PYTHON if in_python else STATE_BYTES)
    memory = BASE_BYTES + (for_states if mode == "explained" else min(for_states, for_size))
    seconds = min(
        header.transitions * (TRANSITION_SECONDS_IN_PYTHON if in_python else TRANSITION_SECONDS),
        file.size * SECONDS_PER_BYTE,
    )
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return Limits(min(memory, half), BASE_SECONDS + seconds)


def frame_sources(file: CertificateFile, tasks: int) -> list[FrameSource]:
    """The frames in `tasks` runs whose lengths differ by at most one frame."""
    frames = len(file.records)
    cuts = [frames * task // tasks for task in range(tasks + 1)]
    return [
        FrameSource(
            first=begin,
            first_state=file.first_states[begin],
            records=tuple(file.records[begin:end]),
            digests=tuple(file.frame_digests[begin:end]),
            path=str(file.path.absolute()),
            offset=file.offsets[begin],
            dictionaries=file.stored_dictionaries,
        )
        for begin, end in itertools.pairwise(cuts)
    ]


def with_bodies(file: CertificateFile, source: FrameSource) -> FrameSource:
    """The same frames, brought along instead of named."""
    bodies = tuple(file.frame_bytes(source.first + index) for index in range(len(source.records)))
    return replace(source, path="", bodies=bodies)


def require_one_walk(sources: Sequence[FrameSource], reports: Sequence[TaskReport]) -> None:
    """Each task must end where the next one starts: then nothing falls between them."""
    end = b"\x00"
    for source, report in zip(sources, reports, strict=True):
        if report.start != end:
            raise CertificateProblem(f"frame {source.first} does not start where the frame before it ends")
        end = report.end
    if any(before.open_at_end != after.open_at_start for before, after in itertools.pairwise(reports)):
        raise CertificateProblem(
            "processes do not agree on the steps of the program: enabled must list actions in an order that "
            "depends on the state alone, not on hash seeds or the order of a set"
        )
    if not reports[-1].is_finished or end != b"\x00":
        raise CertificateProblem("the script ends although states are left to visit")


def require_finished_walks(reports: Sequence[TaskReport]) -> None:
    """Regions cover the script as they were cut; each must have been walked to its end."""
    if not all(report.is_finished for report in reports):
        raise CertificateProblem("the script ends although states are left to visit")


def _secrets(executor: Executor, program: Program) -> bytes:
    return products.draw(cast(int, _ask(executor, "secret_bytes", [program.opening])[0]))


def _ask(executor: Executor, function: str, questions: Sequence[object]) -> list[object]:
    return executor.run(f"{TASK}:{function}", questions, on_progress=lambda *_: None, on_done=lambda *_: None)


def _macros(macros: Sequence[str]) -> str:
    if not macros:
        return "no macros"
    return f"the {'macro' if len(macros) == 1 else 'macros'} {', '.join(map(_shown_macro, macros))}"


def _shown_macro(macro: str) -> str:
    name, equals, value = macro.partition("=")
    return (
        macro
        if shown_name(name) == name and (not equals or shown_name(value) == value)
        else json.dumps(macro)
    )


def _asking_for(macros: Sequence[str]) -> str:
    """How to ask for these macros on the command line."""
    if not macros:
        return "leave -D out if that is the program you mean"
    options = " ".join(f"-D {shlex.quote(macro)}" for macro in macros)
    return f"say {options} if that is the program you mean"
