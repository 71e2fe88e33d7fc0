"""The searches of one verification share one cluster: that of states, and one for each claim about runs."""

from __future__ import annotations

import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self

from assay.clustering import coordinator, cycles
from assay.distribution.interface import ClusterProblem
from assay.distribution.local_cluster import workers_wanted
from assay.distribution.pinned_tasks import PinnedTasks
from assay.transition_system.language_options import OptionProblem

if TYPE_CHECKING:
    from assay.search.cycles import CycleOutcome
    from assay.search.native import NativeOutcome
    from assay.search.options import SearchOptions
    from assay.transition_system.interface import Opening, TemporalProperty


class ClusterSearches:
    """A context manager. The cluster is looked for when the first search begins."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._stack = contextlib.ExitStack()
        self._tasks: PinnedTasks | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def search(self, opening: Opening, options: SearchOptions, **request: Any) -> NativeOutcome:
        """What `search.native.search` does."""
        with contextlib.ExitStack() as stack:
            path = self._directory(options.spill_directory, stack)
            return coordinator.search(self._connected(), path, opening, options, **request)

    def find_violation(
        self,
        opening: Opening,
        wanted: TemporalProperty,
        options: SearchOptions,
        *,
        directory: Path | None,
        **request: Any,
    ) -> CycleOutcome:
        """What `search.cycles.find_violation` does."""
        with contextlib.ExitStack() as stack:
            path = self._directory("" if directory is None else str(directory), stack)
            return cycles.find_violation(self._connected(), path, opening, wanted, options, **request)

    def _directory(self, named: str, stack: contextlib.ExitStack) -> str:
        if named:
            return named
        try:
            is_local = workers_wanted(self._address) is not None
        except ClusterProblem as problem:
            raise OptionProblem(f"cluster: {problem}") from None
        if not is_local:
            raise OptionProblem(
                "cluster: the search needs a directory that this machine and all workers share; "
                "name it with --spill DIR"
            )
        return stack.enter_context(TemporaryDirectory(prefix="assay-cluster-"))

    def _connected(self) -> PinnedTasks:
        if self._tasks is None:
            try:
                self._tasks = self._stack.enter_context(PinnedTasks(self._address))
            except ClusterProblem as problem:
                raise OptionProblem(f"cluster: {problem}") from problem
        return self._tasks
