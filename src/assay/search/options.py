"""The one table of what a caller may ask of any search.

Each field of `SearchOptions` says everything about one option: its name in the engine (the field's), in the
API and in JSON, its flag, its range, its default, what it is for, and whether a search that is continued must
agree in it. The command line, the API, the JSON output and the engine all read it here; an option of a
strategy is added here and in the file of the strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, field, fields, replace
from typing import Any, Literal, TypedDict

from assay.records import dataclass
from assay.transition_system.language_options import OptionProblem

# Kudra's searches by abstract matching (docs/abstraction.md), and ours.
ABSTRACTIONS = (
    "amcs",
    "amcs-add-all",
    "amcs-no-prover",
    "max-overlap",
    "min-set",
    "min-only",
)
PROOFS = ("invariants", "auto")  # docs/proofs.md
SYMBOLIC = (*PROOFS, "packed", "symbolic", *ABSTRACTIONS)  # searches of the symbolic form of a program
SEQUENTIAL = (
    "bounded",
    "unwinding",
    "templates",
    "k-induction",
    "execution",
    "explicit",
    "quantified",
    "horn-integers",
    "horn",
    "predicates",
    "contracts",
)  # of C programs
STRATEGIES = ("bfs", "dfs", "random-dfs", "cached", *SYMBOLIC, *SEQUENTIAL)
STORAGES = ("exact", "fingerprint", "bitstate", "abstraction")
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
# In which order a depth-first search tries the steps of a process, and the processes of a state.
ORDERS = ("given", "reversed", "rotated", "random")
PROCESS_ORDERS = (*ORDERS, "permuted")
NOT_DRAWN = {"given", "reversed"}  # the same whatever the seed
MOST_CACHED = 2**31
MOST = 2**63 - 1

Kind = Literal[
    "choice", "count", "count or share", "memory", "duration", "switch", "directory", "names", "address"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    name: str  # in the API and in JSON
    flag: str
    kind: Kind
    help: str
    label: str  # in sentences about wrong values
    low: float = 0
    high: float = MOST
    choices: tuple[str, ...] = ()
    more_choices: Callable[[], tuple[str, ...]] | None = None  # asked for only when a value is none of those
    shown: bool = False  # the command line tells the default
    opposite: bool = False  # the API asks for the opposite of what the engine is told
    for_engine: bool = True
    identity: str = ""  # what a search that is continued must agree in; empty: it need not

    def all_choices(self) -> tuple[str, ...]:
        more = () if self.more_choices is None else self.more_choices()
        return (*self.choices, *(one for one in more if one not in self.choices))

    def check(self, value: Any) -> None:
        if self.kind == "choice" and value not in self.choices and value not in self.all_choices():
            raise OptionProblem(f"{self.label}: expected one of {', '.join(self.choices)}, got {value!r}")
        if self.kind in {"count", "count or share", "memory"} and not self.low <= value <= self.high:
            low, high = int(self.low), int(self.high)
            raise OptionProblem(f"{self.label}: expected a number from {low} to {high}, got {value}")
        if self.kind == "duration" and not 0 <= value < float("inf"):
            raise OptionProblem(f"{self.label}: expected seconds, got {value}")


def _offered_strategies() -> tuple[str, ...]:
    """What the engine was built with: a strategy makes itself known there. (Importing it takes a while.)"""
    from assay import _engine

    return tuple(sorted({name for name, *_, offered in _engine.strategies() if offered}))


def _option(default: Any, name: str, flag: str, kind: Kind, text: str, label: str = "", **more: Any) -> Any:
    label = label or name.replace("_", " ")
    option = Option(name=name, flag=flag, kind=kind, help=text, label=label, **more)
    return field(default=default, metadata={"option": option})


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Zero means "no limit" for every limit."""

    strategy: str = _option(
        "bfs", "search", "--search", "choice",
        "Order of the search; bfs, the default, finds shortest counterexamples. Bitstate needs dfs. "
        "cached searches depth first and forgets states when --cache-size are known. invariants looks for a "
        "proof, auto for that and for errors at once; packed is bfs over the compiled symbolic form, and "
        "symbolic takes sets of states, by decision diagrams; amcs and the following match states by "
        "predicates; bounded and the following prove C programs.",
        choices=STRATEGIES, more_choices=_offered_strategies,
    )  # fmt: skip
    storage: str = _option(
        "exact", "storage", "--storage", "choice",
        "How visited states are kept; all but exact may lose states and never verify. abstraction compares "
        "them by a key of the program's own.",
        choices=STORAGES, shown=True,
    )  # fmt: skip
    threads: int = _option(
        1, "threads", "--threads", "count", "Worker threads.", low=1, high=1024, shown=True
    )  # fmt: skip
    seed: int = _option(
        0, "seed", "--seed", "count", "For whatever is drawn: orders, hash functions, what a cache forgets.",
        high=2**64 - 1, shown=True,
    )  # fmt: skip
    order: str = _option(
        "given", "order", "--order", "choice",
        "In which order a depth-first search tries the steps of a process [given].", "order",
        choices=ORDERS,
    )  # fmt: skip
    process_order: str = _option(
        "given", "process_order", "--process-order", "choice",
        "In which order a depth-first search tries the processes [given]: permuted is one drawn order for "
        "all states, random one for each.", "process order",
        choices=PROCESS_ORDERS,
    )  # fmt: skip
    restarts: int = _option(
        0, "restarts", "--restarts", "count",
        "Begin a depth-first search again so many times, in another order with nothing remembered, each time "
        "after --restart-after states; the last attempt goes on.",
        high=2**32,
    )  # fmt: skip
    restart_after: int = _option(
        0, "restart_after", "--restart-after", "count",
        "States after which a search with --restarts gives up.", "restart after",
    )  # fmt: skip
    hash_functions: int = _option(
        3, "hash_functions", "--hash-functions", "count", "Bits set for each state in bitstate storage.",
        low=1, high=32, shown=True,
    )  # fmt: skip
    bitstate_bytes: int = _option(
        256 * 1024 * 1024, "bitstate_memory_bytes", "--bitstate-memory", "memory",
        "Size of the bit table in bitstate storage.", "bitstate memory", low=1024, high=2**50, shown=True,
    )  # fmt: skip
    cache_size: int = _option(
        0, "cache_size", "--cache-size", "count or share",
        "States that a cached search keeps at most: a number, or a share such as 25% of "
        "--states-of-graph, or else of --memory.",
        high=MOST_CACHED,
    )  # fmt: skip
    cache_policy: str = _option(
        POLICIES[0], "policy", "--policy", "choice",
        f"What a cached search forgets first [{POLICIES[0]}].", choices=POLICIES,
    )  # fmt: skip
    cache_strata: int = _option(
        4, "strata", "--strata", "count", "Levels that the policy stratified tells apart [4].",
        low=1, high=1024,
    )  # fmt: skip
    states_of_graph: int = _option(
        0, "states_of_graph", "--states-of-graph", "count",
        "How many states there are, if known; see --cache-size.", "states of the graph", for_engine=False,
    )  # fmt: skip
    memory_limit_bytes: int = _option(
        0, "memory_limit_bytes", "--memory", "memory", "Stop when the search needs more, for example 2GiB.",
        "memory limit", high=2**60,
    )  # fmt: skip
    time_limit_seconds: float = _option(
        0.0, "timeout_seconds", "--timeout", "duration", "Stop after this long since the start: 60s, 5m.",
        "time limit",
    )  # fmt: skip
    depth_limit: int = _option(
        0, "max_depth", "--max-depth", "count", "Do not look further than this many steps.", "depth limit",
        identity="depth limit",
    )  # fmt: skip
    state_limit: int = _option(
        0, "max_states", "--max-states", "count", "Stop after this many states.", "state limit"
    )  # fmt: skip
    check_deadlock: bool = _option(
        True, "check_deadlock", "--no-deadlock", "switch", "Do not report invalid end states.",
        identity="choice about deadlocks",
    )  # fmt: skip
    stop_at_first_violation: bool = _option(
        True, "all_errors", "--all-errors", "switch", "Go on after the first violation and count them all.",
        opposite=True, identity="choice about errors",
    )  # fmt: skip
    spill_directory: str = _option(
        "", "spill", "--spill", "directory",
        "Keep the states in this directory: exact, within --memory [1GiB], slower.",
    )  # fmt: skip
    resume: bool = _option(
        False, "resume", "--resume", "switch", "With --spill: continue a search that was stopped or killed."
    )  # fmt: skip
    cluster: str = _option(
        "", "cluster", "--cluster", "address",
        "Search on all workers of a Dask cluster: tcp://host:8786, with --spill DIR that all of them see; "
        "local:N starts one on this machine. --memory is for each worker.",
        for_engine=False,
    )  # fmt: skip
    observe: str = _option(
        "", "observe", "--observe", "names",
        "Who listens to the search and tells what it met: steps, sketch. Separated by commas.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name, option in table():
            option.check(getattr(self, name))
        if self.strategy == "cached" and not self.cache_size:
            raise OptionProblem("cache size: a cached search needs to know how many states it may keep")
        if self.strategy == "cached" and (self.storage != "exact" or self.threads != 1):
            raise OptionProblem("search: a cached search runs on one thread with exact storage")
        self._check_orders()
        if self.strategy in (*SYMBOLIC, *SEQUENTIAL) and (self.storage != "exact" or self.threads != 1):
            raise OptionProblem(f"search: {self.strategy} runs on one thread with exact storage")
        if self.resume and not self.spill_directory:
            raise OptionProblem("resume: it continues what --spill left on disk; name that directory too")
        if self.spill_directory:
            for name, value, needed in (("search", self.strategy, "bfs"), ("storage", self.storage, "exact")):
                if value != needed:
                    raise OptionProblem(f"spill: the search on disk needs the {name} {needed}, got {value}")
            if self.threads != 1:
                raise OptionProblem("spill: the search on disk runs on one thread; leave --threads out")
        self._check_cluster()

    def _check_cluster(self) -> None:
        if not self.cluster:
            return
        for name, value, needed in (
            ("search", self.strategy, "bfs"),
            ("storage", self.storage, "exact"),
            ("threads", self.threads, 1),
            ("observe", self.observe, ""),
        ):
            if value != needed:
                instead = f"needs the {name} {needed}" if needed else f"has nobody who listens ({name})"
                raise OptionProblem(f"cluster: the search on a cluster {instead}, got {value}")

    def _check_orders(self) -> None:
        asked = {
            "order": self.order != "given",
            "process order": self.process_order != "given",
            "restarts": self.restarts > 0,
        }
        for name in (name for name, is_asked in asked.items() if is_asked):
            if self.strategy not in {"dfs", "random-dfs"}:
                raise OptionProblem(
                    f"{name}: depth-first searches have one (dfs, random-dfs), got {self.strategy}"
                )
        if self.strategy == "random-dfs" and self.order not in {"given", "random"}:
            raise OptionProblem(f"order: random-dfs tries steps in random order, not {self.order}; use dfs")
        if bool(self.restarts) != bool(self.restart_after):
            raise OptionProblem("restarts: --restarts and --restart-after go together")
        drawn = self.strategy == "random-dfs" or not {self.order, self.process_order} <= NOT_DRAWN
        if self.restarts and not drawn:
            raise OptionProblem(
                "restarts: every attempt would go the same way; choose random-dfs, or an order that is drawn"
            )

    def breadth_first(self, **changes: Any) -> SearchOptions:
        """The same request, level by level on one thread with exact storage, and changed as told."""
        plain: dict[str, Any] = {
            "order": "given",
            "process_order": "given",
            "restarts": 0,
            "restart_after": 0,
        }
        plain |= {"strategy": "bfs", "storage": "exact", "threads": 1, "cache_size": 0}
        return replace(self, **{**plain, **changes})

    @classmethod
    def from_keywords(cls, given: Mapping[str, Any]) -> SearchOptions:
        """From the words of the API."""
        values: dict[str, Any] = {
            name: (not given[option.name]) if option.opposite else given[option.name]
            for name, option in table()
            if option.name in given
        }
        return cls(**values)

    def as_keywords(self) -> dict[str, object]:
        """In the words of the API and of JSON; no directory is null there."""
        values = {
            option.name: (not getattr(self, name)) if option.opposite else getattr(self, name)
            for name, option in table()
        }
        return values | {"spill": self.spill_directory or None}

    def identity(self) -> list[tuple[str, str]]:
        """What a search on disk must agree in to be continued."""
        words: dict[object, str] = {True: "yes", False: "no"}
        values = ((option.identity, getattr(self, name)) for name, option in table() if option.identity)
        return [(what, words[value] if isinstance(value, bool) else str(value)) for what, value in values]

    def for_engine(self) -> dict[str, object]:
        """By the names of the engine."""
        return {name: getattr(self, name) for name, option in table() if option.for_engine}


class SearchKeywords(TypedDict, total=False):
    """The same words for whoever checks types; a test holds both together."""

    search: str
    storage: str
    threads: int
    seed: int
    order: str
    process_order: str
    restarts: int
    restart_after: int
    hash_functions: int
    bitstate_memory_bytes: int
    cache_size: int
    policy: str
    strata: int
    states_of_graph: int
    memory_limit_bytes: int
    timeout_seconds: float
    max_depth: int
    max_states: int
    check_deadlock: bool
    all_errors: bool
    spill: Any
    resume: bool
    cluster: str
    observe: str


def table() -> Iterator[tuple[str, Option]]:
    """Every option with its name in the engine."""
    for one in fields(SearchOptions):
        yield one.name, _described(one)


def _described(one: Field[Any]) -> Option:
    option = one.metadata["option"]
    assert isinstance(option, Option)
    return option
