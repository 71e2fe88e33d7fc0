"""The successors of one state, asked of the process that runs the model: for those who look for a run by
its states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.records import dataclass

if TYPE_CHECKING:
    from assay._engine import Model
    from assay.execution.model_process import ModelProcess
    from assay.transition_system.interface import Opening

WORK = "assay.execution.expanding:work"


@dataclass(frozen=True, slots=True)
class Expanded:
    state: bytes
    successors: tuple[tuple[bytes | None, int], ...]  # each with its violation
    descriptions: dict[str, Any] | None  # of a model that describes itself


def expand(opening: Opening, state: bytes | None, process: ModelProcess) -> Expanded:
    """Of the initial state, if none is given."""
    from assay.execution.model_process import EngineFailure, Job

    facts = {"state": None if state is None else state.hex()}
    with Job(WORK, facts, opening, process) as child:
        child.watch(deadline=None, memory_limit_bytes=0, on_progress=None)
        child.raise_if_it_failed()
        found = child.searched
    if found is None:
        raise EngineFailure("the process that ran the model died while a run was followed")
    return Expanded(
        bytes.fromhex(found["state"]),
        tuple((None if after is None else bytes.fromhex(after), code) for after, code in found["successors"]),
        found["descriptions"],
    )


def work(model: Model, job: dict[str, Any], send: Any, _stopped: object) -> None:
    """In the child."""
    from assay.transition_system.opening import describes_itself

    state = model.initial_state()[0] if job["state"] is None else bytes.fromhex(job["state"])
    successors = model.successors(state)
    descriptions = None
    if describes_itself(model):
        states = [state, *(after for after, _ in successors if after is not None)]
        codes = {code for _, code in successors if code}
        descriptions = {
            "states": {one.hex(): model.describe(one) for one in states},
            "violations": {str(code): model.violation(code) for code in codes},
            "steps": [],
        }
    send(
        "searched",
        state=state.hex(),
        successors=[[None if after is None else after.hex(), code] for after, code in successors],
        descriptions=descriptions,
    )
