"""What was asked for, and who wants to hear of progress."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.evidence.certificate.claim import CODINGS, CertificateRequest
from assay.search.estimation import METHODS, best_method
from assay.search.native import Progress
from assay.search.options import OptionProblem, SearchOptions
from assay.transition_system.interface import LanguageOptions, SourceHash

REDUCTIONS = ("dead-variables", "merging", "partial-order")


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

    @property
    def deadline(self) -> float | None:
        limit = self.options.time_limit_seconds
        return self.started + limit if limit else None

    def as_json(self) -> dict[str, object]:
        options, language = self.options, self.language_options
        return {
            "search": options.strategy,
            "storage": options.storage,
            "threads": options.threads,
            "seed": options.seed,
            "hash_functions": options.hash_functions,
            "bitstate_memory_bytes": options.bitstate_bytes,
            "memory_limit_bytes": options.memory_limit_bytes,
            "timeout_seconds": options.time_limit_seconds,
            "max_depth": options.depth_limit,
            "max_states": options.state_limit,
            "cache_size": options.cache_size,
            "policy": options.cache_policy,
            "strata": options.cache_strata,
            "states_of_graph": options.states_of_graph,
            "invariants": list(language.invariants),
            "step_invariants": list(language.step_invariants),
            "check_deadlock": options.check_deadlock,
            "all_errors": not options.stop_at_first_violation,
            "safety": language.safety_only,
            "reductions": sorted(language.reductions),
            "defines": list(language.defines),
            "spill": options.spill_directory or None,
            "resume": options.resume,
            "estimate": self.estimate,
            "granularity": language.granularity or None,
        }


def language_options_of(options: Mapping[str, object]) -> LanguageOptions:
    def texts(key: str) -> tuple[str, ...]:
        values = options.get(key, [])
        return tuple(str(value) for value in values) if isinstance(values, list) else ()

    return LanguageOptions(
        invariants=texts("invariants"),
        step_invariants=texts("step_invariants"),
        reductions=frozenset(texts("reductions")),
        safety_only=options.get("safety") is True,
        defines=texts("defines"),
        granularity=str(options.get("granularity") or ""),
        not_final=texts("not_final"),
    )


def certificate_request(
    path: Path, options: SearchOptions, *, coding: str, subgraphs: bool
) -> CertificateRequest:
    """Refuses, before anything is searched, what could not end in a certificate."""
    if coding not in CODINGS:
        raise OptionProblem(f"certificate coding: expected one of {', '.join(CODINGS)}, got {coding!r}")
    if options.storage != "exact":
        raise OptionProblem(
            f"certificate: {options.storage} storage may lose states; only exact storage can be certified"
        )
    if options.threads != 1:
        raise OptionProblem("certificate: it is recorded by a search on one thread; leave --threads out")
    if options.strategy not in {"bfs", "dfs", "cached"}:
        raise OptionProblem(f"certificate: expected the search bfs, dfs or cached, got {options.strategy}")
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


def require_own_file(certificate: Path, sources: Iterable[SourceHash]) -> None:
    """A certificate replaces what is there: that must not be what it is about."""
    if any(Path(source.path).resolve() == certificate.resolve() for source in sources):
        raise OptionProblem("certificate: expected a file of its own, got the program itself")


def known_reductions(names: Iterable[str]) -> frozenset[str]:
    chosen = frozenset(names)
    unknown = sorted(chosen - set(REDUCTIONS))
    if unknown:
        raise OptionProblem(f"reductions: expected some of {', '.join(REDUCTIONS)}, got {', '.join(unknown)}")
    return chosen
