"""Systems written as Python classes, for a certifier: any process that has the file can walk through them.

A process that walks keeps the states it has met, because Python values cannot be
made from their canonical bytes again; other than with compiled programs, the
memory of a walk grows with the number of states.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import _engine
from assay.evidence.certificate.header import CertificateProblem, Header, shown_name
from assay.evidence.certificate.path import varints
from assay.evidence.counterexample import TraceProblem
from assay.evidence.interpreted import codes_at_the_end, explain_run, state_after
from assay.evidence.result import Violation
from assay.languages import handwritten
from assay.languages.handwritten import (
    LANGUAGE,
    MAX_STATE_WORDS,
    CanonicalSystem,
    HandwrittenSystem,
    NumberedSystem,
)
from assay.transition_system.expressions import Expression
from assay.transition_system.interface import LanguageOptions, SourceProblem


@dataclass(frozen=True, slots=True)
class HandwrittenProgram:
    """A class with the properties to check, as the certificate and who checks it ask for them."""

    system: HandwrittenSystem
    options: LanguageOptions

    @property
    def library(self) -> str:
        """What another process needs to load the same class: JSON, where a compiled program has a file."""
        return json.dumps(
            {
                "program": self.system.name,
                "sha256": self.system.sources[0].sha256,
                "invariants": self.options.invariants,
                "step_invariants": self.options.step_invariants,
            }
        )

    def explain_violation(self, code: int, path: Sequence[int]) -> Violation:
        """A violation that some process met. Codes of failed assertions are its own, others are the same."""
        model = NumberedSystem(self.system, self.options)
        try:
            here = codes_at_the_end(model, path)
        except TraceProblem:
            here = set()
        if not here:
            raise SourceProblem(
                "a run that violates a property does not end in it when it is executed again",
                where=self.system.name,
                hint="enabled, step and the invariants must depend on the state alone",
            )
        run = explain_run(model, path, code if code in here else max(here))
        return Violation(kind=run.violation.kind, message=run.violation.message, counterexample=run)

    def step_text(self, path: Sequence[int], position: int) -> str:
        """The action behind an entry: `Ring ring.py:12: station 1: send`."""
        model = NumberedSystem(self.system, self.options)
        if model.has_root and not path:
            return f"initial state number {position}"
        file, line = model.place()
        action = model.actions(state_after(model, path))[position]
        return f"{model.actor} {Path(file).name}:{line}: {model.describe(action)}"


def load_class_for(program: Path, header: Header, added: LanguageOptions) -> HandwrittenProgram:
    """Load the class that the certificate is about; refuse if it is another one."""
    if header.language != LANGUAGE:
        raise CertificateProblem(
            f"the certificate is about a program in {header.language}, this one is in {LANGUAGE}"
        )
    claimed_class, given_class = header.program.rpartition(":")[2], program.name.rpartition(":")[2]
    if claimed_class != given_class:
        raise CertificateProblem(
            f"the certificate is about the class {shown_name(claimed_class)}, this is {given_class}"
        )
    for option, texts in [
        ("--invariant", header.properties.invariants),
        ("--step-invariant", header.properties.step_invariants),
    ]:
        for text in texts:
            try:
                Expression(text, option=option, over_steps=option == "--step-invariant")
            except SourceProblem as problem:
                raise CertificateProblem(
                    f"the certificate claims what is no property: {problem}"
                ) from problem
    if len(header.sources) != 1:
        raise CertificateProblem("the certificate is about a program of several files, and a class has one")
    system = load_unchanged(str(program), header.sources[0].sha256)
    if json.dumps(system.semantics, sort_keys=True) != json.dumps(header.semantics, sort_keys=True):
        raise CertificateProblem("the certificate was made under other semantics than this Assay has")
    return HandwrittenProgram(
        system,
        LanguageOptions(
            invariants=tuple(dict.fromkeys((*header.properties.invariants, *added.invariants))),
            step_invariants=tuple(
                dict.fromkeys((*header.properties.step_invariants, *added.step_invariants))
            ),
        ),
    )


def load_unchanged(program: str, sha256: str) -> HandwrittenSystem:
    """The system, if its file is that one. Another file is not executed."""
    try:
        return handwritten.load(program, sha256=sha256)
    except handwritten.AnotherText as other:
        raise CertificateProblem(f"the certificate is about another program text: {other} differs") from None


def digest_of_what_is_open(model: _engine.Model, section: bytes, secrets: bytes) -> bytes:
    """A digest of the successors of all states on the open path, as this process sees them.

    A class may list actions in the order of a set, which differs between processes. Then a position on the
    open path means one child to the process that leaves it and another to the one that goes on there, and
    a state could be lost between them. Compiled programs are the same everywhere.
    """
    digest = hashlib.sha256(secrets)
    numbers = varints(section)
    state: bytes | None = model.initial_state()[0]
    for _ in range(next(numbers)):
        assert state is not None
        successors = model.successors(state)
        digest.update(len(successors).to_bytes(8, "little"))
        for after, _ in successors:
            content = after or b""  # no state is empty
            digest.update(len(content).to_bytes(8, "little") + content)
        position, remaining = next(numbers), next(numbers)
        for _ in range(remaining):
            next(numbers)
        state = successors[position][0]
    return digest.digest()


def open_class(library: str) -> _engine.Model:
    """The step function of a class, from what `HandwrittenProgram.library` says."""
    wanted: dict[str, Any] = json.loads(library)
    system = load_unchanged(wanted["program"], wanted["sha256"])
    options = LanguageOptions(
        invariants=tuple(wanted["invariants"]), step_invariants=tuple(wanted["step_invariants"])
    )
    return _engine.PythonSystem(CanonicalSystem(system, options), MAX_STATE_WORDS)
