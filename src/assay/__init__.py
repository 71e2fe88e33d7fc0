"""Assay: a software model checker whose results carry their own evidence.

    import assay

    result = assay.verify("leader.pml", invariants=["leaders <= 1"])
    assert result.verdict is assay.Verdict.VERIFIED

A Python program that is to be verified may say `assay.choose`, `assay.assume`, `assay.invariant`,
`assay.label` and `assay.atomic`; what they do when it is only run is in `assay.plain`.

The names below are imported when they are first used, so that a child process
which only searches starts without the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.certification import certify
    from assay.certification.result import CertificationResult
    from assay.evidence.counterexample import Counterexample, Step
    from assay.evidence.result import Result, Violation
    from assay.evidence.verdict import Verdict
    from assay.plain import assume, atomic, choose, invariant, label
    from assay.search.options import SearchOptions
    from assay.swarming import SwarmResult, swarm
    from assay.temporal import always, eventually, leads_to
    from assay.transition_system.interface import SourceProblem, TransitionSystem, Violated
    from assay.verification import replay, verify

__version__ = "0.1.0"

__all__ = [
    "CertificationResult",
    "Counterexample",
    "Result",
    "SearchOptions",
    "SourceProblem",
    "Step",
    "SwarmResult",
    "TransitionSystem",
    "Verdict",
    "Violated",
    "Violation",
    "__version__",
    "always",
    "assume",
    "atomic",
    "certify",
    "choose",
    "eventually",
    "invariant",
    "label",
    "leads_to",
    "replay",
    "swarm",
    "verify",
]

_HOME = {
    "CertificationResult": "assay.certification.result",
    "Counterexample": "assay.evidence.counterexample",
    "Result": "assay.evidence.result",
    "SearchOptions": "assay.search.options",
    "SourceProblem": "assay.transition_system.interface",
    "Step": "assay.evidence.counterexample",
    "SwarmResult": "assay.swarming",
    "TransitionSystem": "assay.transition_system.interface",
    "Verdict": "assay.evidence.verdict",
    "Violated": "assay.transition_system.interface",
    "Violation": "assay.evidence.result",
    "always": "assay.temporal",
    "assume": "assay.plain",
    "atomic": "assay.plain",
    "certify": "assay.certification",
    "choose": "assay.plain",
    "eventually": "assay.temporal",
    "invariant": "assay.plain",
    "label": "assay.plain",
    "leads_to": "assay.temporal",
    "replay": "assay.verification",
    "swarm": "assay.swarming",
    "verify": "assay.verification",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value
