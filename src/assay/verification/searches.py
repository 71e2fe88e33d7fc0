"""Who searches, for states and for runs that never end: this machine, or a cluster."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assay.search import native
from assay.search.options import SearchOptions
from assay.transition_system.interface import Opening, TemporalProperty

if TYPE_CHECKING:
    from assay.search.cycles import CycleOutcome


class Searches(Protocol):
    """Requests are those of `search.native.search` and of `search.cycles.find_violation`."""

    def search(self, opening: Opening, options: SearchOptions, **request: Any) -> native.NativeOutcome: ...
    def find_violation(
        self,
        opening: Opening,
        wanted: TemporalProperty,
        options: SearchOptions,
        *,
        directory: Path | None,
        **request: Any,
    ) -> CycleOutcome: ...


class _OnOneMachine:
    def search(self, opening: Opening, options: SearchOptions, **request: Any) -> native.NativeOutcome:
        return native.search(opening, options, **request)

    def find_violation(
        self,
        opening: Opening,
        wanted: TemporalProperty,
        options: SearchOptions,
        *,
        directory: Path | None,
        **request: Any,
    ) -> CycleOutcome:
        from assay.search.cycles import find_violation

        return find_violation(opening, wanted, options, directory=directory, **request)


def searches(options: SearchOptions) -> contextlib.AbstractContextManager[Searches]:
    if not options.cluster:
        return contextlib.nullcontext(_OnOneMachine())
    from assay.clustering.session import ClusterSearches  # it takes a while to import what it needs

    return ClusterSearches(options.cluster)
