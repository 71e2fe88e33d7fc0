"""A failing run of a C program for whoever wants to have it: as files that gcc compiles, or in gdb."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import cast

from assay.evidence.counterexample import load_trace
from assay.languages.c.execution import FIRST_LINE, REACHED_FUNCTION, Executed, Repetition, execute
from assay.languages.c.preprocessing import DATA_MODELS
from assay.languages.c.program import CProgram
from assay.records import dataclass
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.verification.sequential_runs import again, failing_run, repetition_of
from assay.verification.traces import require_same_sources


@dataclass(frozen=True, slots=True)
class WrittenHarness:
    files: tuple[str, ...]
    command: str  # that compiles and runs it
    executed: Executed

    def as_json(self) -> dict[str, object]:
        return {
            "files": list(self.files),
            "command": self.command,
            "reached": self.executed.reached,
            "what": self.executed.what,
        }


def _repetition(program: str | Path, trace: str | Path) -> tuple[CProgram, Repetition]:
    from assay import languages

    recorded = load_trace(Path(trace))
    options = LanguageOptions.from_json(recorded.options)
    loaded = cast(object, languages.load(Path(program), options).opened())
    if not isinstance(loaded, CProgram):
        raise OptionProblem("harness: a harness is written for C programs; this is none")
    require_same_sources(recorded, loaded.sources)
    _, failure, moments = again(str(program), loaded, recorded)
    return loaded, repetition_of(loaded, failing_run(failure, moments), by_name=True)


def write_harness(program: str | Path, trace: str | Path, target: str | Path) -> WrittenHarness:
    """Writes the files, and executes what they are to see whether they do what they should."""
    path = Path(target)
    loaded, run = _repetition(program, trace)
    others = [path.with_name(f"{path.stem}.program{number or ''}.c") for number in range(len(run.texts))]
    for one in (path, *others):
        if any(one.resolve() == file.resolve() for file in loaded.files):
            raise OptionProblem(f"harness: expected a file of its own, got the program itself ({one})")
    if path.exists() and not _is_ours(path):
        raise OptionProblem(f"harness: {path} exists and is no harness; name another file")
    try:
        path.write_text(run.harness)
        for one, text in zip(others, run.texts, strict=True):
            one.write_text(text, errors="surrogateescape")
    except OSError as problem:
        raise OptionProblem(f"harness: {path} cannot be written: {problem.strerror}") from None
    compiled = f"./{path.stem}" if path.parent == Path() else str(path.with_suffix(""))
    command = shlex.join(run.command(str(path), [str(one) for one in others], compiled))
    command += " && " + shlex.join([compiled, *run.arguments])
    return WrittenHarness(
        (str(path), *map(str, others)), command, execute(run, DATA_MODELS[loaded.data_model])
    )


def _is_ours(path: Path) -> bool:
    try:
        with path.open(errors="replace") as file:
            return file.readline().rstrip("\n") == FIRST_LINE
    except OSError:
        return False


def debug_c(program: str | Path, trace: str | Path) -> int:
    """The compiled program in gdb, stopped where it fails; answers gdb's exit code."""
    gdb = shutil.which("gdb")
    if gdb is None:
        raise OptionProblem("debugger: there is no gdb; install it (Debian: apt-get install gdb)")
    _, run = _repetition(program, trace)
    with tempfile.TemporaryDirectory(prefix="assay-gdb-") as private:
        folder = Path(private)
        (folder / "harness.c").write_text(run.harness)
        texts = [str(folder / f"program{number}.c") for number in range(len(run.texts))]
        for name, text in zip(texts, run.texts, strict=True):
            Path(name).write_text(text, errors="surrogateescape")
        compiled = str(folder / "program")
        made = subprocess.run(
            run.command(str(folder / "harness.c"), texts, compiled),
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise OptionProblem(f"debugger: the program could not be compiled: {made.stderr.strip()[-300:]}")
        commands = [
            "set confirm off",
            "set pagination off",
            "set debuginfod enabled off",
            f"break {REACHED_FUNCTION}",
            "run",
        ]
        command = [gdb, "-q", *(part for one in commands for part in ("-ex", one))]
        if not sys.stdin.isatty():  # nobody is there to ask: tell where it is and what it sees
            command += ["-ex", "backtrace full", "-batch"]
        return subprocess.run([*command, "--args", compiled, *run.arguments], check=False).returncode
