"""The embedded C of a model -> an image: one linked program for a fixed address.

Every file that the compiler reads goes through its preprocessor first, once; what is compiled is the text
that came out. Nothing of a C library is linked in: what the code calls of it is served by the engine
(`library`) or by a part of the image itself (`support.c`).
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from assay import _engine
from assay.languages.promela.compiler import COMPILE_SECONDS, environment
from assay.languages.promela.embedded_c import instructions, path_coverage
from assay.languages.promela.embedded_c.elf import Elf
from assay.languages.promela.embedded_c.image_source import shared_text
from assay.languages.promela.embedded_c.library import OF_SPIN, SETS_ERRNO, STATELESS, is_of_library
from assay.languages.promela.embedded_c.variables import Variables, value_of
from assay.languages.promela.preprocess import dependencies, read_source
from assay.languages.promela.syntax import Location, SourceFile
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct
from assay.transition_system.language_options import LanguageOptions

HEAP_BYTES = 64 << 20  # as in support.c
LARGEST_COPIED = 4096  # bytes of memory that states hold as they are
OF_THE_SYSTEM = frozenset(["-lm", "-lc", "-lpthread", "-lrt", "-ldl"])  # whatever of it is allowed is there
SANITIZER_FLAGS = (
    *("-O1", "-fno-wrapv", "-fsanitize=undefined", "-fsanitize=kernel-address"),
    *("--param", "asan-instrumentation-with-call-threshold=0", "--param", "asan-stack=0"),
)
# What compilers consist of and read by themselves.
OF_COMPILERS = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/opt", "/nix/store", "/gnu/store"),
    *("/etc/alternatives", "/etc/ld.so.cache"),
)
BASE_ADDRESS = 0x1A5500000000  # as in engine/transition_system/foreign/image.hpp
COMPILER_FLAGS = (
    *("-g", "-O2", "-fPIE", "-w", "-fno-common", "-ffunction-sections", "-fdata-sections"),
    # What a program leaves open has one meaning, the same everywhere.
    *("-fwrapv", "-fno-strict-aliasing", "-ftrivial-auto-var-init=zero", "-ffp-contract=off"),
    *("-fno-stack-protector", "-U_FORTIFY_SOURCE", "-fcf-protection=none", "-fno-builtin-printf", "-fno-plt"),
)
LINKER_FLAGS = (
    *("-nostdlib", "-static", "-no-pie", f"-Wl,-Ttext-segment={BASE_ADDRESS:#x}", "-Wl,-e,assay_table"),
    *("-Wl,--gc-sections", "-Wl,-z,relro", "-Wl,-z,noexecstack", "-Wl,-z,max-page-size=4096"),
    # On pages of their own, and too far from variables for an index that is a little too large.
    f"-Wl,--section-start=assay_private={BASE_ADDRESS + (1 << 30):#x}",
    f"-Wl,--section-start=assay_scratch={BASE_ADDRESS + (3 << 29):#x}",
    "-Wl,--wrap=__isoc99_vsscanf",  # support.c calls it in the place of others
    *("-Wl,--build-id=none", "-Wl,--no-dynamic-linker"),
    "-Wl,--no-relax",  # the address of a function that is not there yet is too far away to be put into code
)
_DIAGNOSTIC = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<message>.*)$", re.MULTILINE
)
_UNDEFINED = re.compile(r"^(?P<place>.*?): warning: undefined reference to `(?P<name>[^']+)'", re.MULTILINE)
_ALLOWED = {
    "--cflags": re.compile(r"-(?:[DUI].+|O[0-3sg]?|std=[\w+:]+|f[\w=:-]+|m[\w=-]+|W[\w=-]*|g|w|pedantic)\Z"),
    "--ldflags": re.compile(r"-L.+|-l[\w.+-]+\Z|[^-@].*\.[ao]\Z"),
}
_DANGEROUS = re.compile(
    r"-f(?:plugin|use-ld|dump|profile|auto-profile|branch-prob|callgraph|test-coverage|condition-coverage|opt-info"
    r"|self-test|save-|stack-usage|diagnostics-format|compare-debug|module|ada-|pch|lto|wpa|ltrans|resolution)"
)
_NO_LIBRARY = re.compile(r"cannot find -l(?P<name>[^\s:]+)")
_TWICE = re.compile(r"multiple definition of `(?P<name>[^']+)'")
_INSTEAD = "write a version of it for the model, or use --tracking declared, which lets it happen"
_OF_OURS = re.compile(r"\bassay_\w*|\bASSAY_\w*")
_PLACE = re.compile(r"(?P<file>[^:]+):(?P<line>\d+)\Z")


class BuiltImage:
    """An image, with the information for debuggers, and the files that it was made from besides the model."""

    def __init__(
        self,
        content: bytes,
        sources: Sequence[SourceFile],
        *,
        only_declared: bool,
        blocks: Sequence[path_coverage.Block] = (),
        reaching_out: Sequence[str] = (),
    ) -> None:
        self.content = content
        self.reaching_out = tuple(reaching_out)
        self.blocks = tuple(blocks)
        self.elf = Elf(content)
        self.sources = tuple(sources)
        self.only_declared = only_declared

    @property
    def covered(self) -> tuple[int, int] | None:
        """Where it is noted which blocks were come to: address and length."""
        return (self.elf.addresses[path_coverage.COVERED], len(self.blocks) + 1) if self.blocks else None

    @property
    def heap_bytes(self) -> int:
        """Room for what it allocates, if anything in it does."""
        return HEAP_BYTES if {"assay_allocated", "free"} & self.elf.addresses.keys() else 0

    @property
    def caveats(self) -> list[str]:
        """What of it no search can see and put back, and nobody compares: with what is declared alone."""
        found = []
        if self.reaching_out:
            names = ", ".join(f"'{name}'" for name in self.reaching_out)
            found.append(f"embedded C calls {names}, and what that does outside of the model is not undone")
        return found

    @cached_property
    def tracks(self) -> list[tuple[int, bool]]:
        """The size of each c_track, and whether it is matched."""
        at = self.elf.addresses["assay_tracks"]
        entries = [self.read(at + 32 * number, 32) for number in range(self.track_count)]
        return [(int.from_bytes(e[8:16], "little"), e[16] != 0) for e in entries]

    @property
    def track_count(self) -> int:
        return self._table(19)

    @property
    def is_numbered(self) -> bool:
        """Do states hold numbers of the memory's content, instead of the memory itself?"""
        return bool(self.heap_bytes and not self.only_declared) or self.memory_bytes > LARGEST_COPIED

    @property
    def slot_bytes(self) -> int:
        """Of a state: the memory, or a number for each run of it (each c_track may cut one in two)."""
        if self.is_numbered:
            return 24 * (len(self.writable) + 1 + 2 * self.track_count)
        return self.memory_bytes

    @property
    def has_unmatched(self) -> bool:
        return any(not is_matched for _, is_matched in self.tracks)

    @cached_property
    def writable(self) -> list[tuple[int, int]]:
        """The runs of memory that are part of the state: address and length, as the engine finds them."""
        symbols = self.elf.addresses
        now = symbols["now"]
        left_out = [
            (symbols["__start_assay_private"], symbols["__stop_assay_private"]),
            (symbols["__start_assay_scratch"], symbols["__stop_assay_scratch"]),
            (now, now + self.mirrored_bytes),
            *((s.address, s.address + s.bytes) for s in self.elf.segments if s.is_constant),
        ]
        ranges = [(s.address, s.address + s.bytes) for s in self.elf.segments if s.is_writable]
        for begin, end in left_out:
            ranges = [
                part
                for first, last in ranges
                for part in ((first, min(begin, last)), (max(end, first), last))
                if part[0] < part[1]
            ]
        return [(begin, end - begin) for begin, end in sorted(ranges)]

    @cached_property
    def mirrored_bytes(self) -> int:
        return self._table(4)

    def _table(self, number: int) -> int:
        """A field of `assay_table` in image.h."""
        return int.from_bytes(self.read(self.elf.addresses["assay_table"] + 8 * number, 8), "little")

    @cached_property
    def variables(self) -> Variables:
        return Variables(self.content, self.mirrored_bytes)

    def values_in(self, memory: bytes) -> dict[str, object]:
        """What the variables hold, if the memory (all that is writable, run by run) is known."""
        if not memory:
            return {}

        def read(address: int, length: int) -> bytes:
            at = 0
            for begin, size in self.writable:
                if begin <= address and address + length <= begin + size:
                    return memory[at + address - begin : at + address - begin + length]
                at += size
            return bytes(length)

        names = [variable.name for variable in self.variables.all]
        return {
            variable.name
            if names.count(variable.name) == 1
            else f"{variable.name} ({variable.place})": value_of(variable.type, variable.address, read)
            for variable in self.variables.all
            if any(begin <= variable.address < begin + size for begin, size in self.writable)
        }

    @property
    def memory_bytes(self) -> int:
        """That is part of the state, without the heap."""
        if self.only_declared:  # and what c_state puts into `now`
            return sum(size for size, _ in self.tracks) + self._table(21) - self.mirrored_bytes
        return sum(length for _, length in self.writable)

    def read(self, address: int, length: int) -> bytes:
        """What stands at an address before anything has happened."""
        for segment in self.elf.segments:
            if segment.is_loaded and segment.address <= address < segment.address + segment.bytes:
                at = segment.offset + address - segment.address
                end = min(at + length, segment.offset + segment.file_bytes)
                return self.elf.content[at:end].ljust(length, b"\0")
        raise ValueError(f"the image has no address {address:#x}")


def build_image(source: str, folder: Path, where: Location, options: LanguageOptions) -> BuiltImage:
    """Raises SourceProblem with the place in the model for what does not compile or link."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise SourceProblem("this model has embedded C, and no C compiler was found", hint="install gcc")
    with tempfile.TemporaryDirectory(prefix="assay-image-") as private:
        build = _Build(compiler, Path(private), folder, where, options)
        content = build.run(source)
        only_declared = options.tracking == "declared"
        return BuiltImage(
            content,
            build.sources,
            only_declared=only_declared,
            blocks=build.blocks,
            reaching_out=build.reaching_out,
        )


def probe(source: str, folder: Path, where: Location, options: LanguageOptions) -> dict[str, bytes]:
    """The content of each variable of a text."""
    compiler = shutil.which("gcc") or shutil.which("cc") or "gcc"
    with tempfile.TemporaryDirectory(prefix="assay-probe-") as private:
        content = _Build(compiler, Path(private), folder, where, options).run_probe(source)
    image = BuiltImage(content, (), only_declared=False)
    return {s.name: image.read(s.address, s.bytes) for s in image.elf.symbols() if s.kind == 1 and s.bytes}


class _Build:
    def __init__(
        self, compiler: str, private: Path, folder: Path, where: Location, options: LanguageOptions
    ) -> None:
        self._compiler = compiler
        self._private = private
        self._folder = folder
        self._where = where
        self._options = options
        self._flags = [flag for text in options.cflags for flag in _split(text, "--cflags")]
        self._libraries = [flag for text in options.ldflags for flag in _split(text, "--ldflags")]
        self._read: dict[str, SourceFile] = {}
        self.blocks: list[path_coverage.Block] = []  # that are noted when they are come to
        self.reaching_out: list[str] = []  # functions whose effects nobody can put back

    @property
    def sources(self) -> list[SourceFile]:
        return list(self._read.values())

    def run(self, source: str) -> bytes:
        (self._private / "image.h").write_text(shared_text("image.h"), encoding="utf-8")
        own = [f"-I{self._private}"]
        if self._options.audit_tracking or self._options.sanitize:
            own.append("-DASSAY_PLACES")
        if self._options.sanitize:
            own.append("-DASSAY_SANITIZE")
        checks = SANITIZER_FLAGS if self._options.sanitize else ()
        notes_paths = path_coverage.is_asked(self._options)
        if notes_paths:
            checks = (*checks, *path_coverage.COMPILER_FLAGS)
        objects = [self._compile(source, "model", self._folder, *self._flags, *checks, numbered=notes_paths)]
        for number, name in enumerate(self._options.c_sources):
            objects.append(
                self._compile_file(name, f"source-{number}", *self._flags, *checks, numbered=notes_paths)
            )
        if notes_paths:
            support = path_coverage.support(self.blocks)
            objects.append(self._compile(support, "paths", self._private, *own, "-g0"))
        objects.append(self._compile(shared_text("support.c"), "support", self._private, *own))
        if self._options.sanitize:
            objects.append(self._compile(shared_text("sanitizer.c"), "sanitizer", self._private, *own))
        image = self._private / "image"
        missing = self._link(image, objects)
        imports = self._private / "imports.s"
        imports.write_text(_stubs([name for name, _ in missing]), encoding="ascii")
        for name, place in missing:
            if name in STATELESS:
                continue
            if self._options.tracking != "declared" or not is_of_library(name):
                raise _refused(name, place)
            self.reaching_out.append(name)
        left = self._link(image, [*objects, imports])
        if left:
            raise SourceProblem(f"embedded C uses '{left[0][0]}', which nobody defines", where=left[0][1])
        content = image.read_bytes()
        if Elf(content).has_thread_locals:
            raise UnsupportedConstruct("embedded C has variables of threads (__thread)", where=self._where)
        self._require_known_instructions(image)
        return content

    def _require_known_instructions(self, image: Path) -> None:
        outcome = self._run(instructions.command(image), "")
        if outcome.returncode != 0:
            raise SourceProblem(f"embedded C cannot be looked through: {outcome.stderr.decode()[:1000]}")
        for name, function, what in instructions.found_in(outcome.stdout.decode(errors="replace")):
            if self._options.tracking != "declared":
                raise UnsupportedConstruct(
                    f"embedded C executes '{name}' in {function}(), which {what}",
                    where=self._where,
                    hint=_INSTEAD,
                )
            self.reaching_out.append(name)

    def run_probe(self, source: str) -> bytes:
        target = self._private / "probe"
        model = self._compile(source, "probe", self._folder, *self._flags)
        flags = [flag for flag in LINKER_FLAGS if "assay_table" not in flag and "gc-sections" not in flag]
        command = [
            self._compiler,
            *flags,
            "-Wl,-e,0",
            "-Wl,--unresolved-symbols=ignore-all",
            "-o",
            str(target),
        ]
        outcome = self._run([*command, str(model)], "")
        if outcome.returncode != 0:
            raise self._unlinked(outcome.stderr.decode(errors="replace"))
        return target.read_bytes()

    def _compile_file(self, name: str, target: str, *flags: str, numbered: bool) -> Path:
        source = read_source(name)
        self._read[name] = source
        require_own_names(source.text, Location(name, 1, 1))
        escaped = name.replace("\\", "\\\\").replace('"', '\\"')
        text = f'# 1 "{escaped}"\n{source.text}'
        return self._compile(text, target, Path(name).parent, *flags, numbered=numbered)

    def _compile(self, text: str, name: str, folder: Path, *flags: str, numbered: bool = False) -> Path:
        """Through the preprocessor first: what it read is told, and what it wrote is compiled."""
        target, names = self._private / f"{name}.o", self._private / f"{name}.d"
        common = [self._compiler, *COMPILER_FLAGS, *flags, f"-iquote{folder}", "-x"]
        expanded = self._run([*common, "c", "-E", "-MMD", "-MF", str(names), "-MT", "model", "-"], text)
        if expanded.returncode != 0:
            raise self._problem_of(expanded.stderr.decode(errors="replace"))
        for included in dependencies(names.read_text(encoding="utf-8", errors="surrogateescape")):
            if included != "-" and not included.startswith(str(self._private)) and included not in self._read:
                source = read_source(included)
                require_own_names(source.text, Location(included, 1, 1))
                self._read[included] = source
        plain = expanded.stdout.decode("utf-8", "surrogateescape")
        how = ["-S", "-o", "-", "-"] if numbered else ["-c", "-o", str(target), "-"]
        outcome = self._run([*common, "cpp-output", *how], plain)
        if outcome.returncode == 0 and numbered:
            assembly = outcome.stdout.decode("utf-8", "surrogateescape")
            found = path_coverage.instrumented(assembly, len(self.blocks) + 1)
            self.blocks += found.blocks
            outcome = self._run(
                [self._compiler, "-x", "assembler", "-c", "-o", str(target), "-"], found.assembly
            )
        if outcome.returncode != 0:
            raise self._problem_of(outcome.stderr.decode(errors="replace"))
        if Elf(target.read_bytes()).puts_code_on_the_stack:
            raise UnsupportedConstruct(
                "embedded C takes the address of a function within a function, which is code on the stack",
                where=self._where,
                hint="move the inner function out, and give it what it uses",
            )
        return target

    def _link(self, target: Path, objects: Sequence[Path]) -> list[tuple[str, Location]]:
        """Links, and answers what is missing, each with the first place that uses it."""
        command = [self._compiler, *LINKER_FLAGS, "-Wl,--warn-unresolved-symbols", "-o", str(target)]
        libraries = [flag for flag in self._libraries if flag not in OF_THE_SYSTEM]
        outcome = self._run([*command, *map(str, objects), *libraries], "")
        words = outcome.stderr.decode(errors="replace")
        missing = dict(reversed(list(self._undefined(words))))
        found = [(name, place) for name, place in missing.items() if not name.startswith("assay_import")]
        if outcome.returncode != 0:
            for name, place in found:  # a variable that nobody defines lies too far away for the linker
                if not is_of_library(name) or re.search(rf"relocation[^\n]*`{re.escape(name)}'", words):
                    raise _refused(name, place)
            raise self._unlinked(words)
        return found

    def _unlinked(self, words: str) -> SourceProblem:
        missing = _NO_LIBRARY.search(words)
        if missing is not None:
            return SourceProblem(
                f"there is no static library '{missing['name']}'",
                where=self._where,
                hint=f"--ldflags needs lib{missing['name']}.a and its folder (-L): what a shared library "
                "keeps cannot be part of a state",
            )
        twice = _TWICE.search(words)
        if twice is not None:
            return SourceProblem(f"embedded C defines '{twice['name']}' twice", where=self._where)
        return SourceProblem(f"embedded C cannot be linked: {words.strip()[:1000]}", where=self._where)

    def _undefined(self, words: str) -> Iterator[tuple[str, Location]]:
        for found in _UNDEFINED.finditer(words):
            place = _PLACE.search(found["place"])
            where = Location(place["file"], int(place["line"]), 1) if place is not None else self._where
            yield found["name"], where

    def _run(self, command: Sequence[str], text: str) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                command,
                input=text.encode("utf-8", "surrogateescape"),
                capture_output=True,
                check=False,
                timeout=COMPILE_SECONDS,
                env={**environment(), "TMPDIR": str(self._private)},
                preexec_fn=self._confined if self._options.foreign_code else None,
            )
        except subprocess.SubprocessError as problem:
            if isinstance(problem, subprocess.TimeoutExpired):
                raise SourceProblem(
                    f"compiling the embedded C takes more than {COMPILE_SECONDS} seconds", where=self._where
                ) from None
            raise SourceProblem(
                "this system cannot confine the compiler of embedded C (landlock and seccomp of Linux 5.13)"
            ) from None

    def _confined(self) -> None:
        """In the process that becomes a compiler: what a stranger's text makes it read is what belongs to it,
        and what it makes it write lies in a folder that is gone afterwards."""
        own = [self._folder, *(Path(name).parent for name in self._options.c_sources)]
        named = [flag[2:] for flag in [*self._flags, *self._libraries] if flag[:2] in {"-I", "-L"}]
        files = [flag for flag in self._libraries if not flag.startswith("-")]
        if not _engine.confine_compiler(
            [*OF_COMPILERS, *map(str, own), *named, *files], [str(self._private), "/dev/null"]
        ):
            raise OSError("not confined")

    def _problem_of(self, diagnostics: str) -> SourceProblem:
        found = _DIAGNOSTIC.search(diagnostics)
        if found is None:
            return SourceProblem(
                f"embedded C does not compile: {diagnostics.strip()[:1000]}", where=self._where
            )
        where = Location(found["file"], int(found["line"]), int(found["column"] or 1))
        return SourceProblem(f"embedded C does not compile: {found['message']}", where=where)


def require_own_names(text: str, where: Location) -> None:
    """What is called assay_ may lie where nothing is part of the state."""
    found = _OF_OURS.search(text)
    if found is not None:
        line = where.line + text.count("\n", 0, found.start())
        raise SourceProblem(
            f"embedded C uses the name '{found[0]}'",
            where=Location(where.file, line, 1),
            hint="names that begin with assay_ are those of Assay",
        )


def _split(text: str, flag: str) -> list[str]:
    """Flags that decide what is compiled and linked, and nothing that makes a compiler run other programs: a
    trace brings its flags along."""
    try:
        flags = shlex.split(text)
    except ValueError as problem:
        raise SourceProblem(f"{flag} {text!r} is no list of flags: {problem}") from None
    for one in flags:
        if flag == "--ldflags" and not one.startswith("-"):
            _require_objects(one)
        if _ALLOWED[flag].match(one) is None or _DANGEROUS.match(one) is not None:
            raise SourceProblem(
                f"{flag} {one!r} is not allowed here",
                hint="-D -U -I -O -std= -f -m -W"
                if flag == "--cflags"
                else "-Lfolder, -lname and files that end in .a or .o",
            )
    return flags


def _require_objects(name: str) -> None:
    """What is neither an archive nor an object is a script to a linker, which may read and place anything."""
    try:
        with Path(name).open("rb") as file:
            begins = file.read(8)
    except OSError as problem:
        raise SourceProblem(f"--ldflags {name!r}: {problem.strerror}") from None
    if begins != b"!<arch>\n" and not begins.startswith(b"\x7fELF"):
        raise SourceProblem(f"--ldflags {name!r} is no archive and no object file")


def _refused(name: str, place: Location) -> SourceProblem:
    if is_of_library(name):
        return UnsupportedConstruct(
            f"embedded C calls '{name}', which reaches out of the model or keeps a state that nobody can "
            "put back",
            where=place,
            hint=_INSTEAD,
        )
    if name in OF_SPIN:
        return UnsupportedConstruct(
            f"embedded C uses '{name}' of SPIN's verifier, which reaches into how that keeps its states",
            where=place,
            hint="copy what the code needs to know into a variable of the model, and read it as now.x",
        )
    return SourceProblem(
        f"embedded C uses '{name}', which nobody defines",
        where=place,
        hint="give the file that has it with --c-source, or its library with --ldflags",
    )


def _taking_errno(target: str) -> list[str]:
    """The system's errno is not the one that the code sees: that one is part of the state."""
    return [
        "popq assay_return_address(%rip)",
        f"call {target}",
        "pushq assay_return_address(%rip)",
        "movq assay_system_errno(%rip), %r11",
        "movl (%r11), %r10d",
        "testl %r10d, %r10d",
        "je 1f",
        "movl %r10d, assay_error_number(%rip)",
        "movl $0, (%r11)",
        "1: ret",
    ]


def _stubs(names: Sequence[str]) -> str:
    """Calls of what is missing jump through a table that the engine fills in."""
    lines = [".text"]
    for number, name in enumerate(names):
        lines += [f".globl {name}", f".type {name},@function", f"{name}:"]
        target = f"*assay_imports+{8 * number}(%rip)"
        lines += _taking_errno(target) if name in SETS_ERRNO else [f"jmp {target}"]
    lines += ['.section assay_scratch,"aw"', ".balign 8", "assay_return_address: .quad 0"]
    lines += ['.section assay_private,"aw"', ".balign 4096", ".globl assay_imports", "assay_imports:"]
    lines += [f".zero {8 * len(names) + 8}", ".balign 4096"]
    lines += ['.section .rodata.assay_imports,"a"', ".balign 8"]
    lines += [".globl assay_import_names", "assay_import_names:"]
    lines += [f".quad .Lname{number}" for number in range(len(names))] + [".quad 0"]
    for number, name in enumerate(names):
        lines += [f".Lname{number}:", f'.asciz "{name}"']
    lines += [".globl assay_import_count", f"assay_import_count = {len(names)}"]
    lines += ['.section .note.GNU-stack,"",@progbits', ""]
    return "\n".join(lines)
