"""Repeating an estimate of coverage on the certifier's own machine.

An estimate proves nothing, so this ends in no verdict about the program: the
answer is `incomplete` when the repetition agrees and `rejected` when it does
not. That the producer's search really visited the states it says, only a
search could show.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assay import __version__, languages
from assay.certification.result import CertificationResult
from assay.evidence.estimate_file import EstimateProblem, SavedEstimate, load_estimate
from assay.evidence.verdict import Verdict
from assay.execution import model_process
from assay.search.estimation import Estimation, Estimator, Plan
from assay.search.estimation_methods import METHODS
from assay.search.options import SearchOptions
from assay.transition_system.language_options import LanguageOptions, OptionProblem

# Of a stranger's estimate, unless --memory says otherwise.
MOST_MEMORY_BYTES = 2 * 1024**3
OTHER_SEED = 7_919  # what is repeated shall not repeat the same chance
TOLERANCE = 0.01  # intervals this far apart still agree


def certify_estimate(
    program: str | Path,
    path: str | Path,
    *,
    memory_limit_bytes: int = 0,
    timeout_seconds: float = 0.0,
    on_progress: Callable[[model_process.Progress], None] | None = None,
    started: float | None = None,
) -> CertificationResult:
    """Repeat the estimate in a file and compare. Raises `EstimateProblem` if it cannot be repeated."""
    started = time.monotonic() if started is None else started
    saved = load_estimate(Path(path))
    if saved.method not in METHODS or saved.method == "levels":
        raise EstimateProblem(f"{path}: an estimate by {saved.method[:40]!r} cannot be repeated")
    compiled = languages.load(Path(program), _language_options(saved))
    facts = CertificationResult(
        verdict=Verdict.REJECTED,
        program=str(program),
        certificate={"path": str(path), "bytes": Path(path).stat().st_size, "sha256": ""},
        mode="estimate",
        claim=f"an estimate, no proof: {saved.states:,} states are {_interval(saved)} of all",
        semantics=dict(compiled.semantics),
        version=__version__,
    )
    if tuple(source.sha256 for source in compiled.sources) != saved.sources:
        return replace(facts, reasons=("the estimate is of another program",))
    memory = memory_limit_bytes or MOST_MEMORY_BYTES
    plan = Plan(
        method=saved.method,
        states=saved.states,
        memory_bytes=max(1024, min(saved.memory_bytes, memory)),
        seed=saved.seed + OTHER_SEED,
        exhaustive_share=saved.exhaustive_share,
    )
    estimator = Estimator(
        compiled.opening,
        SearchOptions(memory_limit_bytes=memory_limit_bytes),
        deadline=started + timeout_seconds if timeout_seconds else None,
        on_progress=on_progress,
    )
    repeated = estimator.run(plan)
    seconds = time.monotonic() - started
    if repeated is None:
        why = "the estimate could not be repeated within the limits"
        return replace(facts, verdict=Verdict.INCOMPLETE, reasons=(why,), seconds=seconds)
    agrees, sentence = compare(saved, repeated)
    return replace(
        facts,
        verdict=Verdict.INCOMPLETE if agrees else Verdict.REJECTED,
        reasons=(sentence,),
        notes=("that the producer's search visited these states is not checked",) if agrees else (),
        seconds=seconds,
    )


def compare(saved: SavedEstimate, repeated: Estimation) -> tuple[bool, str]:
    """Whether both intervals have room for one truth, and the sentence that says so."""
    ours = repeated.estimate
    agrees = max(saved.low, ours.low) <= min(saved.high, ours.high) + TOLERANCE
    here = f"{_percent(ours.coverage)} (between {_percent(ours.low)} and {_percent(ours.high)})"
    if agrees:
        return True, f"nothing is proved; the estimate was repeated and agrees: {here}"
    return False, f"the estimate was repeated and does not agree: {here}, claimed {_interval(saved)}"


def _interval(saved: SavedEstimate) -> str:
    return f"{_percent(saved.coverage)} (between {_percent(saved.low)} and {_percent(saved.high)})"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _language_options(saved: SavedEstimate) -> LanguageOptions:
    try:
        return LanguageOptions.from_json(saved.options)
    except OptionProblem as problem:
        raise EstimateProblem(f"the estimate cannot be read: {problem}") from None
