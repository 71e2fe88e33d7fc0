"""Assay on one model, through its command line, as a user would run it."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from assay import _engine
from assay.languages.promela import program
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions
from tests.agreement.process import run

FORK = multiprocessing.get_context("fork")

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


def check_directly(
    model: Path,
    options: Sequence[str] = UNREDUCED,
    *,
    timeout_seconds: float = 60.0,
    compiler: str | None = None,
) -> AssayOutcome:
    """The same answer without the command line: front end and engine in a forked child.

    A campaign of thousands spends most of its time starting interpreters otherwise.
    The verdict is read off the search alone, so it says less than `check` about what a
    user sees and as much about the graph.
    """
    receiver, sender = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_search, args=(sender, model, tuple(options), compiler), daemon=True)
    child.start()
    sender.close()
    try:
        if not receiver.poll(timeout_seconds):
            return AssayOutcome("timed out")
        outcome = receiver.recv()
    except EOFError:
        child.join(1.0)
        return AssayOutcome("crashed", message=f"exit {child.exitcode}")
    finally:
        child.kill()
        child.join()
    assert isinstance(outcome, AssayOutcome)
    return outcome


def _search(sender: Connection, model: Path, options: Sequence[str], compiler: str | None) -> None:
    if compiler:
        os.environ["CC"] = compiler
    limit = int(options[options.index("--max-states") + 1]) if "--max-states" in options else 0
    unreduced = "--no-reductions" in options
    try:
        with tempfile.TemporaryDirectory(prefix="assay-") as scratch:
            os.environ["XDG_CACHE_HOME"] = scratch
            reductions = frozenset() if unreduced else frozenset(program.REDUCTIONS)
            loaded = program.load(model, LanguageOptions(safety_only=True, reductions=reductions))
            result = _engine.search(
                _engine.CompiledModel(loaded.opening.file),
                strategy="bfs",
                storage="exact",
                threads=1,
                seed=0,
                hash_functions=0,
                bitstate_bytes=0,
                memory_limit_bytes=2 << 30,
                time_limit_seconds=0,
                depth_limit=0,
                state_limit=limit,
                stop_at_first_violation=not unreduced,
                check_deadlock=True,
                on_progress=None,
                progress_interval_seconds=1.0,
            )
        kinds = frozenset(loaded.describe_violation(v.code).kind for v in result.violations)
        verdict = "violated" if kinds else "verified" if result.complete else "incomplete"
        sender.send(AssayOutcome(verdict, result.stop_reason, result.states, result.transitions, kinds))
    except SourceProblem as problem:
        sender.send(AssayOutcome("unusable", str(problem)))
    except Exception as error:
        sender.send(AssayOutcome("internal error", repr(error)))
