"""What certificates cost and what they save, in the tables of the thesis: `make bench-certificates`.

    python -m benchmarks.certificates [--quick] [--reduced] [--repetitions N] [--only NAME ...] [--json FILE]
    python -m benchmarks.certificates --commands [--cached] [--repetitions N] [--only NAME ...]

The second measures whole commands only, from start to end: some three minutes for a repetition.

Each model is verified without and with a certificate, and the certificate is
certified: authenticated, trusted, by two workers. These take turns, and every
figure is the best of the repetitions. What does not depend on the clock (sizes,
tasks, paths, the map) is taken once. Compared are the seconds of the search and
of the walk; the seconds from command to verdict, which include compiling the
model, have their own table. The thesis's figures stand beside ours: they are of
Java programs of the same name, on a Pentium 4.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay import _engine
from assay.evidence.certificate.container import CertificateFile
from benchmarks import thesis
from benchmarks.counterparts import FULL, QUICK, Counterpart
from benchmarks.measure import TIMEOUT_SECONDS, BenchmarkProblem
from benchmarks.tasks import Task
from benchmarks.thesis import TASK_NUMBERS
from tests.agreement.process import run

MEGABYTE = 1e6
KILOBYTE = 1024

Note = Callable[[str], None]


# --- figures ---


@dataclass(frozen=True, slots=True)
class Timing:
    """One command, or the best of several runs of it."""

    work_seconds: float  # in the search, with writing the certificate; or in the walks, summed over tasks
    elapsed_seconds: float  # the same, but from giving out the first task to having the last answer
    command_seconds: float  # command to verdict
    peak_memory_bytes: int


def best(timings: Sequence[Timing]) -> Timing:
    """The least disturbed run, figure by figure."""
    return Timing(
        min(one.work_seconds for one in timings),
        min(one.elapsed_seconds for one in timings),
        min(one.command_seconds for one in timings),
        min(one.peak_memory_bytes for one in timings),
    )


@dataclass(frozen=True, slots=True)
class Division:
    """A script shared out to a number of tasks."""

    largest_share: float
    average_path: float
    longest_path: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One model and everything that was measured on it."""

    name: str
    program: thesis.Program
    states: int
    transitions: int
    verification: Timing
    writing_fast: Timing  # verification with a certificate
    writing_small: Timing
    fast_bytes: int
    small_bytes: int
    authenticated: Timing
    trusted: Timing
    two_workers: Timing
    intervals: Mapping[int, Division]  # by number of tasks
    subgraphs: Mapping[int, Division]
    map_entries: int  # at most, when entries are dropped after their last use

    @property
    def writing(self) -> float:
        """Seconds that the certificate adds, as a share of those without it."""
        return self.writing_fast.work_seconds / self.verification.work_seconds - 1

    @property
    def authenticated_speed_up(self) -> float:
        return self.verification.work_seconds / self.authenticated.work_seconds

    @property
    def trusted_speed_up(self) -> float:
        return self.verification.work_seconds / self.trusted.work_seconds

    @property
    def workers_gain(self) -> float:
        return self.authenticated.elapsed_seconds / self.two_workers.elapsed_seconds

    @property
    def memory(self) -> float:
        return self.authenticated.peak_memory_bytes / self.verification.peak_memory_bytes

    @property
    def bytes_per_transition(self) -> float:
        return self.small_bytes / self.transitions

    @property
    def unevenness(self) -> float:
        """The largest task of even intervals, as a multiple of an equal share."""
        return max(division.largest_share * number for number, division in self.intervals.items())

    def with_processors(self, one: Timing) -> list[float]:
        """How many times faster than verification, were every task on a processor of its own."""
        return [
            self.verification.work_seconds / (one.work_seconds * self.intervals[number].largest_share)
            for number in TASK_NUMBERS
        ]

    @property
    def map_share(self) -> float:
        return self.map_entries / self.states


# --- measuring ---


class Bench:
    """Runs the commands on one model. What does not verify is a problem, never a figure."""

    def __init__(self, task: Task, scratch: Path, *, reduced: bool, note: Note) -> None:
        self._task = task
        self._scratch = scratch
        self._reduced = reduced
        self._note = note
        self._defines = [part for define in task.defines for part in ("-D", define)]
        self.counts = {} if reduced else {"states": task.states, "transitions": task.transitions}

    def verify(self, *options: str) -> Timing:
        reductions = [] if self._reduced else ["--no-reductions"]
        said, seconds = self._run("verify", str(self._task.path), *self._defines, *reductions, *options)
        written = said["certificate"]["seconds"] if said["certificate"] else 0.0
        searched = said["search_seconds"] + written
        timing = Timing(searched, searched, seconds, said["peak_memory_bytes"])
        self._require_verified(said, timing, "verify", *options)
        return timing

    def certify(self, certificate: Path, *options: str) -> Timing:
        return self.certify_and_tell(certificate, *options)[0]

    def certify_and_tell(self, certificate: Path, *options: str) -> tuple[Timing, dict[str, Any]]:
        said, seconds = self._run("certify", str(self._task.path), str(certificate), *self._defines, *options)
        timing = Timing(said["walk_seconds"], said["run_seconds"], seconds, said["peak_memory_bytes"])
        self._require_verified(said, timing, "certify", *options)
        return timing, said

    def inspect(self, certificate: Path) -> dict[str, Any]:
        numbers = [part for number in TASK_NUMBERS for part in ("--tasks", str(number))]
        return self._run("inspect", str(certificate), *numbers)[0]

    def _run(self, *arguments: str) -> tuple[dict[str, Any], float]:
        """What a command says. It finds nothing that an earlier one compiled."""
        command = [str(Path(sys.executable).with_name("assay")), *arguments, "--json"]
        with tempfile.TemporaryDirectory(dir=self._scratch) as cache:
            completed = run(command, timeout_seconds=TIMEOUT_SECONDS, environment={"XDG_CACHE_HOME": cache})
        if completed.returncode != 0:
            said = (completed.output or completed.errors).strip()
            raise BenchmarkProblem(
                f"{self._task.name}: {' '.join(arguments)}: {completed.returncode}: {said[:300]}"
            )
        return json.loads(completed.output), completed.seconds

    def _require_verified(self, said: Mapping[str, Any], timing: Timing, *command: str) -> None:
        """The verdict, and the same counts every time."""
        found = {"states": said["states"], "transitions": said["transitions"]}
        if not self.counts:
            self.counts = found
        if said["verdict"] != "verified" or found != self.counts:
            raise BenchmarkProblem(
                f"{self._task.name}: {' '.join(command)}: {said['verdict']} {said['reasons']} "
                f"with {found}, expected {self.counts}"
            )
        shown = " ".join(command).replace(f"{self._scratch}/", "")
        self._note(
            f"{self._task.name}: {shown}: {timing.work_seconds:.2f} s "
            f"of {timing.command_seconds:.2f} s, {timing.peak_memory_bytes / MEGABYTE:.0f} MB"
        )


def measure(counterpart: Counterpart, repetitions: int, *, reduced: bool, note: Note) -> Row:
    """All commands take turns, so that a busy moment of the machine does not hit only one of them."""
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        scratch = Path(directory)
        bench = Bench(counterpart.task, scratch, reduced=reduced, note=note)
        fast, small, listed = (scratch / f"{name}.assay" for name in ("fast", "small", "listed"))
        commands: dict[str, Callable[[], Timing]] = {
            "verification": bench.verify,
            "fast": lambda: bench.verify("--certificate", str(fast)),
            "authenticated": lambda: bench.certify(fast),
            "trusted": lambda: bench.certify(fast, "--trusted", "--trust-unsigned"),
            "two workers": lambda: bench.certify(fast, "--workers", "2"),
            "small": lambda: bench.verify("--certificate", str(small), "--certificate-coding", "small"),
        }
        runs: dict[str, list[Timing]] = {name: [] for name in commands}
        for _ in range(repetitions):
            for name, command in commands.items():
                runs[name].append(command())
        bench.certify(small)
        bench.verify("--certificate", str(listed), "--subgraphs")
        _, explained = bench.certify_and_tell(fast, "--explain", "--fp", "dropping")
        return Row(
            name=counterpart.task.name,
            program=counterpart.program,
            states=bench.counts["states"],
            transitions=bench.counts["transitions"],
            verification=best(runs["verification"]),
            writing_fast=best(runs["fast"]),
            writing_small=best(runs["small"]),
            fast_bytes=fast.stat().st_size,
            small_bytes=small.stat().st_size,
            authenticated=best(runs["authenticated"]),
            trusted=best(runs["trusted"]),
            two_workers=best(runs["two workers"]),
            intervals=intervals(bench.inspect(fast)),
            subgraphs=subgraphs(listed),
            map_entries=explained["map_entries_peak"],
        )


def intervals(inspection: Mapping[str, Any]) -> dict[int, Division]:
    if inspection["frames"] < max(TASK_NUMBERS):
        raise BenchmarkProblem(
            f"{inspection['program']}: a certificate of {inspection['frames']} frames cannot be shared out "
            f"to {max(TASK_NUMBERS)} tasks; take a larger size"
        )
    return {
        one["tasks"]: Division(one["largest_share"], one["average_path"], one["longest_path"])
        for one in inspection["partitions"]
    }


def subgraphs(certificate: Path) -> dict[int, Division]:
    """The thesis's greedy partition, cut by the engine."""
    with CertificateFile(certificate) as file:
        header = file.header
        script = _engine.Subgraphs(header.states, header.transitions, trusted=False, memory_limit_bytes=0)
        for frame in file.frames():
            script.read(frame.states, frame.entries, frame.references, *frame.sections)
    divisions = {}
    for number in TASK_NUMBERS:
        regions = script.partition(number, lambda: None)
        divisions[number] = Division(
            max(region.transitions for region in regions) / header.transitions,
            statistics.mean(len(region.path) for region in regions),
            max(len(region.path) for region in regions),
        )
    return divisions


def measure_nothing(note: Note) -> tuple[Timing, Timing]:
    """Verification and certification of a program that does nothing: what the processes alone take."""
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        model, certificate = Path(directory) / "nothing.pml", Path(directory) / "nothing.assay"
        model.write_text("active proctype Nothing() { skip }\n")
        bench = Bench(Task("nothing", str(model), (), 3, 2, 2), Path(directory), reduced=False, note=note)
        verification = bench.verify()
        bench.verify("--certificate", str(certificate))
        return verification, bench.certify(certificate)


# --- whole commands ---

KINDS = ("verify", "authenticated", "trusted", "authenticated, 1 process", "trusted, 1 process")
WANTED = {"authenticated": 2.0, "trusted": 6.0}
# Nine models are left, four of 0.56 to 1.2 million states and five of 3.3 to 8.0. The mean of their
# logarithms is that of 2.1 million; the middle of the range is 2.2 on that scale.
FEWEST_STATES, MOST_STATES = 500_000, 10_000_000


@dataclass(frozen=True, slots=True)
class Command:
    """Seconds of the clock and of all processors, children included; bytes of the largest that walks."""

    seconds: float
    processor_seconds: float
    peak_memory_bytes: int


def measure_commands(
    counterpart: Counterpart, repetitions: int, *, cached: bool, note: Note
) -> dict[str, Command]:
    """The commands take turns; of each figure the least counts. `cached`: the model was compiled before."""
    task = counterpart.task
    defines = [part for define in task.defines for part in ("-D", define)]
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        certificate = str(Path(directory) / "c.assay")
        trusted = ["--trusted", "--trust-unsigned"]
        one = ["--workers", "1"]
        commands = {
            "verify": ["verify", str(task.path), *defines, "--no-reductions"],
            "authenticated": ["certify", str(task.path), certificate, *defines],
            "trusted": ["certify", str(task.path), certificate, *defines, *trusted],
            "authenticated, 1 process": ["certify", str(task.path), certificate, *defines, *one],
            "trusted, 1 process": ["certify", str(task.path), certificate, *defines, *trusted, *one],
        }
        found: dict[str, list[Command]] = {kind: [] for kind in commands}

        def taken(arguments: Sequence[str], cache: str) -> Command:
            command = [str(Path(sys.executable).with_name("assay")), *arguments, "--json"]
            done = run(command, timeout_seconds=TIMEOUT_SECONDS, environment={"XDG_CACHE_HOME": cache})
            said = json.loads(done.output) if done.returncode == 0 else {}
            if said.get("verdict") != "verified" or said["states"] != task.states:
                raise BenchmarkProblem(
                    f"{task.name}: {' '.join(arguments)}: {done.output or done.errors}"[:400]
                )
            return Command(done.seconds, done.processor_seconds, said["peak_memory_bytes"])

        taken([*commands["verify"], "--certificate", certificate], str(Path(directory) / "kept"))
        for _ in range(repetitions):
            for kind, arguments in commands.items():
                with tempfile.TemporaryDirectory(dir=directory) as empty:
                    found[kind].append(taken(arguments, str(Path(directory) / "kept") if cached else empty))
        best_of = {
            kind: Command(
                min(one.seconds for one in runs),
                min(one.processor_seconds for one in runs),
                min(one.peak_memory_bytes for one in runs),
            )
            for kind, runs in found.items()
        }
        note(f"{task.name}: " + ", ".join(f"{kind} {one.seconds:.2f} s" for kind, one in best_of.items()))
        return best_of


def commands_table(rows: Mapping[str, Mapping[str, Command]]) -> str:
    """Seconds of whole commands, and how many times as fast as verification: by the clock and, in brackets,
    by the time of all processors."""
    heads = ["model", *(f"{kind} s" for kind in KINDS), *(f"{kind} x" for kind in KINDS[1:]), "MB"]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for name, row in rows.items():
        base = row["verify"]
        ratios = [
            f"{base.seconds / row[kind].seconds:.2f} "
            f"({base.processor_seconds / row[kind].processor_seconds:.2f})"
            for kind in KINDS[1:]
        ]
        seconds = [f"{row[kind].seconds:.2f}" for kind in KINDS]
        lines.append([name, *seconds, *ratios, f"{row['authenticated'].peak_memory_bytes / MEGABYTE:.1f}"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def command_aims(rows: Mapping[str, Mapping[str, Command]]) -> list[tuple[str, str, bool]]:
    told = []
    for kind, wanted in WANTED.items():
        ratios = [row["verify"].seconds / row[kind].seconds for row in rows.values()]
        median = statistics.median(ratios)
        aim = f"{kind} at least {wanted:g} times as fast as verification, median of {len(ratios)} models"
        told.append((aim, f"{median:.2f} (from {min(ratios):.2f} to {max(ratios):.2f})", median >= wanted))
    return told


def tell_commands(chosen: Sequence[Counterpart], repetitions: int, *, cached: bool, note: Note) -> None:
    rows = {
        one.task.name: measure_commands(one, repetitions, cached=cached, note=note)
        for one in sorted(chosen, key=lambda one: one.task.states)
        if FEWEST_STATES <= one.task.states <= MOST_STATES
    }
    print(
        f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end; best of {repetitions}; no "
        f"reductions; models {'compiled before' if cached else 'compiled each time'}.\n\n"
        f"{commands_table(rows)}\n"
    )
    for aim, value, met in command_aims(rows):
        print(f"- {'met' if met else 'NOT MET'}: {aim}: {value}")


# --- tables ---

Columns = Sequence[tuple[str, Callable[[Row], str]]]


def tables(rows: Sequence[Row]) -> str:
    """Markdown."""
    return "\n\n".join(
        table(title, (("model", lambda row: row.name), *columns), rows)
        for title, columns in (
            ("Programs (Table 3.1)", PROGRAMS),
            ("Verification with a certificate: search and writing (Table 3.2)", PRODUCTION),
            ("Certification: the walk against the search without a certificate (Table 3.2)", CERTIFICATION),
            ("Command to verdict, the model compiled each time", COMMANDS),
            ("Peak memory", MEMORY),
            ("Largest of 10, 50 and 100 tasks, as a share of all transitions (Table 3.3)", LARGEST_TASKS),
            (
                "Speed-up with a processor for each task: search / (walk * largest task) (Table 3.3)",
                PROCESSORS,
            ),
            ("Initialization paths of 10, 50 and 100 tasks, average and longest (Table 3.4)", PATHS),
            ("The map of states when entries are dropped after their last use (Table 4.3)", MAP),
        )
    )


def table(title: str, columns: Columns, rows: Sequence[Row]) -> str:
    lines = [
        [heading for heading, _ in columns],
        ["---", *["---:"] * (len(columns) - 1)],
        *([text(row) for _, text in columns] for row in rows),
    ]
    return "\n".join([f"**{title}**", "", *(f"| {' | '.join(line)} |" for line in lines)])


def percents(row: Row, shares: Callable[[Row, int], float]) -> str:
    return " / ".join(f"{shares(row, number):.1%}" for number in TASK_NUMBERS)


def joined(figures: Iterable[float]) -> str:
    return " / ".join(f"{figure:,.0f}" for figure in figures)


def paths(divisions: Mapping[int, Division]) -> tuple[str, str]:
    return (
        joined(division.average_path for division in divisions.values()),
        joined(division.longest_path for division in divisions.values()),
    )


PROGRAMS: Columns = (
    ("states", lambda row: f"{row.states:,}"),
    ("transitions/state", lambda row: f"{row.transitions / row.states:.1f}"),
    ("search s", lambda row: f"{row.verification.work_seconds:.2f}"),
    ("thesis: program", lambda row: f"{row.program.name} {row.program.parameters}"),
    ("states", lambda row: f"{row.program.states:,}"),
    ("transitions/state", lambda row: f"{row.program.transitions_per_state}"),
    ("search s", lambda row: f"{row.program.search_seconds}"),
)

PRODUCTION: Columns = (
    ("search s", lambda row: f"{row.verification.work_seconds:.2f}"),
    ("fast s", lambda row: f"{row.writing_fast.work_seconds:.2f}"),
    ("ratio", lambda row: f"{1 + row.writing:.2f}"),
    ("KB", lambda row: f"{row.fast_bytes / KILOBYTE:,.0f}"),
    ("bytes/transition", lambda row: f"{row.fast_bytes / row.transitions:.3f}"),
    ("small s", lambda row: f"{row.writing_small.work_seconds:.2f}"),
    ("ratio", lambda row: f"{row.writing_small.work_seconds / row.verification.work_seconds:.2f}"),
    ("KB", lambda row: f"{row.small_bytes / KILOBYTE:,.0f}"),
    ("bytes/transition", lambda row: f"{row.bytes_per_transition:.3f}"),
    ("thesis: ratio", lambda row: f"{row.program.verification_seconds / row.program.search_seconds:.2f}"),
    ("KB", lambda row: f"{row.program.script_kilobytes}"),
    ("bytes/transition", lambda row: f"{row.program.script_bytes_per_transition:.3f}"),
)

CERTIFICATION: Columns = (
    ("search s", lambda row: f"{row.verification.work_seconds:.2f}"),
    ("authenticated s", lambda row: f"{row.authenticated.work_seconds:.2f}"),
    ("speed-up", lambda row: f"{row.authenticated_speed_up:.2f}"),
    ("trusted s", lambda row: f"{row.trusted.work_seconds:.2f}"),
    ("speed-up", lambda row: f"{row.trusted_speed_up:.2f}"),
    ("1 worker s", lambda row: f"{row.authenticated.elapsed_seconds:.2f}"),
    ("2 workers s", lambda row: f"{row.two_workers.elapsed_seconds:.2f}"),
    ("gain", lambda row: f"{row.workers_gain:.2f}"),
    ("thesis: authenticated", lambda row: f"{row.program.certification_speed_up:.2f}"),
    ("trustful", lambda row: f"{row.program.trustful_speed_up:.1f}"),
)

COMMANDS: Columns = (
    ("verification s", lambda row: f"{row.verification.command_seconds:.2f}"),
    ("with certificate s", lambda row: f"{row.writing_fast.command_seconds:.2f}"),
    ("authenticated s", lambda row: f"{row.authenticated.command_seconds:.2f}"),
    ("trusted s", lambda row: f"{row.trusted.command_seconds:.2f}"),
    ("2 workers s", lambda row: f"{row.two_workers.command_seconds:.2f}"),
)

MEMORY: Columns = (
    ("verification MB", lambda row: f"{row.verification.peak_memory_bytes / MEGABYTE:.1f}"),
    ("with certificate MB", lambda row: f"{row.writing_fast.peak_memory_bytes / MEGABYTE:.1f}"),
    ("authenticated MB", lambda row: f"{row.authenticated.peak_memory_bytes / MEGABYTE:.1f}"),
    ("of verification", lambda row: f"{row.memory:.2f}"),
    ("trusted MB", lambda row: f"{row.trusted.peak_memory_bytes / MEGABYTE:.1f}"),
)

LARGEST_TASKS: Columns = (
    ("intervals", lambda row: percents(row, lambda row, number: row.intervals[number].largest_share)),
    ("subgraphs", lambda row: percents(row, lambda row, number: row.subgraphs[number].largest_share)),
    ("thesis", lambda row: " / ".join(f"{percent}%" for percent in row.program.largest_task_percent)),
)

PROCESSORS: Columns = (
    ("authenticated", lambda row: joined(row.with_processors(row.authenticated))),
    ("trusted", lambda row: joined(row.with_processors(row.trusted))),
    ("thesis: authenticated", lambda row: joined(row.program.parallel_speed_up)),
    ("trustful", lambda row: joined(row.program.trustful_parallel_speed_up)),
)

PATHS: Columns = (
    ("intervals: average", lambda row: paths(row.intervals)[0]),
    ("longest", lambda row: paths(row.intervals)[1]),
    ("subgraphs: average", lambda row: paths(row.subgraphs)[0]),
    ("longest", lambda row: paths(row.subgraphs)[1]),
    ("thesis: average", lambda row: joined(row.program.average_path)),
    ("longest", lambda row: joined(row.program.longest_path)),
)

MAP: Columns = (
    ("entries at most", lambda row: f"{row.map_entries:,}"),
    ("of the states", lambda row: f"{row.map_share:.0%}"),
    ("thesis", lambda row: f"{row.program.map_percent}%"),
)


def aims(rows: Sequence[Row]) -> list[tuple[str, str, bool]]:
    """What we want, the median that we have, whether that is enough."""

    def median(figure: Callable[[Row], float]) -> float:
        return statistics.median(figure(row) for row in rows)

    authenticated = median(lambda row: row.authenticated_speed_up)
    trusted = median(lambda row: row.trusted_speed_up)
    unevenness = median(lambda row: row.unevenness)
    memory = median(lambda row: row.memory)
    size = median(lambda row: row.bytes_per_transition)
    gain = median(lambda row: row.workers_gain)
    writing = median(lambda row: row.writing)
    return [
        (
            "authenticated at least 2 times faster than verification",
            f"{authenticated:.2f}",
            authenticated >= 2,
        ),
        ("trusted at least 6 times faster than verification", f"{trusted:.2f}", trusted >= 6),
        ("largest of k tasks at most 1.02/k", f"{unevenness:.3f}/k", unevenness <= 1.02),
        ("authenticated in at most 0.1 of verification's memory", f"{memory:.2f}", memory <= 0.1),
        ("at most 0.3 bytes per transition, small", f"{size:.3f}", size <= 0.3),
        ("two workers at least 1.8 times faster than one", f"{gain:.2f}", gain >= 1.8),
        ("the certificate adds at most 0.5 of verification's time", f"{writing:.2f}", writing <= 0.5),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.certificates", description="Measure certificates against verification."
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, once: about four minutes")
    parser.add_argument("--reduced", action="store_true", help="the default reductions, instead of none")
    parser.add_argument("--commands", action="store_true", help="whole commands only, three minutes")
    parser.add_argument("--cached", action="store_true", help="with --commands: models were compiled before")
    parser.add_argument("--repetitions", type=int, metavar="N")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="models whose name contains one of these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the figures here")
    arguments = parser.parse_args()
    chosen = [
        counterpart
        for counterpart in (QUICK if arguments.quick else FULL)
        if not arguments.only or any(part in counterpart.task.name for part in arguments.only)
    ]
    repetitions = arguments.repetitions or (1 if arguments.quick else 3)
    began = time.strftime("%Y-%m-%d %H:%M")

    def note(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    if arguments.commands:
        tell_commands(chosen, arguments.repetitions or 1, cached=arguments.cached, note=note)
        return
    rows, problems = [], []
    for counterpart in chosen:
        try:
            rows.append(measure(counterpart, repetitions, reduced=arguments.reduced, note=note))
        except BenchmarkProblem as problem:
            problems.append(str(problem))
            note(str(problem))
    if not rows:
        sys.exit("nothing was measured")
    empty_verification, empty_certification = measure_nothing(note)
    facts = {
        "machine": f"{os.cpu_count()} processors, {platform.machine()}",
        "load": os.getloadavg()[0],
        "repetitions": repetitions,
        "reduced": arguments.reduced,
        "empty_verification_bytes": empty_verification.peak_memory_bytes,
        "empty_certification_bytes": empty_certification.peak_memory_bytes,
    }
    print(
        f"{facts['machine']}, load {facts['load']:.1f} at the end; best of {repetitions}; "
        f"{'default' if arguments.reduced else 'no'} reductions; {began}. Of all memory, "
        f"{empty_verification.peak_memory_bytes / MEGABYTE:.1f} MB of verification and "
        f"{empty_certification.peak_memory_bytes / MEGABYTE:.1f} MB of certification are there for a "
        f"program that does nothing.\n\n{tables(rows)}\n\nMedians:\n"
    )
    for aim, value, met in aims(rows):
        print(f"- {'met' if met else 'NOT MET'}: {aim}: {value}")
    for sentence in problems:
        print(f"- PROBLEM: {sentence}")
    if arguments.json:
        found = {
            **facts,
            "models": [asdict(row) for row in rows],
            "aims": [{"aim": aim, "value": value, "met": met} for aim, value, met in aims(rows)],
            "problems": problems,
        }
        arguments.json.write_text(json.dumps(found, indent=2) + "\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
