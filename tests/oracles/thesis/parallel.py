"""Certification of the regions one by one, and the comparison of their maps (3.2.2).

Each task follows its initialization path and then its region, with a map FP of
its own. A number that belongs to another region is fixed by the first transition
that leads there. In the end all maps must agree: every such claim is compared with the
state that the number's own region visited. This also ties the regions together: the
transition into a region is such a claim, so a task that started in another state
is found out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from assay.evidence.script import Script
from tests.oracles.thesis.certification import (
    Claim,
    Discrepancy,
    FingerprintMap,
    Model,
    VeracityError,
    follow,
)
from tests.oracles.thesis.partition import Region

State = TypeVar("State")


def certify_region(script: Script, model: Model[State], region: Region) -> FingerprintMap[State]:
    """One task: the states of the region, and what it claims about others."""
    state = model.initial
    for number, position in zip(region.ancestors, region.path, strict=True):
        successors = model.successors(state)
        if position >= len(successors):
            raise VeracityError(Discrepancy.NONEXISTENT_TRANSITION, number, len(successors))
        state = successors[position]
    fingerprints: FingerprintMap[State] = FingerprintMap()
    follow(script, model, fingerprints, root=region.root, start=state, cut=region.holes())
    return fingerprints


def compare(maps: Iterable[FingerprintMap[State]], states: int) -> dict[int, State]:
    """What all maps say together, or `VeracityError` for a claim that another map refutes."""
    visited: dict[int, State] = {}
    claims: list[tuple[int, Claim[State]]] = []
    for fingerprints in maps:
        if not visited.keys().isdisjoint(fingerprints.visited):
            raise ValueError("two regions visit the same number")
        visited |= fingerprints.visited
        claims += fingerprints.expected.items()
    if len(visited) != states:
        raise ValueError(f"the regions visit {len(visited)} of {states} states")
    for number, claim in claims:
        if visited[number] != claim.state:
            raise claim.refuted(number, visited)
    return visited


def certify_in_parallel(
    script: Script,
    model: Model[State],
    regions: Sequence[Region],
    run: Callable[..., Iterable[FingerprintMap[State]]] = map,
) -> dict[int, State]:
    """What `certify` answers, by tasks that share nothing; `run` is a `map` of whatever runs them."""
    visited = compare(run(partial(certify_region, script, model), regions), script.states)
    if visited[0] != model.initial:
        raise ValueError("no region begins in the initial state")
    return visited
