"""The program that a certificate is about: compiled as the certificate says, here or elsewhere."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from assay import languages
from assay.evidence.certificate import PYTHON_CLASS as CLASS
from assay.evidence.certificate.header import CertificateProblem, Header, shown_name, shown_text
from assay.records import dataclass
from assay.transition_system.expressions import Expression
from assay.transition_system.interface import Program, SourceProblem, TemporalProperty
from assay.transition_system.language_options import LanguageOptions, OptionProblem

PYTHON = "python"
NO_PACKAGES = "no packages"  # an empty folder beside what was shipped


def require_agreement(program: Program, added: LanguageOptions) -> None:
    """Nobody's C is executed before somebody has said that it may be."""
    if program.capabilities.foreign and not added.foreign_code:
        raise SourceProblem(
            "this program has C in it, which is executed while the certificate is checked, in a process that "
            "reaches no network, starts nothing and changes no file",
            hint="say --foreign-code if you agree",
        )


def load_for(path: Path, header: Header, added: LanguageOptions) -> Program:
    """Compile the program as the certificate says; refuse if it is another one."""
    semantics = header.semantics
    if languages.names_a_class(str(path)):
        _require_class(path, header)
    temporal = header.temporal
    options = LanguageOptions(
        invariants=header.properties.invariants,
        step_invariants=header.properties.step_invariants,
        reductions=frozenset(texts_of(semantics, "reductions")),
        safety_only=semantics.get("safety_only") is True,
        defines=texts_of(semantics, "defines"),
        granularity=str(semantics.get("granularity", "")),
        python=added.python,
        not_final=texts_of(semantics, "not_final"),
        ltl=temporal.ltl if temporal else (),
        progress=temporal.progress if temporal else False,
        fair=temporal.fair if temporal else False,
        terminates=temporal.terminates if temporal else False,
        portable=True,
        c_sources=added.c_sources,
        cflags=added.cflags,
        ldflags=added.ldflags,
        sanitize=added.sanitize,
        foreign_code=added.foreign_code,
        readable=added.readable,
        # What the file is called does not matter; the text will be compared before anything else is.
        # A class says itself what it is.
        language=""
        if languages.names_a_class(str(path)) or path.suffix.lower() in languages.SUFFIXES
        else header.language,
    )
    try:
        program = languages.load(path, options, sha256=header.sources[0].sha256)
    except OptionProblem as problem:  # the options are the stranger's
        raise CertificateProblem(
            f"the program cannot be compiled as the certificate says: {problem}"
        ) from problem
    except languages.AnotherText as other:
        raise CertificateProblem(f"the certificate is about another program text: {other} differs") from None
    except SourceProblem as problem:
        if not path.exists() or path.is_dir() or not os.access(path, os.R_OK):
            raise
        raise CertificateProblem(
            f"the program cannot be compiled as the certificate says: {problem}"
        ) from problem
    if program.language != header.language:
        raise CertificateProblem(
            f"the certificate is about a program in {header.language}, this one is in {program.language}"
        )
    require_same_texts(header, [(Path(source.path).name, source.sha256) for source in program.sources])
    if _canonical(program.semantics) != _canonical(semantics):
        raise CertificateProblem(
            "the certificate was made under other semantics than this Assay has"
            f"{_difference(semantics, program.semantics)}"
        )
    require_agreement(program, added)
    if program.caveats:
        raise CertificateProblem(f"such a certificate proves nothing: {'; '.join(program.caveats)}")
    _require_same_parts(header, program)
    if not (added.invariants or added.step_invariants):
        return program
    more = languages.load(
        path,
        replace(
            options,
            invariants=tuple(dict.fromkeys((*options.invariants, *added.invariants))),
            step_invariants=tuple(dict.fromkeys((*options.step_invariants, *added.step_invariants))),
        ),
        sha256=header.sources[0].sha256,
    )
    if [source.sha256 for source in more.sources] != [source.sha256 for source in program.sources]:
        raise CertificateProblem("the program changed while it was read")
    if more.graph != program.graph:
        raise SourceProblem(
            "the graph in the certificate was reduced in a way that may hide what the added invariant "
            "is about",
            where=path,
            hint="ask the producer to verify with this invariant, or with --no-reductions",
        )
    return more


def _require_same_parts(header: Header, program: Program) -> None:
    """A part for each property of runs that the program has, compiled with what the claim asks for, in
    its order: none left out, none twice, none about something else."""
    parts = header.temporal.parts if header.temporal else ()
    wanted = [(one.kind, one.name, one.text) for one in program.temporal]
    if wanted and not parts:
        raise CertificateProblem(
            "the program claims something of runs that never end, which the certificate does not cover; "
            "its producer can verify with --safety, and say so"
        )
    claimed = [(part.kind, part.name, part.text) for part in parts]
    if claimed != wanted:
        shown = ", ".join(shown_text(f"{name}: {text}" if name else text) for _, name, text in wanted)
        raise CertificateProblem(
            "the parts of the certificate are not about what the program, read as the certificate says, "
            "claims of "
            f"runs that never end: {shown or 'nothing'}"
        )


def processes_for_fairness(header: Header, program: Program, wanted: TemporalProperty) -> int:
    """For how many there is fairness; 0: none is claimed. What is about fair runs only, the program says."""
    if header.temporal is None or not (header.temporal.fair or wanted.always_fair):
        return 0
    if not program.process_limit:
        raise CertificateProblem(
            f"the certificate claims something of fair runs, and the steps of a program in "
            f"{program.language} "
            "belong to no process"
        )
    return program.process_limit


def _require_class(path: Path, header: Header) -> None:
    """Before the file is executed: the certificate must be about such a class, and claim properties."""
    if header.language != CLASS:
        raise CertificateProblem(
            f"the certificate is about a program in {header.language}, this one is in {CLASS}"
        )
    claimed, given = header.program.rpartition(":")[2], path.name.rpartition(":")[2]
    if claimed != given:
        raise CertificateProblem(f"the certificate is about the class {shown_name(claimed)}, this is {given}")
    if len(header.sources) != 1:
        raise CertificateProblem("the certificate is about a program of several files, and a class has one")
    properties = header.properties
    try:
        for text in properties.invariants:
            Expression(text, option="--invariant")
        for text in properties.step_invariants:
            Expression(text, option="--step-invariant", over_steps=True)
    except SourceProblem as problem:
        raise CertificateProblem(f"the certificate claims what is no property: {problem}") from problem


def require_same_texts(header: Header, found: Sequence[tuple[str, str]]) -> None:
    """Name and SHA-256 of each file must be those of the claim. What the first one is called does not matter:
    nothing in it says so."""
    claimed = [(source.name, source.sha256) for source in header.sources]
    if [digest for _, digest in found[:1]] == [digest for _, digest in claimed[:1]]:
        found, claimed = found[1:], claimed[1:]
    if list(found) != claimed:
        different = sorted({name for name, _ in set(found) ^ set(claimed)})
        raise CertificateProblem(
            f"the certificate is about another program text: "
            f"{', '.join(map(shown_name, different)) or 'the order of files'} differs"
        )


@dataclass(frozen=True, slots=True)
class ShippedProgram:
    """A program on its way to another machine, which compiles and checks it again."""

    main: str  # its file among `files`
    files: tuple[tuple[str, bytes], ...]  # relative path and content
    header: bytes
    added: LanguageOptions


def ship(path: Path, program: Program, header: Header, added: LanguageOptions) -> ShippedProgram:
    sources = [Path(source.path).resolve() for source in program.sources]
    homes: list[Path] = []
    if program.language == PYTHON:
        from assay.languages.python.environment import package_folders

        homes = [home.resolve() for home in package_folders(added.python)]
    used = [home for home in homes if any(source.is_relative_to(home) for source in sources)]
    top = Path(os.path.commonpath([path.resolve().parent, *(source.parent for source in sources)]))
    return ShippedProgram(
        str(PurePosixPath(path.resolve().relative_to(top))),
        tuple(
            (str(PurePosixPath(file.relative_to(top))), _as_it_was(file, source.sha256))
            for file, source in zip(sources, program.sources, strict=True)
        ),
        header.as_bytes(),
        # Packages are found among the files; where there are none, nothing of the other machine's is.
        replace(added, python=str(used[0].relative_to(top)) if used else NO_PACKAGES if homes else ""),
    )


def _as_it_was(file: Path, sha256: str) -> bytes:
    """The file that was compiled here, not one that took its place since."""
    content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise CertificateProblem(f"{file} was changed while it was being certified; certify it again")
    return content


@contextmanager
def unpacked(shipped: ShippedProgram) -> Iterator[Program]:
    """The program compiled on this machine, for as long as the block runs.

    It is called by the same relative path everywhere: a Python program has its own name in `__file__`, which
    is part of its states, and those must be the same for all tasks.
    """
    with tempfile.TemporaryDirectory(prefix="assay-program-") as directory, chdir(directory):
        for name, content in shipped.files:
            target = Path(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        if shipped.added.python:
            Path(shipped.added.python).mkdir(parents=True, exist_ok=True)
        yield load_for(Path(shipped.main), Header.from_bytes(shipped.header), shipped.added)


def _difference(claimed: Mapping[str, object], ours: Mapping[str, object]) -> str:
    """The first part of the semantics that differs, where both have it as a short text."""
    for key in ours:
        theirs, own = claimed.get(key), ours[key]
        if isinstance(theirs, str) and isinstance(own, str) and theirs != own and len(theirs) <= 100:
            return f": {key} is {theirs!r} there and {own!r} here"
    return ""


def _canonical(value: Mapping[str, object]) -> str:
    """Equal for equal JSON, and for nothing else: in Python, 0 == False."""
    return json.dumps(dict(value), sort_keys=True)


def texts_of(data: object, key: str) -> tuple[str, ...]:
    values = data.get(key, []) if isinstance(data, dict) else []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise CertificateProblem(f"the header has no list of texts under {key!r}")
    return tuple(values)
