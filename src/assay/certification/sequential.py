"""Certifies a proof about a C program: its obligations are made anew from the text, by weakest preconditions,
and Bitwuzla and cvc5 are asked about each, in tasks that may run anywhere.

Nothing of the file is believed but that it is the proof to be tried. How hard its questions are is up to a
stranger, so each is asked in a process with limits of its own.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, cast

from assay import languages
from assay.certification.program import require_same_texts, texts_of
from assay.certification.request import CertificationRequest
from assay.certification.result import CertificationResult
from assay.distribution.in_process import InProcess
from assay.distribution.interface import ClusterProblem, OutOfTime, Report
from assay.evidence.certificate.header import CertificateProblem, Properties
from assay.evidence.certificate.invariant_file import InvariantFile, InvariantHeader, conjuncts_in
from assay.evidence.sequential import contract_file
from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.evidence.sequential.cvc5_prover import Cvc5
from assay.evidence.sequential.obligations import NoProof, Obligation
from assay.evidence.sequential.proof_file import from_json, recursion_of
from assay.evidence.verdict import Verdict
from assay.execution.limited_questions import asked_in_a_copy
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.transition_system.sequential import term_file
from assay.transition_system.sequential.bitvectors import Sort, Term, any_of, variable, variables_of

LANGUAGE = "c"
SECONDS = 600.0  # of all questions together, unless a timeout is given
SECOND_OPINION_SECONDS = 30.0  # of all questions together, but for each at least
LEAST_SECONDS = 2.0
TOGETHER_SECONDS = 5.0  # of all in one question, before they are asked one by one
GRACE_SECONDS = 2.0  # for a solver that looks at the clock late
MEMORY_BYTES = 8 << 30


def certify_sequential(
    known: CertificationResult, file: InvariantFile, request: CertificationRequest
) -> CertificationResult:
    """Raises CertificateProblem where the certificate is to be rejected."""
    header = file.header
    _require_claim(header, request)
    begin = time.monotonic()
    program = _loaded(header, request)
    written = file.invariant()
    try:
        wanted = _obligations(program, written)
    except NoProof as problem:
        raise CertificateProblem(str(problem)) from None
    if (header.conjuncts, header.locations) != (conjuncts_in(written), len(written["locations"])):
        raise CertificateProblem("the header counts other conjuncts or loops than the proof has")
    known = replace(known, compile_seconds=time.monotonic() - begin, notes=(*known.notes, *program.notes))
    began = time.monotonic()
    tasks = _tasks([one.refutation for one in wanted], request)
    if _is_here(request) and len(tasks) > 1 and _are_met_together(wanted, request):
        tasks = []
    try:
        with _executor(request) as executor:
            answers = executor.run(
                f"{__name__}:ask",
                tasks,
                on_progress=lambda *_: None,
                on_done=lambda *_: None,
                on_lost=lambda _, died: dict.fromkeys(SOLVERS, died.how),
            )
            where, workers, peak = executor.describe(), executor.workers, executor.peak_memory_bytes
    except OutOfTime as problem:
        return replace(known, verdict=Verdict.INCOMPLETE, reasons=(str(problem),))
    except ClusterProblem as problem:
        raise OptionProblem(f"cluster: {problem}") from None
    known = replace(
        known,
        run_seconds=time.monotonic() - began,
        workers=workers,
        tasks=max(1, len(tasks)),
        where=where,
        peak_memory_bytes=peak,
        obligations=len(wanted),
    )
    if not tasks:
        answers = [dict.fromkeys(SOLVERS, True) for _ in wanted]
    return judged(known, wanted, cast("list[dict[str, bool | str]]", answers))


def _obligations(program: Any, written: Any) -> list[Obligation]:
    if contract_file.is_by_contracts(written):
        return list(contract_file.from_json(written, program.program).obligations(program.program))
    try:
        flow = program.flow_at(recursion_of(written))
    except UnsupportedConstruct as problem:
        raise NoProof(str(problem)) from None
    return list(from_json(written, flow).obligations(flow))


def judged(
    known: CertificationResult, wanted: Sequence[Obligation], answers: Sequence[Mapping[str, bool | str]]
) -> CertificationResult:
    """Accepted if of each obligation some solver says that it is met, and none that it is not."""
    for one, answer in zip(wanted, answers, strict=True):
        refuted = [name for name in SOLVERS if answer[name] is False]
        if refuted and any(answer[name] is True for name in SOLVERS):
            reason = f"solvers disagree, and {refuted[0]} says that an obligation is not met: {one.text}"
            return replace(known, verdict=Verdict.REJECTED, reasons=(reason,))
        if refuted:
            reason = f"an obligation is not met: {one.text}"
            return replace(known, verdict=Verdict.REJECTED, reasons=(reason,))
    for one, answer in zip(wanted, answers, strict=True):
        if not any(answer[name] is True for name in SOLVERS):
            why = "; ".join(f"{name}: {answer[name]}" for name in SOLVERS)
            reason = f"an obligation is not decided ({why}): {one.text}"
            return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
    notes, whole = [], []
    for name in SOLVERS:
        missing = [answer[name] for answer in answers if answer[name] is not True]
        if missing:
            notes.append(f"{name} did not decide {len(missing)} of {len(wanted)} obligations: {missing[0]}")
        else:
            whole.append(name)
    return replace(
        known,
        verdict=Verdict.VERIFIED,
        complete=True,
        solver=" and ".join(whole) or " or ".join(SOLVERS),
        notes=(*known.notes, *notes),
    )


def _require_claim(header: InvariantHeader, request: CertificationRequest) -> None:
    if header.properties != Properties(deadlock=False):
        raise CertificateProblem("the header claims what a proof about a C program does not say")
    if request.added.invariants or request.added.step_invariants or request.ltl or request.terminates:
        raise OptionProblem("nothing can be added to a proof about a C program: write assertions")
    defines, includes = _flags(header)
    if request.defines is not None and request.defines != defines:
        raise CertificateProblem(
            f"the certificate is about the program with {', '.join(defines) or 'no macros'}, you asked for "
            f"it with {', '.join(request.defines) or 'no macros'}; give them with -D, or say --any-macros"
        )
    model, wanted = header.semantics.get("data_model"), request.added.data_model or "LP64"
    if model != wanted:
        raise CertificateProblem(
            f"the certificate is about the data model {str(model)[:40]!a}, you asked for {wanted}; give "
            "--data-model if that is what you mean"
        )
    missing = [one for one in request.added.checks if one not in texts_of(header.semantics, "checks")]
    if missing:
        raise CertificateProblem(f"the certificate does not cover {', '.join(missing)}")
    if any(one.startswith("-") for one in includes):
        raise CertificateProblem("the header names a folder that is none")


def _flags(header: InvariantHeader) -> tuple[tuple[str, ...], tuple[str, ...]]:
    flags = texts_of(header.semantics, "flags")
    if not all(one[:2] in ("-D", "-I") and len(one) > 2 for one in flags):
        raise CertificateProblem("the header names flags that are neither macros nor folders")
    return (
        tuple(one[2:] for one in flags if one.startswith("-D")),
        tuple(one[2:] for one in flags if one.startswith("-I")),
    )


def _loaded(header: InvariantHeader, request: CertificationRequest) -> Any:
    """The program, compiled as the certificate says; refused if it is another one."""
    defines, includes = _flags(header)
    semantics = header.semantics
    try:
        options = LanguageOptions(
            defines=defines,
            includes=includes,
            checks=texts_of(semantics, "checks"),
            rules=request.added.rules or _in_the_library(texts_of(semantics, "rules")),
            data_model=request.added.data_model or "LP64",
            c_sources=request.added.c_sources,
            language=LANGUAGE,
        )
        program: Any = languages.load(request.program, options)
    except (OptionProblem, SourceProblem) as problem:
        raise CertificateProblem(f"the program cannot be read as the certificate says: {problem}") from None
    require_same_texts(header, [(_name(one.path), one.sha256) for one in program.sources])  # type: ignore[arg-type]
    ours = json.loads(json.dumps(dict(program.semantics)))
    for key in sorted({*ours, *semantics}):
        if json.dumps(ours.get(key)) != json.dumps(semantics.get(key)):  # `True` is no 1
            raise CertificateProblem(
                f"the certificate is about the program under other semantics: {key} differs"
            )
    return program


def _in_the_library(names: tuple[str, ...]) -> tuple[str, ...]:
    """Rules that are files have to be named with --rule: a stranger names no file here."""
    if not all(one.replace("_", "").isalnum() for one in names):
        raise CertificateProblem("the header names a rule that is no name")
    return tuple(one.replace("_", "-") for one in names)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


# --- the questions ---


@dataclass(frozen=True, slots=True)
class Question:
    """Travels to another process: terms as JSON, whose variables are their names and sorts."""

    refutation: Mapping[str, Any]
    variables: Mapping[str, Sort]
    seconds: Mapping[str, float]
    memory_bytes: int

    def term(self) -> Term:
        known = {name: variable(name, sort) for name, sort in self.variables.items()}
        return term_file.load(self.refutation, known)[0]


def _tasks(refutations: Sequence[Term], request: CertificationRequest) -> list[Question]:
    left = max(1.0, request.deadline - time.monotonic()) if request.deadline else SECONDS
    second = max(LEAST_SECONDS, SECOND_OPINION_SECONDS / max(1, len(refutations)))
    return [
        Question(
            term_file.dump([one]),
            {each.name: each.sort for each in variables_of(one)},
            {"bitwuzla": left, "cvc5": min(left, second)},
            request.memory_limit_bytes or MEMORY_BYTES,
        )
        for one in refutations
    ]


def _are_met_together(wanted: Sequence[Obligation], request: CertificationRequest) -> bool:
    """Whether both solvers say at once of all obligations that none is broken: most are easy, and a copy of
    this process costs more than they do. Else each is asked by itself, and nothing was decided here."""
    (whole,) = _tasks([any_of(one.refutation for one in wanted)], request)
    seconds = {name: min(given, TOGETHER_SECONDS) for name, given in whole.seconds.items()}
    return all(answer is True for answer in ask(replace(whole, seconds=seconds), lambda _: None).values())


def _is_here(request: CertificationRequest) -> bool:
    return request.cluster is None and request.workers <= 1


def _executor(request: CertificationRequest) -> Any:
    """One worker is this process: what is hard runs in copies of it anyway."""
    if _is_here(request):
        return InProcess(deadline=request.deadline)
    from assay.certification.sharing_out import cluster_of, processes_here

    if request.cluster is not None:
        return cluster_of(request, fixed_hashes=False)
    return processes_here(request, fixed_hashes=False)


def ask(question: Question, _report: Report) -> dict[str, bool | str]:
    """In a worker: whether the obligation is met, by each solver; or, as words, why it does not say.

    Each solver runs in a copy of the process with limits of its own, so one that crashes, hangs or eats
    memory is out, and no other.
    """
    refutation = question.term()
    return {name: _asked(prover, refutation, question, name) for name, prover in SOLVERS.items()}


def _asked(prover: Callable[[], Any], refutation: Term, question: Question, name: str) -> bool | str:
    seconds = question.seconds[name]
    with contextlib.suppress(ImportError):  # once, and not in each copy; who is missing says so there
        import_module(name)
    answer = asked_in_a_copy(
        lambda: {"met": prover().is_unsatisfiable(refutation, seconds)},
        seconds=seconds + GRACE_SECONDS,
        memory_bytes=question.memory_bytes,
    )
    if isinstance(answer, str):
        return answer
    return "time ran out" if answer["met"] is None else bool(answer["met"])


SOLVERS: Mapping[str, Callable[[], Any]] = {"bitwuzla": Prover, "cvc5": Cvc5}
