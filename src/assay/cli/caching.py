"""The options of a cached search: how large a cache is that was given as a share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.search.options import MOST_CACHED
from assay.transition_system.language_options import OptionProblem

# A key, its place in the index, what the policy keeps, and the stack at its deepest.
BYTES_PER_STATE = 100
OPTIONS = ("cache_size", "policy", "strata", "states_of_graph")


def cache_size(given: Mapping[str, Any]) -> int:
    """States that the cache may hold; 0 for other searches."""
    wanted, search = given["cache_size"], given["search"]
    if search not in {None, "cached"} or (search is None and not wanted):
        for name in OPTIONS:
            if given[name] is not None:
                raise OptionProblem(f"--{name.replace('_', '-')} is for --search cached --cache-size N")
        return 0
    if wanted is None:
        raise OptionProblem(
            "a cached search needs --cache-size: how many states it may keep, for example 100000"
        )
    if given["strata"] is not None and given["policy"] != "stratified":
        raise OptionProblem("--strata is for --policy stratified")
    if isinstance(wanted, int):
        return wanted
    if given["states_of_graph"]:
        states = wanted * given["states_of_graph"]
    elif given["memory_limit_bytes"]:
        states = wanted * given["memory_limit_bytes"] / BYTES_PER_STATE
    else:
        raise OptionProblem(
            f"--cache-size {wanted:.0%} of what? give --states-of-graph N or --memory, or a number of states"
        )
    return min(max(1, int(states)), MOST_CACHED)
