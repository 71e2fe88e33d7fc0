"""SPIN as the judge: generate, compile and run a verifier for one model, and read what it says.

Counts agree only per set of options, so there are exactly two: `UNREDUCED`
(the graph Assay must reproduce) and `REDUCED` (what SPIN does unless told
otherwise). Models are never changed: their directory is copied, because they
may include their neighbours and SPIN writes beside what it reads.

    python -m tests.agreement.spin MODEL [--reduced] [--automata]
"""

from __future__ import annotations

import argparse
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from pathlib import Path

from tests.agreement.process import Completed, run

MEMORY_LIMIT_BYTES = 6 << 30
SEARCH_DEPTHS = (200_000, 20_000_000, 200_000_000)


@dataclass(frozen=True, slots=True)
class SpinOptions:
    """One set of options under which counts may be compared."""

    generate: tuple[str, ...]
    compile: tuple[str, ...]


UNREDUCED = SpinOptions(generate=("-a", "-o1", "-o2", "-o3"), compile=("-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"))
REDUCED = SpinOptions(generate=("-a",), compile=("-DSAFETY", "-DNOCLAIM"))


class Status(Enum):
    """How far SPIN got."""

    FINISHED = "finished"
    REFUSED = "refused"  # by spin -a, or by pan before it searches
    NOT_COMPILED = "not compiled"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    DIVISION_BY_ZERO = "division by zero"  # the verifier dies; the model is wrong all the same
    CRASHED = "crashed"


# What `pan` prints after "pan:1: ", and the word for it in Assay's violations.
_KINDS = (
    ("assertion violated", "assertion"),
    ("invalid array index", "array-index"),  # pan prints it as an assertion: must stand before it
    ("invalid end state", "deadlock"),
    ("block in d_step seq", "d_step-blocked"),
    ("too many processes", "too-many-processes"),
    ("too many queues", "too-many-channels"),
    ("uninitialized chan", "uninitialized-channel"),
    ("q_full: bad queue", "uninitialized-channel"),
    ("bad queue#", "uninitialized-channel"),
    ("event_trace error", "trace"),
    ("non-determinism in event-trace", "ambiguous-trace"),  # ends the search
)
# Errors after which SPIN goes on with the next state as if nothing had happened.
_CONTINUED = frozenset({"assertion", "deadlock", "trace"})


@dataclass(frozen=True, slots=True)
class SpinOutcome:
    """What SPIN said about one model, under one set of options."""

    status: Status
    message: str = ""
    errors: int = 0
    kinds: frozenset[str] = frozenset()
    states: int = 0
    transitions: int = 0  # edges of the graph: SPIN's figure minus one
    atomic_steps: int = 0
    depth: int = 0
    state_bytes: int = 0
    aborted: bool = False
    generate_seconds: float = 0.0
    compile_seconds: float = 0.0
    search_seconds: float = 0.0
    peak_memory_bytes: int = 0
    output: str = field(default="", repr=False)

    @property
    def verdict(self) -> str | None:
        if self.status is Status.DIVISION_BY_ZERO:
            return "violated"
        if self.status is not Status.FINISHED:
            return None
        return "violated" if self.errors else "verified"

    @property
    def counts_are_defined(self) -> bool:
        """Whether the figures mean the whole graph.

        After an index out of range SPIN reads and writes whatever lies there,
        and some errors end its search; what it counts then is no fact about the model.
        """
        return self.status is Status.FINISHED and not self.aborted and self.kinds <= _CONTINUED


@cache
def fast_compiler() -> str:
    """`tcc` compiles a verifier about thirty times faster than `gcc -O0`; its code runs at half the speed."""
    return "tcc" if shutil.which("tcc") else "gcc -O0"


def available() -> bool:
    return shutil.which("spin") is not None and shutil.which("gcc") is not None


def version() -> str:
    return run(["spin", "-V"]).output.strip()


def check(
    model: Path,
    options: SpinOptions = UNREDUCED,
    *,
    compiler: str = "gcc -O2",
    timeout_seconds: float = 30.0,
    run_options: Sequence[str] = (),
    compile_options: Sequence[str] = (),
    depths: Sequence[int] = SEARCH_DEPTHS,
    memory_limit_bytes: int = MEMORY_LIMIT_BYTES,
    copy_directory: bool = True,
) -> SpinOutcome:
    """Verify `model`; `timeout_seconds` limits the search itself, not generation and compilation."""
    with tempfile.TemporaryDirectory(prefix="spin-") as scratch:
        directory = Path(scratch)
        generated = _generate(model, options, directory, copy_directory)
        if isinstance(generated, SpinOutcome):
            return generated
        compiled = run(
            [*compiler.split(), *options.compile, *compile_options, "-w", "-o", "pan", "pan.c"],
            directory=directory,
            timeout_seconds=300,
        )
        if compiled.returncode != 0:
            return SpinOutcome(Status.NOT_COMPILED, message=_last_line(compiled.errors))
        outcome = SpinOutcome(Status.CRASHED)
        for depth in depths:
            searched = run(
                ["./pan", "-n", "-c0", f"-m{depth}", *run_options],
                directory=directory,
                timeout_seconds=timeout_seconds,
                address_space_bytes=memory_limit_bytes,
            )
            outcome = _read(searched, generated, compiled)
            truncated = "max search depth too small" in searched.output
            if not truncated or outcome.status is not Status.FINISHED:
                return outcome
        return replace(outcome, aborted=True)


def _generate(
    model: Path, options: SpinOptions, directory: Path, copy_directory: bool
) -> Completed | SpinOutcome:
    if copy_directory:
        for neighbour in model.parent.iterdir():
            if neighbour.is_file():
                shutil.copy(neighbour, directory / neighbour.name)
    else:
        shutil.copy(model, directory / model.name)
    generated = run(["spin", *options.generate, model.name], directory=directory, timeout_seconds=60)
    if generated.timed_out or generated.returncode != 0 or not (directory / "pan.c").exists():
        said = generated.output + generated.errors
        errors = [line for line in said.splitlines() if "rror" in line and "dubious" not in line]
        errors = errors or said.splitlines() or ["no output"]
        return SpinOutcome(Status.REFUSED, message=errors[0].strip())
    return generated


def _read(searched: Completed, generated: Completed, compiled: Completed) -> SpinOutcome:
    text = searched.output
    messages = re.findall(r"^pan:\d+: (.*?)(?: \(at depth -?\d+\))?$", text, re.MULTILINE)
    kinds = frozenset(_kind(message) for message in messages)
    status = Status.FINISHED
    found = re.search(r"errors: (\d+)", text)
    if searched.timed_out:
        status = Status.TIMED_OUT
    elif searched.returncode == -signal.SIGFPE:
        status = Status.DIVISION_BY_ZERO
    elif "out of memory" in text or "aborting (malloc)" in text or "aborting" in searched.errors:
        status = Status.OUT_OF_MEMORY
    elif "unconditional self-loop" in text:
        return SpinOutcome(Status.REFUSED, message="pan: unconditional self-loop")
    elif found is None or searched.returncode < 0 or "VECTORSZ" in text:
        status = Status.CRASHED
    return SpinOutcome(
        status=status,
        message="; ".join(dict.fromkeys(messages))
        if found or messages
        else _last_line(text + searched.errors),
        errors=int(found[1]) if found else 0,
        kinds=kinds,
        states=_figure(text, "states, stored"),
        transitions=_figure(text, "transitions") - 1,
        atomic_steps=_figure(text, "atomic steps"),
        depth=int(_group(r"depth reached (\d+)", text)),
        state_bytes=int(_group(r"State-vector (\d+) byte", text)),
        aborted="Search not completed" in text or "search not completed" in text,
        generate_seconds=generated.seconds,
        compile_seconds=compiled.seconds,
        search_seconds=searched.seconds,
        peak_memory_bytes=searched.peak_memory_bytes,
        output=text,
    )


def _kind(message: str) -> str:
    if "invalid array index" in message:
        return "array-index"
    return next((kind for part, kind in _KINDS if part in message), message)


def _figure(text: str, what: str) -> int:
    return int(float(_group(rf"^\s*([0-9.e+]+) {what}", text)))


def _group(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else "0"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


@dataclass(frozen=True, slots=True)
class AutomatonEdge:
    """One transition of a proctype, as `pan -d` prints it."""

    source: int
    transition: int
    target: int
    flags: str  # of [A..L]: atomic, d_step, end state, progress, accept, local or global
    file: str
    line: int
    text: str


_EDGE = re.compile(
    r"^\s*state\s+(\d+) -\(tr\s+(\d+)\)-> state\s+(\d+)\s+\[id.*?\]\s+\[(.{5})\]\s+(\S+?):(\d+) => ?(.*)$"
)


def automata(model: Path, options: SpinOptions = UNREDUCED) -> dict[str, list[AutomatonEdge]]:
    """SPIN's control-flow graph of every proctype: what to look at first when counts differ."""
    with tempfile.TemporaryDirectory(prefix="spin-") as scratch:
        directory = Path(scratch)
        generated = _generate(model, options, directory, copy_directory=True)
        if isinstance(generated, SpinOutcome):
            sys.exit(f"SPIN refuses {model}: {generated.message}")
        compiled = run(
            [*fast_compiler().split(), *options.compile, "-w", "-o", "pan", "pan.c"], directory=directory
        )
        if compiled.returncode != 0:
            raise RuntimeError(f"the verifier of {model} does not compile: {_last_line(compiled.errors)}")
        return parse_automata(run(["./pan", "-d"], directory=directory).output)


def parse_automata(text: str) -> dict[str, list[AutomatonEdge]]:
    """Read the output of `pan -d`."""
    result: dict[str, list[AutomatonEdge]] = {}
    edges: list[AutomatonEdge] = []
    for line in text.splitlines():
        heading = re.match(r"^(?:proctype|init|claim|never)\b\s*(\S*)", line)
        if heading:
            edges = result.setdefault(heading[1] or line.split()[0], [])
            continue
        found = _EDGE.match(line)
        if found:
            source, transition, target, flags, file, number, statement = found.groups()
            edges.append(
                AutomatonEdge(
                    int(source), int(transition), int(target), flags, file, int(number), statement.strip()
                )
            )
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description="What SPIN says about one model.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--reduced", action="store_true", help="SPIN's default reductions")
    parser.add_argument("--automata", action="store_true", help="print the control-flow graphs instead")
    parser.add_argument("--compiler", default=fast_compiler())
    parser.add_argument("--timeout", type=float, default=60.0)
    arguments = parser.parse_args()
    options = REDUCED if arguments.reduced else UNREDUCED
    if arguments.automata:
        for name, edges in automata(arguments.model, options).items():
            print(name)
            for edge in edges:
                place = f"{edge.file}:{edge.line}"
                print(f"  {edge.source:4} -> {edge.target:4}  [{edge.flags}] {place:20} {edge.text}")
        return
    outcome = check(arguments.model, options, compiler=arguments.compiler, timeout_seconds=arguments.timeout)
    print(outcome)


if __name__ == "__main__":
    main()
