"""What a certifier asked for, and how much a stranger's certificate may take of what it runs on."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assay.evidence.certificate import PYTHON_CLASS
from assay.evidence.certificate.container import CertificateFile
from assay.records import dataclass
from assay.transition_system.language_options import LanguageOptions

PURPOSES = {"authenticated": "authenticate", "explained": "explain", "trusted": "trust"}  # by mode
BASE_BYTES, BASE_SECONDS = 256 << 20, 120.0  # that any walk may take
STATE_BYTES, STATE_BYTES_IN_PYTHON = 1 << 10, 16 << 10
TRANSITION_SECONDS, TRANSITION_SECONDS_IN_PYTHON = 50e-6, 10e-3
SECONDS_PER_BYTE = 5e-3
WORTH_A_PROCESS = 250_000  # transitions


@dataclass(frozen=True, slots=True)
class CertificationProgress:
    """Over all tasks; `entries` of `total` have been checked."""

    states: int
    entries: int
    total: int
    tasks_done: int
    tasks: int


Listener = Callable[[CertificationProgress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificationRequest:
    """Everything that a certifier asked for, and the limits that follow."""

    program: Path
    path: Path
    mode: str
    drop_after_last: bool
    tasks: int | None
    partition: str
    workers: int  # 0 until the certificate says how many pay
    cluster: str | None
    added: LanguageOptions
    require_deadlock_freedom: bool
    safety: bool
    ltl: tuple[str, ...]  # names or texts that the claim must cover
    progress: bool  # must be claimed
    fair: bool  # a claim about fair runs is enough
    terminates: bool  # must be claimed, which is about fair runs
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

    def limited_for(self, file: CertificateFile) -> CertificationRequest:
        """With limits that follow from the claim and the size of its file, where none were given."""
        limits = default_limits(file, mode=self.mode)
        return replace(
            self,
            workers=self.workers or useful_workers(file, mode=self.mode),
            memory_limit_bytes=self.memory_limit_bytes or limits.memory_bytes,
            deadline=self.started + limits.seconds if self.deadline is None else self.deadline,
            default_limits=tuple(
                option
                for option, given in [("--memory", self.memory_limit_bytes), ("--timeout", self.deadline)]
                if not given
            ),
        )

    def how_to_allow_more(self, option: str) -> str:
        if option not in self.default_limits:
            return ""
        return f"; that limit follows from the claim and the size of its file, and {option} sets another"

    def as_json(self) -> dict[str, object]:
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
            "ltl": list(self.ltl),
            "progress": self.progress,
            "fair": self.fair,
            "terminates": self.terminates,
            "defines": None if self.defines is None else list(self.defines),
            "granularity": self.granularity or None,
            "memory_limit_bytes": self.memory_limit_bytes,
        }


def useful_workers(file: CertificateFile, *, mode: str) -> int:
    """How many processes to walk with if nobody says: one for each processor, as long as it has enough to do.

    A walk that explains keeps one map; what is walked in Python starts an interpreter for each process.
    """
    header = file.header
    if mode == "explained" or header.language in {"python", PYTHON_CLASS}:
        return 1
    most = max(transitions for _, transitions in header.sizes) // WORTH_A_PROCESS
    return max(1, min(most, len(os.sched_getaffinity(0))))


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
    for_states = max(states for states, _ in header.sizes) * (
        STATE_BYTES_IN_PYTHON if in_python else STATE_BYTES
    )
    for_size = file.size * (STATE_BYTES_IN_PYTHON if in_python else STATE_BYTES)
    memory = BASE_BYTES + (for_states if mode == "explained" else min(for_states, for_size))
    seconds = min(
        sum(transitions for _, transitions in header.sizes)
        * (TRANSITION_SECONDS_IN_PYTHON if in_python else TRANSITION_SECONDS),
        file.size * SECONDS_PER_BYTE,
    )
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return Limits(min(memory, half), BASE_SECONDS + seconds)
