"""The searches in plain Python: the readable specification of the native ones.

They are the oracle of the engine in tests, so they are written to be read: one file per strategy.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

from assay.search.outcome import Model, Outcome, Progress, State
from assay.search.reference.bitstate_depth_first import bitstate_depth_first
from assay.search.reference.breadth_first import breadth_first
from assay.search.reference.cached_depth_first import cached_depth_first
from assay.search.reference.depth_first import depth_first
from assay.search.reference.fingerprint_breadth_first import fingerprint_breadth_first
from assay.search.reference.random_depth_first import random_depth_first
from assay.search.reference.run import Run
from assay.search.reference.spilling_breadth_first import spilling_breadth_first

__all__ = ["search"]


def search(
    model: Model[State],
    *,
    strategy: str = "bfs",
    storage: str = "exact",
    seed: int = 0,
    hash_functions: int = 3,
    bitstate_bytes: int = 1 << 20,
    memory_limit_bytes: int = 0,
    time_limit_seconds: float = 0.0,
    depth_limit: int = 0,
    state_limit: int = 0,
    stop_at_first_violation: bool = True,
    check_deadlock: bool = True,
    on_progress: Callable[[Progress], bool | None] | None = None,
    progress_interval_seconds: float = 1.0,
    cache_size: int = 0,
    cache_policy: str = "rungs",
    cache_strata: int = 4,
    keep_cache: bool = False,
    spill_directory: str = "",
    spill_batch_states: int = 1 << 16,
) -> Outcome:
    """Search a model. Options mean what they mean to the engine; 0 is "no limit".

    With `spill_directory` the states must be bytes; they are kept there, and at
    most about `spill_batch_states` of them in memory.
    """
    run = Run(
        model,
        memory_limit_bytes=memory_limit_bytes,
        time_limit_seconds=time_limit_seconds,
        depth_limit=depth_limit,
        state_limit=state_limit,
        stop_at_first_violation=stop_at_first_violation,
        check_deadlock=check_deadlock,
        on_progress=on_progress,
        progress_interval_seconds=progress_interval_seconds,
    )
    match storage, strategy:
        case "exact", "bfs" if spill_directory:
            spilling_breadth_first(cast(Run[bytes], run), Path(spill_directory), spill_batch_states)
        case "exact", "bfs":
            breadth_first(run)
        case "exact", "dfs":
            depth_first(run)
        case "exact", "random-dfs":
            random_depth_first(run, seed)
        case "exact", "cached":
            cached_depth_first(
                run,
                size=cache_size,
                policy=cache_policy,
                strata=cache_strata,
                seed=seed,
                contents=keep_cache,
            )
        case "fingerprint", "bfs":
            fingerprint_breadth_first(run, seed)
        case "bitstate", "dfs" | "random-dfs":
            bitstate_depth_first(
                run,
                seed,
                shuffle=strategy == "random-dfs",
                functions=hash_functions,
                size_bytes=bitstate_bytes,
            )
        case _:
            raise ValueError(
                f"storage {storage!r} and strategy {strategy!r} do not go together; "
                f"exact storage goes with bfs, dfs, random-dfs and cached, fingerprint with bfs, "
                f"bitstate with dfs and random-dfs"
            )
    return run.outcome()
