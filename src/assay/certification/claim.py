"""Which claims of a stranger are accepted: whose they are, and what they leave out."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from assay.certification.program import texts_of
from assay.certification.request import CertificationRequest
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import CertificateProblem, Header, shown_name, shown_text
from assay.transition_system.interface import Program
from assay.transition_system.language_options import OptionProblem, require_readable


def signer_of(file: CertificateFile, request: CertificationRequest) -> str | None:
    """The key that signed it. Whoever gives keys wants to know, however much is checked besides."""
    if not request.trusted_keys:
        if request.signature is not None:
            raise OptionProblem("signature: it is checked with a public key; give one with --key")
        if request.mode != "trusted" or request.trust_unsigned:
            return None
        raise OptionProblem(
            "trusted: give the producer's public key with --key, or say --trust-unsigned to believe "
            "the script without knowing who made it"
        )
    for key in request.trusted_keys:
        require_readable("key", key)
    from assay.evidence.signature import SignatureProblem, default_envelope, verify

    envelope = request.signature or default_envelope(request.path)
    try:
        return verify(file, envelope, request.trusted_keys).key_id
    except SignatureProblem as problem:
        raise CertificateProblem(str(problem)) from None


def require_claim(header: Header, request: CertificationRequest) -> None:
    """The claim is the stranger's; these parts of it are not accepted silently."""
    if not header.properties.assertions:
        raise CertificateProblem("the certificate does not claim that assertions hold")
    if request.require_deadlock_freedom and not header.properties.deadlock:
        raise CertificateProblem(
            "the certificate does not claim that there is no deadlock; "
            "if that is not needed, say --no-deadlock"
        )
    if header.semantics.get("safety_only") is True and not request.safety:
        raise CertificateProblem(
            "the certificate leaves out what the program itself claims (never, ltl); "
            "if safety is all you need, say --safety"
        )
    _require_runs(header, request)
    claimed = texts_of(header.semantics, "defines")
    if request.defines is not None and request.defines != claimed:
        raise CertificateProblem(
            f"the certificate is about the program with {_macros(claimed)}, "
            f"you asked for it with {_macros(request.defines)}; "
            f"{_asking_for(claimed)}, or --any-macros to accept the claim with whatever macros it names"
        )

    if header.language == "python":
        granularity, wanted = header.semantics.get("granularity"), request.granularity or "bytecode"
        if granularity != wanted:
            raise CertificateProblem(
                f"in the certificate threads switch as {granularity!a:.40} says, you asked for "
                f"{wanted}; give --granularity if that is what you mean"
            )
    elif request.granularity:
        raise CertificateProblem(
            f"the certificate is about a program in {header.language}, which has no granularity"
        )


def _require_runs(header: Header, request: CertificationRequest) -> None:
    temporal = header.temporal
    if temporal is not None and temporal.fair and not request.fair:
        raise CertificateProblem(
            "what the certificate claims of runs that never end, it claims of those only that are fair "
            "to each process; if that is enough, say --fair"
        )
    parts = temporal.parts if temporal else ()
    covered = {text for part in parts for text in (part.name, part.text) if text}
    for wanted in request.ltl:
        if wanted not in covered:
            raise CertificateProblem(
                f"the certificate does not cover {shown_text(wanted)}, and a formula cannot be added to it: "
                "that takes a search; its producer can verify with --ltl"
            )
    if request.progress and not (temporal and temporal.progress):
        raise CertificateProblem(
            "the certificate says nothing of non-progress cycles, and that cannot be added to it: it "
            "takes a search; its producer can verify with --progress"
        )
    if request.terminates and not (temporal and temporal.terminates):
        raise CertificateProblem(
            "the certificate does not say that every run ends, and that cannot be added to it: it takes a "
            "search; its producer can verify with --terminates"
        )


def require_nothing_left_out(header: Header, program: Program, request: CertificationRequest) -> None:
    """A claim that picks some of the program's own is for those who pick too."""
    left_out = [one.text for one in program.unchecked if one.kind == "claim"]
    if header.temporal is not None and header.temporal.ltl and left_out and not request.ltl:
        raise CertificateProblem(
            f"the certificate leaves out what the program itself claims ({', '.join(left_out)}); "
            "if the rest is enough, name what you need with --ltl"
        )


def _macros(macros: Sequence[str]) -> str:
    if not macros:
        return "no macros"
    return f"the {'macro' if len(macros) == 1 else 'macros'} {', '.join(map(_shown_macro, macros))}"


def _shown_macro(macro: str) -> str:
    name, equals, value = macro.partition("=")
    return (
        macro
        if shown_name(name) == name and (not equals or shown_name(value) == value)
        else json.dumps(macro)
    )


def _asking_for(macros: Sequence[str]) -> str:
    """How to ask for these macros on the command line."""
    if not macros:
        return "leave -D out if that is the program you mean"
    options = " ".join(f"-D {shlex.quote(macro)}" for macro in macros)
    return f"say {options} if that is the program you mean"
