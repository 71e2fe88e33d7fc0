"""Certifies a proof about a C program: its obligations are made anew from the text, by weakest preconditions,
and Bitwuzla is asked about each; cvc5 gives a second opinion.

Nothing of the file is believed but that it is the proof to be tried. How hard its questions are is up to a
stranger, so they are asked in a process with limits of its own.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

from assay import languages
from assay.certification.program import require_same_texts, texts_of
from assay.certification.request import CertificationRequest
from assay.certification.result import CertificationResult
from assay.evidence.certificate.header import CertificateProblem, Properties
from assay.evidence.certificate.invariant_file import InvariantFile, InvariantHeader
from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.evidence.sequential.cvc5_prover import second_opinion
from assay.evidence.sequential.obligations import Obligation
from assay.evidence.sequential.proof_file import from_json
from assay.evidence.verdict import Verdict
from assay.execution.limited_questions import asked_in_a_copy
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem

LANGUAGE = "c"
SECONDS = 600.0  # of all questions together, unless a timeout is given
SECOND_OPINION_SECONDS = 30.0
MEMORY_BYTES = 8 << 30


def certify_sequential(
    known: CertificationResult, file: InvariantFile, request: CertificationRequest
) -> CertificationResult:
    """Raises CertificateProblem and NoProof where the certificate is to be rejected."""
    header = file.header
    _require_claim(header, request)
    begin = time.monotonic()
    program = _loaded(header, request)
    proof = from_json(file.invariant(), program.flow)
    wanted = list(proof.obligations(program.flow))
    known = replace(known, compile_seconds=time.monotonic() - begin, notes=(*known.notes, *program.notes))
    deadline = request.deadline or time.monotonic() + SECONDS
    began = time.monotonic()
    answer = asked_in_a_copy(
        lambda: _asked(wanted, deadline),
        seconds=max(1.0, deadline - began),
        memory_bytes=request.memory_limit_bytes or MEMORY_BYTES,
    )
    known = replace(known, run_seconds=time.monotonic() - began, workers=1, where="1 local process")
    if isinstance(answer, str):
        return replace(known, verdict=Verdict.INCOMPLETE, reasons=(f"the solver did not answer: {answer}",))
    known = replace(known, obligations=answer["count"], solver=answer["solver"])
    known = replace(known, notes=(*known.notes, *answer["notes"]))
    if answer["problem"]:
        return replace(known, verdict=Verdict[answer["verdict"]], reasons=(answer["problem"],))
    return replace(known, verdict=Verdict.VERIFIED, complete=True)


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
        if ours.get(key) != semantics.get(key):
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


def _asked(wanted: list[Obligation], deadline: float) -> dict[str, Any]:
    """In the copy: every obligation until one is not met."""
    first = Prover()
    answer: dict[str, Any] = {"count": 0, "notes": [], "problem": "", "verdict": "VERIFIED"}
    answer["solver"] = "bitwuzla"
    for one in wanted:
        answer["count"] += 1
        proved = first.is_unsatisfiable(one.refutation, deadline - time.monotonic())
        if proved is not True:
            known = "is not met" if proved is False else "is not decided in time"
            answer["problem"] = f"an obligation {known}: {one.text}"
            answer["verdict"] = "REJECTED" if proved is False else "INCOMPLETE"
            return answer
    return _with_second_opinion(answer, wanted, deadline)


def _with_second_opinion(answer: dict[str, Any], wanted: list[Obligation], deadline: float) -> dict[str, Any]:
    seconds = min(deadline - time.monotonic(), SECOND_OPINION_SECONDS)
    found = second_opinion([one.refutation for one in wanted], seconds)
    if found["refuted"] is not None:
        text = wanted[found["refuted"]].text
        answer["problem"] = f"solvers disagree, and cvc5 says that an obligation is not met: {text}"
        answer["verdict"] = "REJECTED"
    elif not found["solver"]:
        answer["notes"].append("there is no second opinion: cvc5 is not installed")
    elif found["undecided"]:
        answer["notes"].append(
            f"cvc5 did not decide {found['undecided']} of {len(wanted)} obligations in time"
        )
    else:
        answer["solver"] += f" and {found['solver']}"
    return answer
