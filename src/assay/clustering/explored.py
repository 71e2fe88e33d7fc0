"""What is known of a search, and how it stands in the shared directory.

The truth is in files that are never changed once they are named here; this file is replaced in one step
when a level is done. Whoever goes on with the search, with however many workers, needs nothing else.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Self

from assay.clustering.work import Part, Piece, Run
from assay.execution.model_process import AssumptionFailed
from assay.records import dataclass
from assay.transition_system.language_options import OptionProblem

PREFIX = "assay-cluster-"
MANIFEST = f"{PREFIX}search"
LOCK = "assay-lock"  # the one that a search on one machine takes
OF_ONE_MACHINE = "assay-checkpoint"
FORMAT = 2


@dataclass(slots=True)
class Level:
    runs: dict[int, Run]  # of each partition that has states in it
    ranks: dict[int, list[Piece]] = field(default_factory=dict)
    edges: dict[int, list[Piece]] = field(default_factory=dict)  # where the steps of its states stand

    @property
    def states(self) -> int:
        return sum(run[2] for run in self.runs.values())

    def parts(self, partitions: Sequence[int]) -> list[Part]:
        return [
            (one, self.runs[one], 0, self.runs[one][2], self.ranks.get(one, []))
            for one in partitions
            if one in self.runs and self.runs[one][2]
        ]


@dataclass(slots=True)
class Found:
    """A violation, and the state at which it was met."""

    code: int
    position: int
    depth: int  # of the state
    path_length: int
    rank: int
    state: bytes


@dataclass(slots=True)
class Explored:
    identity: Mapping[str, str]
    partitions: int
    in_order: bool
    states: int = 0
    transitions: int = 0
    violation_count: int = 0
    cut: bool = False
    finished: bool = False
    found: list[Found] = field(default_factory=list)  # the first of each code, or a shorter one
    levels: list[Level] = field(default_factory=list)  # the last is to be expanded next, unless it is over
    visited: dict[int, list[Run]] = field(default_factory=dict)
    profile: list[dict[str, Any]] = field(default_factory=list)  # what each level cost
    lessons: list[str] = field(default_factory=list)  # files with parts of states
    meanings: list[str] = field(default_factory=list)  # of codes, from 1 on, where each process has its own
    remarks: list[str] = field(default_factory=list)
    untracked: list[tuple[int, int, bool]] = field(default_factory=list)
    bytes_sent: int = 0
    disk_bytes: int = 0
    homes: dict[int, str] = field(default_factory=dict)  # where partitions were last; not saved

    @property
    def depth(self) -> int:
        return len(self.levels) - 1

    def add(self, found: Found) -> None:
        """In the order in which one process would meet them."""
        for index, known in enumerate(self.found):
            if known.code == found.code:
                if found.path_length < known.path_length:
                    self.found[index] = found
                return
        self.found.append(found)

    def code_of(self, code: int, meaning: str) -> int:
        """A code that is the same for all workers."""
        if not meaning:
            return code
        if meaning not in self.meanings:
            self.meanings.append(meaning)
        return self.meanings.index(meaning) + 1

    def files(self) -> set[str]:
        """All that are still needed."""
        runs = [run for level in self.levels for run in level.runs.values()]
        runs += [run for each in self.visited.values() for run in each]
        pieces = [
            piece
            for level in self.levels
            for each in (*level.ranks.values(), *level.edges.values())
            for piece in each
        ]
        return {run[0] for run in runs} | {piece[0] for piece in pieces} | set(self.lessons)

    def as_json(self) -> dict[str, Any]:
        layouts: dict[bytes, int] = {}

        def told(run: Run) -> list[object]:
            return [run[0], run[1], run[2], layouts.setdefault(run[3], len(layouts)), run[4]]

        levels = [
            {
                "runs": {str(one): told(run) for one, run in level.runs.items()},
                "ranks": {str(one): pieces for one, pieces in level.ranks.items()},
                "edges": {str(one): pieces for one, pieces in level.edges.items()},
            }
            for level in self.levels
        ]
        visited = {str(one): [told(run) for run in runs] for one, runs in self.visited.items()}
        return {
            "format": FORMAT,
            "identity": dict(self.identity),
            "partitions": self.partitions,
            "in_order": self.in_order,
            "states": self.states,
            "transitions": self.transitions,
            "violation_count": self.violation_count,
            "cut": self.cut,
            "finished": self.finished,
            "found": [
                [one.code, one.position, one.depth, one.path_length, one.rank, one.state.hex()]
                for one in self.found
            ],
            "levels": levels,
            "visited": visited,
            "layouts": [masks.hex() for masks in layouts],
            "profile": self.profile,
            "lessons": self.lessons,
            "meanings": self.meanings,
            "remarks": self.remarks,
            "untracked": self.untracked,
            "bytes_sent": self.bytes_sent,
            "disk_bytes": self.disk_bytes,
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Explored:
        if written["format"] != FORMAT:
            raise ValueError("it was written by another version")
        layouts = [bytes.fromhex(masks) for masks in written["layouts"]]

        def run_of(told: Sequence[Any]) -> Run:
            file, offset, records, layout, checksum = told
            return _own_name(file), int(offset), int(records), layouts[layout], int(checksum)

        def pieces_of(told: Mapping[str, Any]) -> dict[int, list[Piece]]:
            return {
                int(one): [(_own_name(file), int(offset), int(count)) for file, offset, count in pieces]
                for one, pieces in told.items()
            }

        return cls(
            identity={str(name): str(value) for name, value in written["identity"].items()},
            partitions=int(written["partitions"]),
            in_order=written["in_order"] is True,
            states=int(written["states"]),
            transitions=int(written["transitions"]),
            violation_count=int(written["violation_count"]),
            cut=written["cut"] is True,
            finished=written["finished"] is True,
            found=[
                Found(int(code), int(position), int(depth), int(length), int(rank), bytes.fromhex(state))
                for code, position, depth, length, rank, state in written["found"]
            ],
            levels=[
                Level(
                    {int(one): run_of(run) for one, run in level["runs"].items()},
                    pieces_of(level["ranks"]),
                    pieces_of(level["edges"]),
                )
                for level in written["levels"]
            ],
            visited={int(one): [run_of(run) for run in runs] for one, runs in written["visited"].items()},
            profile=[dict(one) for one in written["profile"]],
            lessons=[_own_name(name) for name in written["lessons"]],
            meanings=[str(one) for one in written["meanings"]],
            remarks=[str(one) for one in written["remarks"]],
            untracked=[(int(a), int(b), bool(c)) for a, b, c in written["untracked"]],
            bytes_sent=int(written["bytes_sent"]),
            disk_bytes=int(written["disk_bytes"]),
        )


def _own_name(name: object) -> str:
    """Files of the directory itself, and of a search: what stands in the file is not believed."""
    if not isinstance(name, str) or not name.startswith(PREFIX) or "/" in name or "\0" in name:
        raise ValueError(f"{name!r} is no file of a search")
    return name


class SharedDirectory:
    """Held by one search at a time. A context manager."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self._on_disk: set[str] = set()  # files that survive if the machine does not
        try:
            self.path.mkdir(mode=0o700, exist_ok=True)
            self._lock = os.open(
                self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
            )
        except OSError as problem:
            raise OptionProblem(f"spill: {path} cannot be used: {problem.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise OptionProblem(f"spill: another search is using {path}; choose another directory") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is AssumptionFailed:
            # What was found of a program that is not as it was assumed to be is worth nothing.
            self.clear()
        os.close(self._lock)

    def load(self, identity: Mapping[str, str], *, resume: bool) -> Explored | None:
        """The search that was ended here; None: there is none."""
        if (self.path / OF_ONE_MACHINE).exists():
            raise OptionProblem(
                f"spill: {self.path} holds a search of one machine; continue it without --cluster, or choose "
                "another directory"
            )
        file = self.path / MANIFEST
        if not file.exists():
            return None
        if not resume:
            raise OptionProblem(
                f"spill: {self.path} holds a search that is not finished; continue it with --resume, or "
                "choose another directory"
            )
        try:
            written = json.loads(file.read_bytes())
            explored = Explored.from_json(written)
        except (ValueError, KeyError, TypeError, IndexError, OSError) as problem:
            raise OptionProblem(
                f"spill: {file} is damaged ({problem}); begin again in another directory"
            ) from None
        for name, value in identity.items():
            if explored.identity.get(name) != value:
                raise OptionProblem(
                    f"resume: {self.path} holds a search with another {name}; "
                    "continue that one, or choose another directory"
                )
        return explored

    def commit(self, explored: Explored, others: frozenset[str] = frozenset()) -> None:
        """`others`: files that it does not tell of, and that all workers are to see from now on."""
        needed = explored.files() | others
        for name in needed - self._on_disk:
            written = os.open(self.path / name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                os.fdatasync(written)
            finally:
                os.close(written)
        self._on_disk = needed
        fresh = self.path / f"{MANIFEST}.new"
        fresh.unlink(missing_ok=True)
        with os.fdopen(
            os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "w"
        ) as file:
            json.dump(explored.as_json(), file, separators=(",", ":"))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path / MANIFEST)

    def sweep(self, kept: set[str]) -> None:
        """Removes what tasks left behind and nobody needs any more."""
        for entry in self._own():
            if entry.name not in kept and entry.name[len(PREFIX) :].split("-")[0] in {
                "level",
                "batch",
                "edges",
                "ranks",
                "lessons",
                "numbers",
                "steps",
                "sets",
            }:
                with contextlib.suppress(OSError):
                    entry.unlink()

    def clear(self) -> None:
        """The search is over: nothing of it stays."""
        (self.path / MANIFEST).unlink(missing_ok=True)
        for entry in self._own():
            with contextlib.suppress(OSError):
                entry.unlink()
        with contextlib.suppress(OSError):
            (self.path / LOCK).unlink()
            self.path.rmdir()  # if we were alone in it

    def bytes(self) -> int:
        return sum(entry.stat().st_size for entry in self._own())

    def _own(self) -> Iterator[Path]:
        return (entry for entry in self.path.iterdir() if entry.name.startswith(PREFIX))
