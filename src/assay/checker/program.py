"""The program that a certificate speaks of: same sources, same semantics, then its step function."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay import _engine, languages
from assay.checker.c.refutations import ProofFile
from assay.checker.c_certificates import check_c_proof
from assay.checker.container import (
    Container,
    Header,
    Rejected,
    Unusable,
    content_of,
    read_container,
    text,
    texts,
    truth,
)
from assay.checker.invariant_file import AcceptedInvariant, is_about_c, is_invariant, read_invariant_file
from assay.checker.invariants import check_invariant, load_invariant
from assay.checker.temporal import Product, WatchedModel
from assay.checker.walk import Accepted, check_part, check_script
from assay.languages import AnotherText, names_a_class
from assay.languages.class_properties import class_properties
from assay.languages.handwritten import LANGUAGE, CanonicalSystem
from assay.languages.handwritten import load as load_class
from assay.transition_system.expressions import Expression
from assay.transition_system.interface import Program, PropertyProblem, SourceProblem, TemporalProperty
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.opening import READABLE, describes_itself, draw_key, open_model

PYTHON = "python"
DEFAULT = LanguageOptions()


def check(
    program: Path, certificate: Path, added: LanguageOptions = DEFAULT, proofs: ProofFile | None = None
) -> Accepted | AcceptedInvariant:
    """Check a certificate against the text of a program.

    Raises `Rejected` if it proves nothing about that program, `Unusable` if
    there is no program or no certificate. `added` says how embedded C was compiled, and that it may be
    executed; `proofs` is a file with proofs of the obligations of a C program. Opens the compiled program in
    this very process: give the checker one of its own.
    """
    data = content_of(certificate, "certificate")
    if is_about_c(data):
        return check_c_proof((program, *map(Path, added.c_sources)), data, added.rules, proofs)
    if is_invariant(data):
        return check_proof(program, data, proofs)
    if proofs is not None:
        raise Unusable(f"{certificate}: this certificate has no obligations of which there could be proofs")
    container = read_container(data)
    header = container.header
    if header.language == LANGUAGE:
        return check_class(program, container)
    loaded = load(program, header, added)
    if loaded.capabilities.foreign and not added.foreign_code:
        raise Unusable("this program has C in it, which would be executed; say --foreign-code if you agree")
    try:
        if loaded.capabilities.foreign:
            _engine.CompiledModel.confine(READABLE)  # in a process of its own: see `__main__`
        model = open_model(loaded.opening, key=draw_key())
    except SourceProblem as problem:
        raise Unusable(str(problem)) from None
    try:
        accepted = check_script(
            container,
            model,
            describe=lambda code: describe(loaded, code, model),
            notes=(*loaded.notes, *(f"not looked at: {left_out.text}" for left_out in loaded.unchecked)),
            processes=model.processes,
        )
        # Only classes may have several initial states.
        return with_parts(accepted, container, model, loaded.temporal, loaded.process_limit, has_root=False)
    except (_engine.AssumptionFailed, _engine.UnsupportedProgram) as problem:
        raise Rejected(f"the step function does not follow the program: {problem}") from None


def check_proof(program: Path, data: bytes, proofs: ProofFile | None = None) -> AcceptedInvariant:
    """A proof by invariant, of a program or of a class."""
    header, written = read_invariant_file(data)
    if proofs is not None:
        raise Unusable("proofs of obligations are read for C programs only")
    if header.language != LANGUAGE:
        return check_invariant(load(program, header), header, written)
    if not names_a_class(str(program)):
        raise Unusable(f"{program}: the certificate speaks of a Python class; name it as model.py:ClassName")
    if header.program.rpartition(":")[2] != str(program).rpartition(":")[2]:
        raise Rejected(f"the certificate speaks of the class {header.program.rpartition(':')[2]!a}")
    try:
        loaded = load_invariant(program, header)
    except AnotherText as other:  # it was not executed
        raise Rejected(
            f"{other} is another program: its SHA-256 differs from that of {header.sources[0][0]!a}"
        ) from None
    except SourceProblem as problem:
        raise Unusable(str(problem)) from None
    if not same(json.loads(json.dumps(loaded.semantics)), header.semantics):
        raise Rejected(f"the certificate is for other semantics than {json.dumps(loaded.semantics)}")
    require_parts(header, loaded.temporal)
    return check_invariant(loaded, header, written)


def load(path: Path, header: Header, added: LanguageOptions = DEFAULT) -> Program:
    """Compile the program with the options that the header names; refuse any difference."""
    # Before the compiler sees anything of the header, the program must be the one it speaks of.
    if hashlib.sha256(content_of(path, "program")).hexdigest() != header.sources[0][1]:
        raise Rejected(
            f"{path} is another program: its SHA-256 differs from that of {header.sources[0][0]!a}"
        )
    options = replace(
        options_of(header),
        c_sources=added.c_sources,
        cflags=added.cflags,
        ldflags=added.ldflags,
        sanitize=added.sanitize,
        python=added.python,
    )
    try:
        loaded = languages.load(path, options)
    except Exception as problem:  # the options are a stranger's
        raise Rejected(f"the program cannot be read with the options of the certificate: {problem}") from None
    if loaded.language != header.language:
        raise Rejected(f"the program is in {loaded.language}, the certificate speaks of {header.language!a}")
    # What the program's own file is called, nothing in it says; those it includes it calls by name.
    included = [(Path(source.path).name, source.sha256) for source in loaded.sources[1:]]
    if loaded.sources[0].sha256 != header.sources[0][1] or included != list(header.sources[1:]):
        raise Rejected(f"{path} is another program: a file that it includes differs")
    semantics = json.loads(json.dumps(loaded.semantics))
    if not same(semantics, header.semantics):
        raise Rejected(f"the certificate is for other semantics than {json.dumps(semantics)}")
    if loaded.caveats:
        raise Rejected(f"no search is a proof of this program: {'; '.join(loaded.caveats)}")
    require_parts(header, loaded.temporal)
    return loaded


def require_parts(header: Header, wanted: Sequence[TemporalProperty]) -> None:
    """One part for each property of runs that the program has, in its order."""
    parts = header.temporal.parts if header.temporal else ()
    if wanted and not parts:
        raise Rejected(
            "the program claims something of runs that never end, which the certificate does not cover"
        )
    if [(part.kind, part.name, part.text) for part in parts] != [
        (one.kind, one.name, one.text) for one in wanted
    ]:
        raise Rejected("the temporal parts are not about what the program claims of runs that never end")


def with_parts(
    accepted: Accepted,
    container: Container,
    model: WatchedModel,
    wanted: Sequence[TemporalProperty],
    process_limit: int,
    *,
    has_root: bool,
) -> Accepted:
    temporal = container.header.temporal
    if temporal is None:
        return accepted
    if temporal.fair and not process_limit:
        raise Rejected("the certificate speaks of fair runs, and steps of the program belong to no process")
    found = []
    for one, part, script in zip(wanted, temporal.parts, container.parts, strict=True):
        processes = process_limit if temporal.fair or one.always_fair else 0
        product = Product(model, one, processes=processes, has_root=has_root)
        try:
            found.append(check_part(script, product, part.rank))
        except Rejected as reason:
            raise Rejected(f"{part.name or part.text}: {reason}") from None
    return replace(accepted, parts=tuple(found))


def options_of(header: Header) -> LanguageOptions:
    temporal = header.temporal
    properties = LanguageOptions(
        invariants=header.invariants,
        step_invariants=header.step_invariants,
        ltl=temporal.ltl if temporal else (),
        progress=temporal.progress if temporal else False,
        fair=temporal.fair if temporal else False,
        terminates=temporal.terminates if temporal else False,
    )
    if header.language == PYTHON:
        return replace(
            properties,
            granularity=text({"granularity": None, **header.semantics}, "granularity"),
            not_final=texts(header.semantics, "not_final"),
        )
    return replace(
        properties,
        reductions=frozenset(texts(header.semantics, "reductions")),
        safety_only=truth(header.semantics, "safety_only"),
        defines=texts(header.semantics, "defines"),
    )


def check_class(program: Path, container: Container) -> Accepted:
    """The same for a class `model.py:ClassName`, which is its own step function."""
    header = container.header
    if not names_a_class(str(program)):
        raise Unusable(f"{program}: the certificate speaks of a Python class; name it as model.py:ClassName")
    if header.program.rpartition(":")[2] != str(program).rpartition(":")[2]:
        raise Rejected(f"the certificate speaks of the class {header.program.rpartition(':')[2]!a}")
    if len(header.sources) != 1:
        raise Rejected("the certificate speaks of several files, and a class has one")
    try:
        for text in header.invariants:
            Expression(text, option="--invariant")
        for text in header.step_invariants:
            Expression(text, option="--step-invariant", over_steps=True)
    except SourceProblem as problem:  # the properties are a stranger's
        raise Rejected(f"the certificate claims what is no property: {problem}") from None
    try:
        system = load_class(str(program), sha256=header.sources[0][1])
        safety_only = header.semantics.get("safety_only") is True
        semantics = dict(system.semantics)
        own = getattr(system.system, "properties", None) or {}
        if own and safety_only:
            semantics["safety_only"] = True
        asked = header.temporal.ltl if header.temporal else ()
        terminates = header.temporal.terminates if header.temporal else False
        properties = class_properties(
            {} if safety_only else own, asked, terminates=terminates, where=system.name
        )
        require_parts(header, properties.temporal)
        if not same(semantics, header.semantics):
            raise Rejected(f"the certificate is for other semantics than {json.dumps(semantics)}")
        model = CanonicalSystem(
            system,
            LanguageOptions(invariants=header.invariants, step_invariants=header.step_invariants),
            properties.labels,
        )
        accepted = check_script(container, model, describe=lambda code: model.violation(code).message)
        watched = ClassWatched(model)
        return with_parts(accepted, container, watched, properties.temporal, 0, has_root=model.has_root)
    except AnotherText as other:  # it was not executed
        raise Rejected(
            f"{other} is another program: its SHA-256 differs from that of {header.sources[0][0]!a}"
        ) from None
    except PropertyProblem as problem:
        raise Rejected(f"the certificate claims what cannot be evaluated: {problem}") from None
    except SourceProblem as problem:
        raise Unusable(str(problem)) from None


class ClassWatched:
    """A class has no processes, and so no fairness."""

    def __init__(self, model: CanonicalSystem) -> None:
        self.initial_state = model.initial_state
        self.successors = model.successors
        self.labels = model.labels

    def enabled(self, _state: bytes) -> frozenset[int]:
        return frozenset()

    def processes(self, state: bytes) -> list[int | None]:
        return [None] * len(self.successors(state))


def same(ours: Any, theirs: Any) -> bool:
    """Equality of JSON values; to Python 1 and true would be equal. Goes no deeper than our own value."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


def describe(program: Program, code: int, model: Any) -> str:
    if code and describes_itself(model):
        found = model.violation(code)
        return f"{found['file']}:{found['line']}: {found['message']}"
    facts = program.describe_violation(code)
    return facts.message if facts.file is None else f"{facts.file}:{facts.line}: {facts.message}"
