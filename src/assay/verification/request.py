"""What was asked for, and who wants to hear of progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.evidence.certificate import CODINGS
from assay.execution.model_process import Progress
from assay.records import dataclass
from assay.search.estimation_methods import METHODS, best_method
from assay.search.options import ABSTRACTIONS, PROOFS, SEQUENTIAL, SearchKeywords, SearchOptions
from assay.transition_system.interface import SourceHash
from assay.transition_system.language_options import LanguageKeywords, LanguageOptions, OptionProblem

if TYPE_CHECKING:
    from assay.evidence.certificate.claim import CertificateRequest


@dataclass(frozen=True, slots=True)
class Phase:
    """Told to a listener before work that can take long: "compiling" or "searching"."""

    name: str
    program: str


Listener = Callable[[Phase | Progress], None]


@dataclass(frozen=True, slots=True)
class Request:
    options: SearchOptions
    language_options: LanguageOptions
    started: float
    listener: Listener
    certificate: CertificateRequest | None = None
    estimate: str | None = None  # the method, if an estimate of coverage was asked for
    estimate_file: Path | None = None
    witness: Path | None = None  # where an SV-COMP witness of a C program is written

    @property
    def deadline(self) -> float | None:
        limit = self.options.time_limit_seconds
        return self.started + limit if limit else None

    def as_json(self) -> dict[str, object]:
        return {
            **self.options.as_keywords(),
            **self.language_options.as_json(),
            "estimate": self.estimate,
        }


class VerifyKeywords(SearchKeywords, LanguageKeywords, total=False):
    """Everything that decides what is checked and how; the names are those of the command line's flags."""


def options_of(given: Mapping[str, Any]) -> tuple[SearchOptions, LanguageOptions]:
    """Sorts the options of a call into those of the search and those of the language."""
    known = {**SearchKeywords.__annotations__, **LanguageKeywords.__annotations__}
    for name in given:
        if name not in known:
            import difflib

            near = difflib.get_close_matches(name, known, 1)
            raise OptionProblem(
                f"there is no option {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
            )
    directory = given.get("spill")
    search = SearchOptions.from_keywords(
        {
            **given,
            "spill": "" if directory is None else str(Path(directory).absolute()),
            "cluster": given.get("cluster") or "",
        }
    )
    return search, LanguageOptions.from_keywords(given)


def certificate_request(
    path: Path, options: SearchOptions, *, coding: str, subgraphs: bool
) -> CertificateRequest:
    """Refuses, before anything is searched, what could not end in a certificate."""
    import tempfile

    from assay.evidence.certificate.claim import CertificateRequest

    if coding not in CODINGS:
        raise OptionProblem(f"certificate coding: expected one of {', '.join(CODINGS)}, got {coding!r}")
    if options.storage == "abstraction":
        raise OptionProblem("certificate: a search with --match proves nothing that could be certified")
    if options.storage != "exact":
        raise OptionProblem(
            f"certificate: {options.storage} storage may lose states; only exact storage can be certified"
        )
    if options.threads != 1:
        raise OptionProblem("certificate: it is recorded by a search on one thread; leave --threads out")
    if options.strategy not in {"bfs", "dfs", "cached", *PROOFS, *ABSTRACTIONS, *SEQUENTIAL}:
        raise OptionProblem(
            f"certificate: expected the search bfs, dfs, cached, invariants, auto or one by abstraction, got "
            f"{options.strategy}"
        )
    if (options.order, options.process_order, options.restarts) != ("given", "given", 0):
        raise OptionProblem("certificate: it lists steps in the order of the program; leave other orders out")
    directory = path.absolute().parent
    if not directory.is_dir():
        raise OptionProblem(f"certificate: {path} cannot be written: there is no such directory")
    try:
        if path.exists() and not path.is_file():
            raise OptionProblem(f"certificate: {path} cannot be written: it exists and is no file")
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as problem:
        raise OptionProblem(f"certificate: {path} cannot be written: {problem.strerror}") from None
    return CertificateRequest(path=path, coding=coding, subgraphs=subgraphs)


def estimate_request(
    method: str | None, file: str | Path | None, time_limit_seconds: float
) -> tuple[str | None, Path | None]:
    """The method and the file, or a sentence about what is wrong with them."""
    if method is not None and method not in METHODS:
        raise OptionProblem(f"estimate: expected one of {', '.join(METHODS)}, got {method!r}")
    if file is None:
        return method, None
    if not Path(file).absolute().parent.is_dir():
        raise OptionProblem(f"estimate file: {file} cannot be written: there is no such directory")
    return method or best_method(time_limit_seconds), Path(file)


def witness_request(path: Path, options: LanguageOptions) -> Path:
    if options.rules:
        raise OptionProblem("witness: SV-COMP has no specification for rules; write a --certificate")
    if not path.absolute().parent.is_dir():
        raise OptionProblem(f"witness: {path} cannot be written: there is no such directory")
    return path


def require_own_file(certificate: Path, sources: Iterable[SourceHash]) -> None:
    """A certificate replaces what is there: that must not be what it is about."""
    if any(Path(source.path).resolve() == certificate.resolve() for source in sources):
        raise OptionProblem("certificate: expected a file of its own, got the program itself")
