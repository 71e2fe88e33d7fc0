"""Assay on one model, through its command line, as a user would run it."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.agreement.process import run

UNREDUCED = ("--no-reductions", "--all-errors", "--safety")
REDUCED = ("--safety",)


@dataclass(frozen=True, slots=True)
class AssayOutcome:
    """What Assay said, or how it failed to say anything."""

    verdict: str  # of the documented verdicts; "crashed" and "timed out" are never acceptable
    message: str = ""
    states: int = 0
    transitions: int = 0
    kinds: frozenset[str] = frozenset()
    seconds: float = 0.0
    search_seconds: float = 0.0
    compile_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory_bytes: int = 0


def check(
    model: Path,
    options: Sequence[str] = UNREDUCED,
    *,
    timeout_seconds: float = 60.0,
    compiler: str | None = None,
) -> AssayOutcome:
    """Verify `model`, compiled anew; `compiler` overrides what Assay compiles models with."""
    with tempfile.TemporaryDirectory(prefix="assay-") as scratch:
        command = [str(Path(sys.executable).with_name("assay")), "verify", str(model), *options]
        command += ["--json", "--trace", str(Path(scratch) / "trace.json")]
        environment = {"XDG_CACHE_HOME": scratch, **({"CC": compiler} if compiler else {})}
        completed = run(command, timeout_seconds=timeout_seconds, environment=environment)
    if completed.timed_out:
        return AssayOutcome("timed out", wall_seconds=completed.seconds)
    try:
        said = json.loads(completed.output)
    except ValueError:
        lines = [line for line in completed.errors.splitlines() if line.strip()] or ["no output"]
        return AssayOutcome("crashed", message=f"exit {completed.returncode}: {lines[-1]}")
    reasons = [*([said["message"]] if said.get("message") else []), *said.get("reasons", [])]
    reasons += [violation["message"] for violation in said.get("violations", [])]
    return AssayOutcome(
        verdict=said["verdict"],
        message="; ".join(str(reason) for reason in reasons),
        states=said["states"],
        transitions=said["transitions"],
        kinds=frozenset(violation["kind"] for violation in said.get("violations", [])),
        seconds=said.get("seconds", 0.0),
        search_seconds=said.get("search_seconds", 0.0),
        compile_seconds=said.get("compile_seconds", 0.0),
        wall_seconds=completed.seconds,
        peak_memory_bytes=said.get("peak_memory_bytes", 0),
    )
