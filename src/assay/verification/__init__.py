"""Puts the stages together: load, search, explain, judge. The command line and the API both end here."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import Any, Unpack

from assay import languages
from assay.evidence.counterexample import Counterexample, Trace, load_trace
from assay.evidence.result import Result
from assay.execution import interrupts
from assay.records import dataclass
from assay.transition_system.interface import Program
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.verification.matching import for_matching
from assay.verification.request import (
    Listener,
    Request,
    VerifyKeywords,
    certificate_request,
    estimate_request,
    options_of,
    witness_request,
)
from assay.verification.traces import require_same_run, save_traces


def verify(
    program: str | Path | Callable[[], object] | object,
    *,
    trace: str | Path | None = None,
    certificate: str | Path | None = None,
    certificate_coding: str = "fast",
    subgraphs: bool = False,
    estimate: str | None = None,
    estimate_file: str | Path | None = None,
    witness: str | Path | None = None,
    check_abstraction: bool = False,
    listener: Listener | None = None,
    started: float | None = None,
    **given: Unpack[VerifyKeywords],
) -> Result:
    """Verify a program file, a function, `model.py:ClassName`, or an object with the interface's methods.

    A function is verified by importing the file that it stands in and calling it without arguments, on every
    schedule; what it finds in this process, such as values of variables, plays no part.

    The options of the search and of the language have the names, ranges and defaults of the command line's
    flags (`assay.search.options`, `VerifyKeywords`). Limits of zero are none. `search="cached"` keeps at most
    `cache_size` states and forgets others by
    `policy`; `states_of_graph`, if known, is what its visits are compared with. `trace` names the file
    a counterexample is saved in; further ones get a number. `certificate` names the file that lets others
    re-check a program that was verified; `certificate_coding="small"` takes longer to write and fewer
    bytes, and `subgraphs` adds the list that partitioning by subtrees needs.
    `spill` names a directory in which the states are kept instead of in memory, and `resume` continues
    the search that was ended there. `estimate` names a method by which the coverage of a search is
    estimated that did not see everything, and `estimate_file` the file in which the estimate is saved.
    `witness` names the file for an SV-COMP witness of a C program.
    `match` names what states are compared by, and `check_abstraction` compares all states that have the same
    values of that, in a search of the whole graph. `started` is the reading of
    `time.monotonic()` from which the timeout counts. Raises `SourceProblem` when the
    input is wrong or unsupported and `OptionProblem` when an option is.
    """
    started = time.monotonic() if started is None else started
    options, language_options = options_of(given)
    options, language_options = for_matching(options, language_options, check=check_abstraction)
    wanted = (
        None
        if certificate is None
        else certificate_request(Path(certificate), options, coding=certificate_coding, subgraphs=subgraphs)
    )
    request = Request(
        options,
        language_options,
        started,
        listener or _nobody,
        wanted,
        *estimate_request(estimate, estimate_file, options.time_limit_seconds),
        None if witness is None else witness_request(Path(witness), language_options),
    )
    if isinstance(program, FunctionType | _Call) and wanted is not None:
        raise OptionProblem(
            "certificates are about a program; write one that calls the function and verify it"
        )
    from assay.verification.pipeline import verify_program

    with interrupts.scope():
        name, load, is_python = _subject(program)
        result, language, sources = verify_program(name, load, request, is_python=is_python)
        called = _called(program)
        if called is not None:
            result = replace(result, options={**result.options, "call": called.text})
        if trace is not None:
            result = save_traces(result, Path(trace), language, sources)
    return replace(result, seconds=time.monotonic() - started)


def _subject(program: str | Path | object) -> tuple[str, Callable[[LanguageOptions], Program], bool]:
    """What is verified: its name, how it is loaded, and whether it looks like a Python program."""
    if isinstance(program, str | Path):
        path = Path(program)
        is_python = path.suffix == ".py" and path.is_file()  # a class has its name behind the suffix
        return str(program), lambda options: languages.load(path, options), is_python
    called = _called(program)
    if called is not None:
        return str(called.path), lambda options: languages.load_call(called.path, called.text, options), True
    return type(program).__name__, lambda options: languages.load_object(program, options), False


def _called(program: object) -> _Call | None:
    """The call that is verified in place of a whole program, if one is."""
    if isinstance(program, FunctionType):
        from assay.verification.functions import call_of

        return _Call(*call_of(program))
    return program if isinstance(program, _Call) else None


@dataclass(frozen=True, slots=True)
class _Call:
    path: Path
    text: str


def verify_call(path: Path, call: str, **options: Any) -> Result:
    """Verify a call of a function of a Python file, in which the file is `module`: "module.test_it(3)"."""
    return verify(_Call(path, call), **options)


def replay(program: str | Path | object, trace: str | Path) -> Counterexample:
    """Execute a saved counterexample again on its program.

    Raises `TraceProblem` when the program has changed since, or when the run
    does not end in the same violation; returns the run as executed now.
    """
    return replay_recorded(program, load_trace(Path(trace)))


def replay_recorded(program: str | Path | object, recorded: Trace) -> Counterexample:
    """The same with a trace that was read already."""
    from assay.verification.pipeline import replay_program

    call = recorded.options.get("call")
    if isinstance(call, str) and isinstance(program, str | Path):
        program = _Call(Path(program), call)
    executed = replay_program(*_subject(program)[:2], recorded)
    require_same_run(recorded.counterexample, executed)
    return executed


def _nobody(_: object) -> None:
    pass
