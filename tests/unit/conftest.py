"""A small model written by hand in C, and a front end for it: `model.counter`."""

import subprocess
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

from assay import languages
from assay.transition_system.interface import (
    Capabilities,
    Opening,
    SourceHash,
    SourceProblem,
    StepFacts,
    TemporalProperty,
    Unchecked,
    ViolationFacts,
    Waiting,
)
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.native_interface import include_directory

SOURCE = Path(__file__).parent / "models" / "counter.c"


@pytest.fixture(scope="session")
def compile_counter(tmp_path_factory):
    """Compiles counter.c with the given macros, once for each set of them."""
    compiled: dict[tuple[str, ...], Path] = {}
    folder = tmp_path_factory.mktemp("models")

    def compile_with(*macros: str) -> Path:
        if macros not in compiled:
            library = folder / f"counter-{len(compiled)}.so"
            command = ["gcc", "-shared", "-fPIC", "-O1", f"-I{include_directory()}"]
            command += [f"-D{macro}" for macro in macros]
            subprocess.run([*command, str(SOURCE), "-o", str(library)], check=True)
            compiled[macros] = library
        return compiled[macros]

    return compile_with


@dataclass(frozen=True)
class CounterProgram:
    """Implements Program by hand."""

    capabilities = Capabilities(threads=True, on_disk=True, lossy=True, apart=True)

    library: Path
    sources: tuple[SourceHash, ...]
    caveats: tuple[str, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    monitors: tuple[tuple[str, str], ...] = ()
    temporal: tuple[TemporalProperty, ...] = ()
    process_limit: int = 0
    notes: tuple[str, ...] = ()
    language: str = "counter"
    semantics: dict[str, object] = field(default_factory=dict)
    file: str = "model.counter"

    @property
    def opening(self) -> Opening:
        return Opening(str(self.library))

    def opened(self) -> "CounterProgram":
        return self

    def doubts(self, untracked: object) -> tuple[str, ...]:
        return ()

    def knowing(self, descriptions: object) -> "CounterProgram":
        return self

    def describe_violation(self, code: int) -> ViolationFacts:
        if code == 0:
            return ViolationFacts("deadlock", "nobody can go on")
        return ViolationFacts("assertion", f"assertion {code} failed", self.file, 3)

    def describe_state(self, state: bytes) -> dict[str, object]:
        return {"number": int.from_bytes(state[:8], "little") - 1}

    def describe_step(self, before: bytes, process: int, transition: int) -> StepFacts:
        return StepFacts(f"counter[{process}]", self.file, transition + 1, f"number += {transition}")

    def describe_waiting(self, state: bytes) -> tuple[Waiting, ...]:
        return (Waiting("counter[0]", self.file, 9, "number < LAST"),)


@pytest.fixture
def counter_language(monkeypatch, compile_counter):
    """A front end for files ending in .counter: words of the file are macros for counter.c."""

    def load(path: Path, options: LanguageOptions) -> CounterProgram:
        text = path.read_text()
        if "nonsense" in text:
            raise SourceProblem("expected a macro, got nonsense", where=f"{path}:1:5")
        macros = tuple(word for word in text.split() if not word.startswith("caveat"))
        return CounterProgram(
            library=compile_counter(*macros),
            sources=(SourceHash(str(path), sha256(text.encode()).hexdigest()),),
            caveats=("a claim was not checked",) if "caveat" in text else (),
            file=str(path),
        )

    module = type("CounterFrontEnd", (), {"load": staticmethod(load)})
    monkeypatch.setitem(languages.SUFFIXES, ".counter", "counter")
    monkeypatch.setitem(languages.FRONT_ENDS, "counter", "counter front end")
    original = languages.import_module
    monkeypatch.setattr(
        languages, "import_module", lambda name: module if name == "counter front end" else original(name)
    )
    return load
