"""Statement merging: a step into a place where only a private step follows takes that step too.

Nobody can see the state in between, and nobody can influence the second step: it
has no alternative, is always executable and touches only what is private to its
process. The rule looks at the control graph alone, so it is the same for every
search. Along a cycle of such steps at least one is left unmerged.

Nothing may get lost either. A step that can be an error is not merged, because then
the first step would leave no state for the others to go on from. An assertion is
merged only where it belongs to the same atomic sequence anyway, because a transition
reports one violation and an earlier step may need that.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.languages.promela import operations as ops
from assay.languages.promela.control import ControlGraph, Transition
from assay.languages.promela.footprint import Visibility, operation_can_fail
from assay.languages.promela.operations import Process


def silent_step(
    process: Process, graph: ControlGraph, location: int, visibility: Visibility
) -> Transition | None:
    """The only thing that can happen at a location, if it is private and always executable."""
    edges = graph.edges.get(location, [])
    if len(edges) != 1 or edges[0].escape:
        return None
    transition = edges[0].transition
    if not isinstance(transition.operation, ops.Skip | ops.Store | ops.PrintText | ops.Check):
        return None
    if not visibility.is_local(process, transition) or operation_can_fail(transition.operation):
        return None
    return transition


def fused(
    processes: Sequence[Process], graphs: dict[str, ControlGraph], visibility: Visibility
) -> dict[tuple[str, int], list[Transition]]:
    """(process, transition) -> the private steps that follow it at once."""
    result: dict[tuple[str, int], list[Transition]] = {}
    for process in processes:
        if process.name in visibility.watched or process.provided is not None:
            continue
        graph = graphs[process.name]
        for transition in visibility.transitions[process.name].values():
            if isinstance(transition.operation, ops.Stop):
                continue
            followers: list[Transition] = []
            passed = {transition.number}
            last = transition
            while (step := silent_step(process, graph, last.target, visibility)) is not None:
                # Entering an atomic sequence from outside must stay a step of its own:
                # others may act before the sequence takes control.
                if step.number in passed or (step.continues and not last.continues):
                    break
                if isinstance(step.operation, ops.Check) and not last.continues:
                    break
                passed.add(step.number)
                followers.append(step)
                last = step
            if followers:
                result[process.name, transition.number] = followers
    return result
