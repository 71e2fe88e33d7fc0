"""What a caller may ask of any search."""

from __future__ import annotations

from dataclasses import asdict, dataclass


class OptionProblem(ValueError):
    """An option has a value that it cannot have, or that does not go with the others."""


STRATEGIES = ("bfs", "dfs", "random-dfs", "cached")
STORAGES = ("exact", "fingerprint", "bitstate")
# What a cached search forgets first (docs/caching.md); the first is the default.
POLICIES = (
    "rungs",
    "cost",
    "cost-exact",
    "random",
    "age",
    "hits-fewest",
    "hits-most",
    "stratified",
    "depth",
)
MOST_CACHED = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Zero means "no limit" for every limit."""

    strategy: str = "bfs"
    storage: str = "exact"
    threads: int = 1
    seed: int = 0
    hash_functions: int = 3
    bitstate_bytes: int = 256 * 1024 * 1024
    memory_limit_bytes: int = 0
    time_limit_seconds: float = 0.0
    depth_limit: int = 0
    state_limit: int = 0
    stop_at_first_violation: bool = True
    check_deadlock: bool = True
    cache_size: int = 0  # states that a cached search keeps at most
    cache_policy: str = POLICIES[0]
    cache_strata: int = 4
    states_of_graph: int = 0  # if they are known; what a cached search did is told relative to it
    spill_directory: str = ""  # where the states are kept; empty: in memory
    resume: bool = False  # go on from the checkpoint there, if there is one

    def __post_init__(self) -> None:
        _one_of("search", self.strategy, STRATEGIES)
        _one_of("storage", self.storage, STORAGES)
        _between("threads", self.threads, 1, 1024)
        _between("seed", self.seed, 0, 2**64 - 1)
        _between("hash functions", self.hash_functions, 1, 32)
        _between("bitstate memory", self.bitstate_bytes, 1024, 2**50)
        _between("memory limit", self.memory_limit_bytes, 0, 2**60)
        _between("depth limit", self.depth_limit, 0, 2**63 - 1)
        _between("state limit", self.state_limit, 0, 2**63 - 1)
        _one_of("policy", self.cache_policy, POLICIES)
        _between("strata", self.cache_strata, 1, 1024)
        _between("states of the graph", self.states_of_graph, 0, 2**63 - 1)
        _between("cache size", self.cache_size, 0, MOST_CACHED)
        if self.strategy == "cached" and not self.cache_size:
            raise OptionProblem("cache size: a cached search needs to know how many states it may keep")
        if self.strategy == "cached" and (self.storage != "exact" or self.threads != 1):
            raise OptionProblem("search: a cached search runs on one thread with exact storage")
        if not 0 <= self.time_limit_seconds < float("inf"):
            raise OptionProblem(f"time limit: expected seconds, got {self.time_limit_seconds}")
        if self.resume and not self.spill_directory:
            raise OptionProblem("resume: it continues what --spill left on disk; name that directory too")
        if self.spill_directory:
            _only("search", self.strategy, "bfs")
            _only("storage", self.storage, "exact")
            if self.threads != 1:
                raise OptionProblem("spill: the search on disk runs on one thread; leave --threads out")

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise OptionProblem(f"{name}: expected one of {', '.join(choices)}, got {value!r}")


def _only(name: str, value: str, choice: str) -> None:
    if value != choice:
        raise OptionProblem(f"spill: the search on disk needs the {name} {choice}, got {value}")


def _between(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise OptionProblem(f"{name}: expected a number from {low} to {high}, got {value}")
