"""Runs the compiled program with the inputs of a run, to see whether it fails there.

The program is compiled with gcc as it was read. A second file gives it what it does not define: input
functions that hand out the values of the run in their order, and failures that say so and end the
process. Local variables without a value are set to zero by gcc; where a run needs others, a call that sets
them is put into the text. What gcc can check by itself (overflow, division, memory) it does.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from assay.languages.c import freestanding, reading_functions, written_functions
from assay.languages.c.outline import Spot
from assay.languages.c.preprocessing import COMPILE_SECONDS, PRELUDE, DataModel, without_prelude
from assay.languages.c.rules import FAILED
from assay.languages.c.uninitialised import SET, with_values_set
from assay.records import dataclass
from assay.transition_system.sequential.control_flow import Failure

SECONDS = 10
REACHED = 86  # the exit code of a run that failed as it should
EMPTY = 87  # it asked for more inputs than the run has
ANOTHER = 88  # another assertion failed
MOST_MEMORY = 1 << 31

TYPES = {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "unsigned long long"}
REACHED_FUNCTION = "__assay_reached"
FIRST_LINE = "/* Gives the program what it was given in a run that fails. Compile it with the program. */"
QUIET = "__attribute__((no_instrument_function)) "

ALLOCATING = {"malloc": "(unsigned long n)", "calloc": "(unsigned long n, unsigned long m)"}
FLAGS = (
    *(
        "-std=gnu11",
        "-w",
        "-O0",
        "-g",
        "-fno-builtin",
        "-Dalloca=__builtin_alloca",
        "-ftrivial-auto-var-init=zero",
    ),
    # What nobody calls may call what nobody defines: it is left out.
    *("-ffunction-sections", "-Wl,--gc-sections"),
)
# What gcc checks by itself: the program then stops where it would go on.
CHECKED_BY_GCC = {
    "overflow": ("-fsanitize=signed-integer-overflow,shift", "-fsanitize-undefined-trap-on-error"),
    "bounds": ("-fsanitize=address",),
}


SIGNALS = {"overflow": (signal.SIGILL, signal.SIGFPE), "division": (signal.SIGFPE,)}


@dataclass(frozen=True, slots=True)
class Executed:
    reached: bool
    what: str  # happened, in words


@dataclass(frozen=True, slots=True)
class InputFunction:
    name: str
    width: int


@dataclass(frozen=True, slots=True)
class Unset:
    """A variable that the run finds with a value although nobody has set it."""

    spot: Spot  # of its declaration
    content: bytes


@dataclass(frozen=True, slots=True)
class FailingRun:
    """All that a compiled program has to be given so that it fails."""

    kind: str
    message: str
    inputs: Sequence[tuple[InputFunction, int]]  # in the order in which they are asked for
    unset: Sequence[Unset] = ()  # in the order in which their declarations are passed
    arguments: int = 0  # of the command
    assertion: str = ""  # the one that must fail, as a string of C has it; without one, any


def harness(run: FailingRun, externals: Mapping[str, int], defined: frozenset[str], watched: str = "") -> str:
    """Text of C that gives the program what it was given in the run, whoever asks.

    `watched` is a function of the program whose call is the failure, if it has a body of its own.
    """
    reading = [name for name in externals if reading_functions.text_of(name) and name not in defined]
    inputs = [(one, value) for one, value in run.inputs if one.name not in reading]
    functions = {**externals, **{one.name: one.width for one, _ in inputs}}
    functions = {name: width for name, width in functions.items() if name not in reading}
    allocating = [name for name in ALLOCATING if name in functions]
    functions = {name: width for name, width in functions.items() if name not in ALLOCATING}
    values = ", ".join(f"{value}ull" for _, value in inputs) or "0"
    lines = [
        FIRST_LINE,
        f"{QUIET}extern void _exit(int) __attribute__((noreturn));",
        "extern __PTRDIFF_TYPE__ write(int, const void *, __SIZE_TYPE__);",
        f"static const unsigned long long inputs[] = {{{values}}};",
        f"enum {{ COUNT = {len(inputs)} }};",
        "static unsigned next_input;",
        f"{QUIET}void {REACHED_FUNCTION}(void)",
        f'{{ static const char said[] = "{_escaped(run.message)}\\n";',
        f"  write(2, said, sizeof said - 1); _exit({REACHED}); }}",
        f"{QUIET}static unsigned long long input(void)",
        f"{{ if (next_input >= COUNT) _exit({EMPTY}); return inputs[next_input++]; }}",
        f"{QUIET}void __assert_fail(const char *a, const char *b, unsigned c, const char *d)",
        *_telling(run.assertion),
        f"{QUIET}void {FAILED}(void) {{ {REACHED_FUNCTION}(); }}",
        f"{QUIET}void __VERIFIER_assume(int condition) {{ if (!condition) _exit(0); }}",
    ]
    lines += [
        f"{QUIET}{TYPES[width]} {name}() {{ return ({TYPES[width]})input(); }}"
        if width
        else f"{QUIET}void {name}() {{ }}"
        for name, width in sorted(functions.items())
        if name not in defined
    ]
    lines += [f"{QUIET}{reading_functions.text_of(name)}" for name in reading]
    lines += [
        f"void *__real_{name}{ALLOCATING[name]}; {QUIET}void *__wrap_{name}{ALLOCATING[name]}"
        f" {{ return input() ? __real_{name}({'n' if name == 'malloc' else 'n, m'}) : 0; }}"
        for name in allocating
    ]
    failing = [name for name in ("reach_error", "__VERIFIER_error") if name not in defined]
    lines += [f"{QUIET}void {name}() {{ {REACHED_FUNCTION}(); }}" for name in failing]
    lines += _setting(run.unset)
    if watched:
        lines += [
            f"extern void {watched}();",
            f"{QUIET}void __cyg_profile_func_enter(void *function, void *site)",
            f"{{ if (function == (void *){watched}) {REACHED_FUNCTION}(); }}",
            f"{QUIET}void __cyg_profile_func_exit(void *function, void *site) {{ }}",
        ]
    text = "\n".join(lines) + "\n"
    return text if watched else text.replace(QUIET, "")


def _escaped(text: str) -> str:
    plain = "".join(one if " " <= one <= "~" else "?" for one in text)
    return plain.replace("\\", "\\\\").replace('"', '\\"')


def _telling(assertion: str) -> list[str]:
    if not assertion:
        return [f"{{ {REACHED_FUNCTION}(); }}"]
    return [
        f'{{ static const char wanted[] = "{assertion}"; unsigned n = 0;',
        "  while (wanted[n] && wanted[n] == a[n]) ++n;",
        f"  if (wanted[n] == a[n]) {REACHED_FUNCTION}(); _exit({ANOTHER}); }}",
    ]


def _setting(unset: Sequence[Unset]) -> list[str]:
    """Of the variables that nobody has set: each time that a declaration is passed, its next content."""
    if not unset:
        return []
    numbers = {spot: number for number, spot in enumerate(spots_to_set(unset))}
    content = b"".join(one.content for one in unset)
    rows = ", ".join(f"{{{numbers[one.spot]}, {len(one.content)}}}" for one in unset)
    return [
        f"static const struct {{ unsigned variable, size; }} unset[] = {{{rows}}};",
        f"static const unsigned char contents[] = {{{', '.join(map(str, content))}}};",
        "static unsigned next_unset, next_content;",
        f"{QUIET}void {SET}(unsigned variable, void *object, unsigned long size)",
        f"{{ while (next_unset < {len(unset)} && unset[next_unset].variable != variable)",
        "    next_content += unset[next_unset++].size;",  # a declaration that could not be marked
        f"  if (next_unset < {len(unset)}) {{",
        "    unsigned n = unset[next_unset++].size;",
        "    for (unsigned i = 0; i < n; i++, next_content++)",
        "      if (i < size) ((char *)object)[i] = contents[next_content]; } }",
    ]


def spots_to_set(unset: Sequence[Unset]) -> list[Spot]:
    return list(dict.fromkeys(one.spot for one in unset))


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
    def texts(self) -> Sequence[str]: ...
    @property
    def woven(self) -> Sequence[str]: ...
    @property
    def as_read(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Repetition:
    """A failing run as files and a command: what is executed here, and what a user is given."""

    harness: str
    texts: Sequence[str]  # of the program, where it cannot be compiled as it stands
    files: Sequence[Path]  # of the program, where it can
    flags: Sequence[str]
    arguments: Sequence[str]
    signals: Sequence[int] = ()  # that are the failure

    def command(self, harness: str, texts: Sequence[str], output: str) -> list[str]:
        sources = [*texts] if self.texts else [*map(str, self.files)]
        return ["gcc", *self.flags, *sources, harness, "-o", output]


def repetition(
    program: Compilable,
    model: DataModel,
    run: FailingRun,
    externals: Mapping[str, int],
    defined: frozenset[str],
    *,
    by_name: bool = False,
) -> Repetition:
    """`by_name`: of the files themselves, where they can be compiled as they stand, for whoever wants to do
    so; else of the text that was read, whatever is in the files now."""
    watched = next((one for one in ("reach_error", "__VERIFIER_error") if one in defined), "")
    checks = CHECKED_BY_GCC.get(run.kind, ())
    how = [*FLAGS, *checks, *([] if run.kind == "overflow" else ["-fwrapv"])]
    how += ["-finstrument-functions"] if watched else []
    text = harness(run, externals, defined, watched)
    how += [f"-Wl,--wrap={name}" for name in ALLOCATING if f"__wrap_{name}" in text]
    texts = list(program.woven or (() if by_name else program.as_read))
    if run.unset:
        wanted = spots_to_set(run.unset)
        texts = [with_values_set(without_prelude(one), wanted, PRELUDE) for one in program.texts]
    flags = [*how, model.flag, *([] if texts else program.flags)]
    arguments = ["argument"] * run.arguments
    return Repetition(text, texts, program.files, flags, arguments, SIGNALS.get(run.kind, ()))


def execute(run: Repetition, model: DataModel) -> Executed:
    if shutil.which("gcc") is None:
        return Executed(False, "gcc was not found")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "harness.c").write_text(run.harness)
        texts = []
        for number, text in enumerate(run.texts):
            texts.append(str(folder / f"program{number}.c"))
            Path(texts[-1]).write_text(text, errors="surrogateescape")
        compiled = folder / "program"
        command = run.command(str(folder / "harness.c"), texts, str(compiled))
        problem = _compiled(command)
        if problem and model.pointer == 32:  # there may be no library of 32 bits
            texts_ = {**written_functions.TEXTS, **written_functions.READING}
            written = "\n".join(f"WEAK {one}" for one in texts_.values())
            (folder / "library.c").write_text(f"{freestanding.TEXT}\n#define size_t size\n{written}\n")
            problem = _compiled([*command, str(folder / "library.c"), *freestanding.FLAGS])
        if problem:
            return Executed(False, problem)
        return _ran(compiled, folder, run)


def _compiled(command: Sequence[str]) -> str:
    """What went wrong."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "gcc needed too long"
    if done.returncode != 0:
        return "it could not be linked: " + (done.stderr.strip().splitlines() or [""])[-1][:200]
    return ""


def _ran(program: Path, folder: Path, run: Repetition) -> Executed:
    watches_memory = "-fsanitize=address" in run.flags  # it needs terabytes of addresses

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        if not watches_memory:
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    try:
        done = subprocess.run(
            [str(program), *run.arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            cwd=folder,
            env={
                "PATH": os.defpath,
                "ASAN_OPTIONS": f"exitcode={REACHED}:detect_leaks=0:hard_rss_limit_mb=1024",
            },
            preexec_fn=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Executed(False, f"it ran for more than {SECONDS} s")
    if done.returncode == REACHED:
        return Executed(True, "the compiled program fails with these inputs")
    if -done.returncode in run.signals:
        return Executed(True, "the compiled program fails with these inputs")
    if done.returncode == EMPTY:
        return Executed(False, "it asked for more inputs than the run has")
    if done.returncode == ANOTHER:
        return Executed(False, "another assertion fails before")
    if done.returncode < 0:
        return Executed(False, f"it was ended by signal {-done.returncode}")
    return Executed(False, f"it ended with {done.returncode} and did not fail")
