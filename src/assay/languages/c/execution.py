"""Runs the compiled program with the inputs of a run, to see whether it fails there.

The program is compiled with gcc as it stands. A second file gives it what it does not define: input
functions that hand out the values of the run in their order, and failures that say so and end the
process. Local variables without a value are set to zero by gcc, so only runs that do not need other
values can be repeated; who needs others is told.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from assay.languages.c import freestanding
from assay.languages.c.preprocessing import COMPILE_SECONDS, DataModel
from assay.languages.c.rules import FAILED
from assay.records import dataclass
from assay.transition_system.sequential.control_flow import Failure

SECONDS = 10
REACHED = 86  # the exit code of a run that failed as it should
EMPTY = 87  # it asked for more inputs than the run has
ANOTHER = 88  # another assertion failed
MOST_MEMORY = 1 << 31

TYPES = {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "unsigned long long"}


ALLOCATING = {"malloc": "(unsigned long n)", "calloc": "(unsigned long n, unsigned long m)"}


@dataclass(frozen=True, slots=True)
class Executed:
    reached: bool
    what: str  # happened, in words


@dataclass(frozen=True, slots=True)
class InputFunction:
    name: str
    width: int


def harness(
    inputs: Sequence[tuple[InputFunction, int]],
    externals: Mapping[str, int],
    defined: frozenset[str],
    assertion: str = "",
) -> str:
    """Text of C that gives the program its inputs, in their order, whoever asks.

    `assertion` is the one that must fail, as a string of C has it; without one, any.
    """
    functions = {**externals, **{one.name: one.width for one, _ in inputs}}
    allocating = [name for name in ALLOCATING if name in functions]
    functions = {name: width for name, width in functions.items() if name not in ALLOCATING}
    values = ", ".join(f"{value}ull" for _, value in inputs) or "0"
    lines = [
        "/* Gives the program the inputs of the run that fails. Compile it with the program. */",
        "extern void _exit(int) __attribute__((noreturn));",
        f"static const unsigned long long inputs[] = {{{values}}};",
        f"enum {{ COUNT = {len(inputs)} }};",
        "static unsigned next;",
        "static unsigned long long input(void)",
        f"{{ if (next >= COUNT) _exit({EMPTY}); return inputs[next++]; }}",
        "void __assert_fail(const char *a, const char *b, unsigned c, const char *d)",
        *_telling(assertion),
        f"void {FAILED}(void) {{ _exit({REACHED}); }}",
        "void __VERIFIER_assume(int condition) { if (!condition) _exit(0); }",
    ]
    lines += [
        f"{TYPES[width]} {name}() {{ return ({TYPES[width]})input(); }}" if width else f"void {name}() {{ }}"
        for name, width in sorted(functions.items())
        if name not in defined
    ]
    lines += [
        f"void *__real_{name}{ALLOCATING[name]}; void *__wrap_{name}{ALLOCATING[name]}"
        f" {{ return input() ? __real_{name}({'n' if name == 'malloc' else 'n, m'}) : 0; }}"
        for name in allocating
    ]
    failing = [name for name in ("reach_error", "__VERIFIER_error") if name not in defined]
    lines += [f"void {name}() {{ _exit({REACHED}); }}" for name in failing]
    return "\n".join(lines) + "\n"


def _telling(assertion: str) -> list[str]:
    if not assertion:
        return [f"{{ _exit({REACHED}); }}"]
    return [
        f'{{ static const char wanted[] = "{assertion}"; unsigned n = 0;',
        "  while (wanted[n] && wanted[n] == a[n]) ++n;",
        f"  _exit(wanted[n] == a[n] ? {REACHED} : {ANOTHER}); }}",
    ]


def assertion_in(failure: Failure) -> str:
    """The text that `assert` gives to the library, if it is one of its failures."""
    is_one = failure.kind == "assertion" and failure.message.startswith("assert(")
    return failure.message.removeprefix("assert(").removesuffix(") fails") if is_one else ""


class Compilable(Protocol):
    """Files as they are, or texts with rules in them."""

    @property
    def files(self) -> Sequence[Path]: ...
    @property
    def flags(self) -> Sequence[str]: ...
    @property
    def woven(self) -> Sequence[str]: ...


def execute(program: Compilable, model: DataModel, harness_text: str, watched: str) -> Executed:
    """`watched` is a function of the program whose call is the failure, if it has a body of its own."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return Executed(False, "gcc was not found")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "harness.c").write_text(harness_text)
        compiled = folder / "program"
        texts = [*map(str, program.files), str(folder / "harness.c")]
        if program.woven:
            texts = [str(folder / "harness.c")]
            for number, text in enumerate(program.woven):
                (folder / f"woven{number}.c").write_text(text, errors="surrogateescape")
                texts.append(str(folder / f"woven{number}.c"))
        how = ["-std=gnu11", "-w", "-O0", "-fwrapv", "-fno-builtin", "-ftrivial-auto-var-init=zero"]
        if watched:
            how.append("-finstrument-functions")
            (folder / "watch.c").write_text(_watching(watched))
            texts.append(str(folder / "watch.c"))
        how += [f"-Wl,--wrap={name}" for name in ALLOCATING if f"__wrap_{name}" in harness_text]
        command = [compiler, *how, model.flag, *program.flags, *texts, "-o", str(compiled)]
        problem = _compiled(command)
        if problem and model.pointer == 32:  # there may be no library of 32 bits
            (folder / "library.c").write_text(freestanding.TEXT)
            problem = _compiled([*command, str(folder / "library.c"), *freestanding.FLAGS])
        if problem:
            return Executed(False, problem)
        return _ran(compiled, folder)


def _compiled(command: Sequence[str]) -> str:
    """What went wrong."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "gcc needed too long"
    if done.returncode != 0:
        return "it could not be linked: " + (done.stderr.strip().splitlines() or [""])[-1][:200]
    return ""


def _watching(function: str) -> str:
    quiet = "__attribute__((no_instrument_function))"
    return (
        f"extern void {function}();\nextern void _exit(int);\n"
        f"void {quiet} __cyg_profile_func_enter(void *function, void *site) "
        f"{{ if (function == (void *){function}) _exit({REACHED}); }}\n"
        f"void {quiet} __cyg_profile_func_exit(void *function, void *site) {{ }}\n"
    )


def _ran(program: Path, folder: Path) -> Executed:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    try:
        done = subprocess.run(
            [str(program)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            cwd=folder,
            env={"PATH": os.defpath},
            preexec_fn=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Executed(False, f"it ran for more than {SECONDS} s")
    if done.returncode == REACHED:
        return Executed(True, "the compiled program fails with these inputs")
    if done.returncode == EMPTY:
        return Executed(False, "it asked for more inputs than the run has")
    if done.returncode == ANOTHER:
        return Executed(False, "another assertion fails before")
    if done.returncode < 0:
        return Executed(False, f"it was ended by signal {-done.returncode}")
    return Executed(False, f"it ended with {done.returncode} and did not fail")
