"""The native engine. Thin typed modules in `search` and `transition_system` rename it."""

from collections.abc import Callable, Sequence

ABI_VERSION: int

class Model:
    """A transition system the engine can search: compiled or explicit."""

    def initial_state(self) -> tuple[bytes, int]:
        """The initial state and the violation code met while setting it up (0: none)."""

    def successors(self, state: bytes) -> list[tuple[bytes | None, int]]:
        """Successor states in their fixed order, each with its violation code."""

    def explain(self, state: bytes, position: int) -> list[tuple[int, int, bytes]]:
        """The primitive steps (process, transition, state after) of one successor."""

    def is_valid_end(self, state: bytes) -> bool: ...
    def check_state(self, state: bytes) -> int: ...
    def check_step(self, before: bytes, after: bytes) -> int: ...

class CompiledModel(Model):
    def __init__(self, library: str) -> None: ...

class ExplicitGraph(Model):
    """A graph given edge by edge, for tests and for learning.

    `states[i]` is the state string of node i (a multiple of 8 bytes, all
    different; node 0 is initial); `edges[i]` lists (target node or -1 for an
    error without a state, violation code) in order.
    """

    def __init__(
        self,
        states: Sequence[bytes],
        edges: Sequence[Sequence[tuple[int, int]]],
        valid_ends: Sequence[bool],
        state_violations: Sequence[int],
    ) -> None: ...

class Progress:
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def frontier(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def tracing(self) -> bool:
        """The search is over and found something; the paths to it are being made."""

class Violation:
    """`path` names successors by position, from the initial state on.

    code: the model's violation code; 0 means an invalid end state.
    """

    @property
    def code(self) -> int: ...
    @property
    def path(self) -> list[int]: ...

class SearchResult:
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def complete(self) -> bool: ...  # the search saw every state that its storage lets it see
    @property
    def stop_reason(self) -> str: ...  # "", "violation", "memory", "time", "depth", "states", "interrupted"
    @property
    def violations(self) -> list[Violation]: ...  # the first of each distinct code, first found first
    @property
    def violation_count(self) -> int: ...  # all of them, when the search goes on after the first
    @property
    def seconds(self) -> float: ...
    @property
    def table_bytes(self) -> int: ...  # memory that the engine's own tables hold at the end
    @property
    def bits_set(self) -> int: ...  # bitstate only: filled bits
    @property
    def bits_total(self) -> int: ...
    @property
    def frontier(self) -> int: ...  # states stored whose successors were not all explored

def search(
    model: Model,
    *,
    strategy: str,  # "bfs", "dfs", "random-dfs"
    storage: str,  # "exact", "fingerprint", "bitstate"
    threads: int,
    seed: int,
    hash_functions: int,  # bitstate
    bitstate_bytes: int,
    memory_limit_bytes: int,  # 0: none; resident memory of this process
    time_limit_seconds: float,  # 0: none
    depth_limit: int,  # 0: none
    state_limit: int,  # 0: none
    stop_at_first_violation: bool,
    check_deadlock: bool,
    on_progress: Callable[[Progress], bool] | None,  # False stops the search ("interrupted")
    progress_interval_seconds: float,
) -> SearchResult: ...
