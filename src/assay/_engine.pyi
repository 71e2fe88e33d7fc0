"""The native engine. Thin typed modules in `search` and `transition_system` rename it."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypedDict, Unpack, overload

ABI_VERSION: int
ACCEPTING_CYCLE: int

class DiskProblem(RuntimeError):
    """The disk of a search with `spill_directory` is full, broken or not ours."""

class GraphProblem(RuntimeError):
    """The graph that a search went through cannot be written down."""

class UnsupportedProgram(RuntimeError):
    """The program does what its front end does not model."""

class AssumptionFailed(RuntimeError):
    """Names what the front end assumed and does not hold."""

class NotPortable(RuntimeError):
    """Bytes that came from another process, or from its file, are not what they should be."""

class CheckpointProblem(Exception):
    """What lies in `spill_directory` cannot be continued from, or must not be overwritten."""

class BrokenPromise(Exception):
    """A transition system did not keep a promise on which everything else rests."""

class Model:
    """A transition system the engine can search: compiled, explicit or in Python."""

    def initial_state(self) -> tuple[bytes, int]:
        """The initial state and the violation code met while setting it up (0: none)."""

    def successors(self, state: bytes) -> list[tuple[bytes | None, int]]:
        """Successor states in their fixed order, each with its violation code."""

    def explain(self, state: bytes, position: int) -> list[tuple[int, int, bytes]]:
        """The primitive steps (process, transition, state after) of one successor."""

    def is_valid_end(self, state: bytes) -> bool: ...
    def check_state(self, state: bytes) -> int: ...
    def check_step(self, before: bytes, after: bytes) -> int: ...
    def processes(self, state: bytes) -> list[int | None]:
        """Whose step each successor is."""

    def enabled(self, state: bytes) -> set[int]:
        """The processes that can move, also where a reduction follows only some of them."""

    @property
    def flags(self) -> int: ...
    @property
    def label_count(self) -> int: ...
    def labels(self, state: bytes) -> int:
        """The values of the atomic propositions, one bit each."""

    def content_hash(self, state: bytes) -> int:
        """Of what the state is made of: the same in every process."""

    @property
    def acceptance_count(self) -> int: ...
    def acceptance(self, state: bytes) -> int:
        """The acceptance sets that the state is in, one bit each."""

    def match_key(self, state: bytes) -> bytes:
        """What states are compared by where matching is by key; the state itself if nothing else was said."""

class CompiledModel(Model):
    def __init__(self, library: str, key: bytes = b"") -> None: ...
    @staticmethod
    def confine(readable: Sequence[str]) -> None:
        """Makes this process harmless before the first piece of embedded C is executed in it: no network, no
        programs, no changes of files, no files but those under `readable`; there is no way back."""

    def digests(self) -> int:
        """How many contents of the memory of embedded C have a digest."""

    def longest_digested(self) -> int:
        """Of how many elements of the field the longest of them is."""
    def untracked(self) -> list[tuple[int, int, bool]]:
        """What embedded C changed that is no part of the state: address, number of its piece, and whether
        that is a c_expr."""

    def memory_of(self, state: bytes) -> bytes:
        """All that embedded C can write, except for its heap, as it is in a state."""

    def take_output(self) -> bytes:
        """What embedded C printed since it was asked last."""

class PythonMachine(Model):
    """A Python program, compiled by `languages.python.compiler`, under every schedule."""

    def __init__(
        self,
        program: object,
        granularity: str,
        key: bytes = b"",
        invariants: bool = True,
        distrustful: bool = False,
        watching: bool = False,
        labels: Sequence[str] = ...,
        atoms: Sequence[str] = ...,
        matches: int = 0,
        matches_anywhere: bool = False,
    ) -> None: ...
    def describe(self, state: bytes) -> dict[str, object]: ...
    def explain(self, state: bytes, position: int) -> dict[str, object]: ...  # type: ignore[override]
    def violation(self, code: int) -> dict[str, object]: ...
    def statistics(self) -> dict[str, int]: ...
    def remarks(self) -> list[str]:
        """What a verdict has to mention, with its place, of the steps computed so far."""

def run_python_sequentially(program: object, modules: dict[str, object]) -> tuple[str, str | None]:
    """Runs a program, each of its threads at once when it starts: what it printed, and the last line of the
    traceback if it ended with an exception. `modules` are those of CPython that it uses as they are."""

class ExplicitGraph(Model):
    """A graph given edge by edge, for tests and for learning.

    `states[i]` is the state string of node i (a multiple of 8 bytes, all
    different; node 0 is initial); `edges[i]` lists (target node or -1 for an
    error without a state, violation code) in order, and `processes[i]` whose steps they are.
    """

    def __init__(
        self,
        states: Sequence[bytes],
        edges: Sequence[Sequence[tuple[int, int]]],
        valid_ends: Sequence[bool],
        state_violations: Sequence[int],
        labels: Sequence[int] = [],
        processes: Sequence[Sequence[int]] = [],
        acceptance: Sequence[int] = [],
        acceptance_count: int = 0,
    ) -> None: ...

class Product(Model):
    """A system watched by an automaton over its labels, which begins in location 0.

    `edges[q]` lists (mask of the labels it looks at, how they must be, target) in order;
    `acceptance[q]` has a bit for each acceptance set that location q is in.
    """

    def __init__(
        self,
        system: Model,
        edges: Sequence[Sequence[tuple[int, int, int]]],
        acceptance: Sequence[int],
        acceptance_count: int,
    ) -> None: ...

class Audit(Model):
    """A system whose promises are checked while it is used: `BrokenPromise` where it does not keep them."""

    def __init__(self, system: Model) -> None: ...
    @property
    def audited(self) -> int: ...

class KnownParts:
    """The parts of states that a receiver, or a file, was told. It forgets them where they take too much."""

    def __init__(self, most_bytes: int) -> None: ...
    def clear(self) -> None: ...
    def __len__(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class Exchange:
    """States that travel between processes which opened the same program and have the same key."""

    def __init__(self, model: Model, key: bytes, most_bytes: int = ...) -> None: ...
    def block(
        self, states: Sequence[bytes], known: KnownParts | None = None, notes: Sequence[bytes] = []
    ) -> bytes:
        """The states, each with words that go with it, and their parts as far as they are not `known`."""

    def read(self, block: bytes) -> list[tuple[bytes, bytes]]:
        """The states of blocks that stand one behind another, as states of this process, with their notes.
        Raises `NotPortable` where the bytes are not what `block` gave."""

    @staticmethod
    def whole(blocks: bytes) -> int:
        """How many bytes at the beginning are whole blocks."""

    @property
    def parts(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class PythonSystem(Model):
    """Asks an object with the methods of `Model`, of which it needs `initial_state`, `successors`
    and `is_valid_end`. No state may be longer than `max_words` 8-byte words."""

    def __init__(self, system: object, max_words: int) -> None: ...

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
    @property
    def rounds(self) -> int: ...
    @property
    def predicates(self) -> int: ...
    @property
    def eligible(self) -> int: ...

class Violation:
    """`path` names successors by position, from the initial state on.

    code: the model's violation code; 0 means an invalid end state, ACCEPTING_CYCLE a run that never ends:
    from step number `loop_start` of `path` on it goes round and round.
    """

    @property
    def code(self) -> int: ...
    @property
    def path(self) -> list[int]: ...
    @property
    def loop_start(self) -> int | None: ...

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
    def stop_reason(
        self,
    ) -> str: ...  # "", "violation", "memory", "time", "depth", "states", "interrupted", "cache"
    @property
    def guarantee(self) -> str: ...  # what a finished search may have missed: see engine/search/matching
    @property
    def observations(self) -> dict[str, int]: ...  # what observers counted
    @property
    def records(self) -> dict[str, bytes]: ...  # what observers wrote down
    @property
    def restarts(self) -> int: ...  # how often a search began again
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
    @property
    def cache(self) -> CacheFacts: ...  # "cached" only; `states` counts visits there
    @property
    def disk_bytes(self) -> int: ...  # most that lay in `spill_directory` at once
    @property
    def resumed_from(self) -> int: ...  # states that a checkpoint brought along
    @property
    def seen(self) -> Seen: ...

class CacheFacts:
    @property
    def capacity(self) -> int: ...  # less than asked for if memory was short
    @property
    def held(self) -> int: ...  # states in it at the end
    @property
    def replaced(self) -> int: ...  # 0: no state was visited twice
    @property
    def hits(self) -> int: ...  # successors that were found in it
    @property
    def states_of_graph(self) -> int: ...  # distinct; 0 unless the graph was written down
    @property
    def transitions_of_graph(self) -> int: ...
    @property
    def contents(self) -> list[tuple[bytes, int]]:
        """If asked for: the states it holds at the end, and what the policy thinks each is worth."""

class SearchOptions(TypedDict, total=False):
    """What a search is asked for, by name; what is left out has the default of `assay.search.options`."""

    strategy: str  # "bfs", "dfs", "random-dfs", "cached"; or "two-phases", "overlap", "sweep"
    storage: str  # "exact", "fingerprint", "bitstate"
    threads: int
    seed: int
    hash_functions: int  # bitstate
    bitstate_bytes: int
    memory_limit_bytes: int  # 0: none; resident memory of this process
    time_limit_seconds: float  # 0: none
    depth_limit: int  # 0: none
    state_limit: int  # 0: none
    stop_at_first_violation: bool
    check_deadlock: bool
    on_progress: Callable[[Progress], bool] | None  # False stops the search ("interrupted")
    progress_interval_seconds: float
    ranked: RankedGraph | None  # where it is kept to be ranked: bfs, exact, one thread, in memory
    log: GraphLog | None  # where the graph is written down: bfs, dfs or cached, exact, one thread
    cache_size: int  # "cached", here and below: states that the cache holds at most
    cache_policy: str
    cache_strata: int  # of the policy "stratified"
    cache_pending_limit: int  # successors that wait on the stack; 0: as many as suit the cache
    keep_cache: bool  # fill in `CacheFacts.contents`
    spill_directory: str  # where the states are kept; "": in memory
    resume: bool  # go on from the checkpoint there, if there is one
    identity: Sequence[tuple[str, str]]  # what the checkpoint is about: name, value
    checkpoint_seconds: float
    spill_buffer_bytes: int  # 0: what the memory limit leaves
    exhaustive_states: int  # "two-phases": states of the first phase; state_limit is for both
    samplers: int  # "two-phases": depth-first searches that take turns
    scratch_directory: str  # "sweep": where long queues are written
    observe: str  # names of observers, separated by commas

def confine_compiler(readable: Sequence[str], writable: Sequence[str]) -> bool:
    """Between fork and exec: no network, and files only under these folders. False: the system cannot."""

def search(model: Model, **options: Unpack[SearchOptions]) -> SearchResult: ...
def strategies() -> list[tuple[str, str, bool, bool, bool, bool]]:
    """Name, storage, and whether it has threads, is on disk, records, is offered to users."""

def identity_of_search(directory: str) -> list[tuple[str, str]]:
    """What the search is about that was left there; nothing if there is none."""

def discard_search(directory: str) -> None:
    """Removes what a search left there; raises `CheckpointProblem` while one is running."""

class Seen:
    """What a search that looks around saw; the names are those of `assay.evidence.coverage`."""

    @property
    def exhaustive(self) -> int: ...
    @property
    def sizes(self) -> list[int]: ...
    @property
    def unfinished(self) -> int: ...
    @property
    def tried(self) -> int: ...
    @property
    def left(self) -> int: ...
    @property
    def productive_left(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def second(self) -> int: ...
    @property
    def both(self) -> int: ...
    @property
    def levels(self) -> list[int]: ...

class GraphLog:
    """A nameless file with the graph that a search walked through."""

    def __init__(self, directory: str) -> None: ...
    @property
    def is_finished(self) -> bool:
        """The search saw every state and wrote all of it down."""

    @property
    def names_moves(self) -> bool:
        """Whether it is known of every step that discovered a state whose it is."""

    def has_served(self) -> None:
        """Nobody will need the log again: removes what a search on disk keeps to make it once more."""

    @property
    def bytes(self) -> int: ...

class RankedGraph:
    """The graph of a product in memory, and a rank for each state that shows why no cycle is accepting."""

    def __init__(
        self,
        *,
        processes: int = 0,  # with fairness for so many
        progress_label: int | None = None,  # no cycle counts that meets a state with it
    ) -> None: ...
    def assign(self, *, highest: bool = True) -> None:
        """Rank the states of a finished search: each as high as those before it allow, or as low as possible.
        Raises RuntimeError if a cycle is accepting."""

    @property
    def states(self) -> int: ...
    def rank(self, state: int) -> int: ...

class ScriptWriter:
    """Turns a finished log into the frames of a certificate, in preorder."""

    @overload
    def __init__(
        self,
        log: GraphLog,
        *,
        subgraphs: bool,
        memory_bytes: int = 0,  # that it may take; 0: as much as it needs
        moves: bool = False,  # name whose step each TREE entry is, as far as the log does
    ) -> None: ...
    @overload
    def __init__(self, log: GraphLog, ranks: RankedGraph) -> None: ...
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def depth(self) -> int: ...  # of the tree
    def write(
        self, frames: int, take: Callable[[int, int, int, bytes, bytes, bytes, bytes, bytes, bytes], bool]
    ) -> bool:
        """Hands over frames: states, entries, references, then the raw sections start, bits,
        ids, counts, subgraphs, excesses. `take` answers whether to go on; False: it was told to stop."""

def frames_for(transitions: int) -> int:
    """How many frames a script with that many entries should have."""

class Rejected(Exception):
    """A script that does not fit its program, in one sentence."""

class Region:
    """A subtree of a script without the regions cut out of it before."""

    @property
    def root(self) -> int: ...
    @property
    def end(self) -> int: ...  # of the interval of the whole subtree
    @property
    def cut(self) -> list[tuple[int, int]]: ...  # the subtrees cut out of it: begin and end of each
    @property
    def transitions(self) -> int: ...
    @property
    def path(self) -> list[int]: ...  # positions of the entries from the initial state to the root

class Subgraphs:
    """Cuts a script into regions by the list Subgraphs (Algorithm 3.2 of the thesis).

    The frames of a certificate are read one after another; then there are regions,
    and the script of each of them.
    """

    def __init__(self, states: int, entries: int, *, trusted: bool, memory_limit_bytes: int) -> None: ...
    def read(
        self,
        states: int,
        entries: int,
        references: int,
        start: bytes,
        bits: bytes,
        ids: bytes,  # not looked at if `trusted`, nor counts
        counts: bytes,
        subgraphs: bytes,
    ) -> None:
        """Raises `Rejected`, as `partition` does."""

    def partition(self, regions: int, before_each: Callable[[], object]) -> list[Region]: ...
    def script(self, region: int) -> list[tuple[int, int, int, bytes, bytes, bytes, bytes]]:
        """Frames to walk through from the root of the region on: states, entries, references, sections."""

class WalkFacts:
    @property
    def states(self) -> int: ...
    @property
    def entries(self) -> int: ...
    @property
    def references(self) -> int: ...
    @property
    def counted(self) -> int: ...  # sum of the reference counts that the script claims
    @property
    def depth(self) -> int: ...
    @property
    def path_length(self) -> int: ...  # of the initialization path
    @property
    def duplicates(self) -> int: ...  # purpose "explain": states visited under a second number
    @property
    def map_entries(self) -> int: ...  # purpose "explain": the largest size of the map
    @property
    def referred(self) -> bytes: ...  # the two products: elements of the field of 2^192, 24 bytes each
    @property
    def visited(self) -> bytes: ...

class Discrepancy:
    """An entry that refers to another state than it leads to."""

    @property
    def state(self) -> int: ...  # number of the state that has the entry
    @property
    def position(self) -> int: ...
    @property
    def claimed(self) -> int | None: ...  # none where entries have no numbers
    @property
    def actual(self) -> int | None: ...  # under which number the script visits that state, if it does
    @property
    def path(self) -> list[int]: ...  # to the state that has the entry; empty if not known
    @property
    def claimed_rank(self) -> int | None: ...  # of the right state, where only the rank is wrong
    @property
    def actual_rank(self) -> int | None: ...

class Walk:
    """Walks a program along a script, frame by frame; see `walk`."""

    @staticmethod
    def secret_bytes(model: Model) -> int:
        """How many random bytes a walk needs."""

    def begin(self, start: bytes, first_state: int, holes: Sequence[tuple[int, int]] = ()) -> None:
        """Go to where a frame starts. Raises `Rejected`, as `frame` does.

        States are numbered from `first_state` on, without the intervals `holes`.
        """

    def frame(
        self,
        states: int,
        entries: int,
        references: int,
        bits: bytes,
        ids: bytes,
        counts: bytes,
        supplement: bytes = b"",  # with ranks the excesses, otherwise the list of subgraphs if there is one
    ) -> bool:
        """Walk through one frame. False: a property fails, see `violation`."""

    def position(self) -> bytes:
        """Where the walk stands, as the start section of a frame."""

    @property
    def is_finished(self) -> bool: ...
    def facts(self) -> WalkFacts: ...
    @property
    def violation(self) -> tuple[int, list[int]] | None:
        """Code (0: a deadlock) and path of a property that fails."""

    @property
    def discrepancy(self) -> Discrepancy | None: ...  # purpose "explain"
    def wrong_count(self) -> tuple[int, int, int] | None:
        """Purpose "explain", at the end: state, references claimed, references found."""

def walk(
    model: Model,
    *,
    purpose: str,  # "authenticate", "explain", "trust"
    check_deadlock: bool,
    total_states: int,  # of the whole script
    memory_limit_bytes: int,  # 0: none; MemoryError when the walk would keep more
    secrets: bytes,
    drop_after_last: bool,  # "explain": forget a number after its last reference
    initial_rank: int | None = None,  # of a script with ranks, over a product; not "trust"
    processes: int = 0,  # with fairness for so many; here and below: of a script with ranks
    progress_label: int | None = None,
    moves: bool = False,  # the last section of each frame is Moves
    portable: bool = False,  # use no instruction that only some processors have
) -> Walk: ...

# A run in a file: its name, where it begins, records, masks of their layout, checksum.
_Run: TypeAlias = tuple[str, int, int, bytes, int]
# Words or bytes in a file: its name, where they begin, how many.
_Piece: TypeAlias = tuple[str, int, int]
# A partition's part of a level: its number, the run, from which to which state, their ranks.
_Part: TypeAlias = tuple[int, _Run, int, int, Sequence[_Piece]]
# States of a level with their steps: the level, the first one, how many; file, offset, bytes.
_Block: TypeAlias = tuple[int, int, int, str, int, int]

class PartitionWorker:
    """What one worker of a search in partitions does; calls are functions of files."""

    def __init__(
        self,
        system: Model,
        *,
        directory: str,
        partitions: int,
        in_order: bool,  # of discovery
        logs_edges: bool,
        memory_limit_bytes: int,
        depth_limit: int,
        check_deadlock: bool,
        stop_at_first_violation: bool,
    ) -> None: ...
    @property
    def states(self) -> int:
        """Expanded by the call under way."""

    @property
    def transitions(self) -> int: ...
    @property
    def candidate_bytes(self) -> int: ...
    @property
    def has_parts(self) -> bool:
        """States are made of parts: others have to learn of them."""

    def sync(self) -> None:
        """Others, on other machines, can read what was written here."""

    def leave_unsynced(self) -> None:
        """Nobody asks for that: the files are closed."""

    def take_lessons(self) -> bytes: ...
    def learn(self, lessons: bytes) -> None: ...
    def begin(self, name: str) -> tuple[int, int, bytes, _Run, _Piece]:
        """Partition, violation, state, the first level and the rank in it."""

    def expand(
        self, parts: Sequence[_Part], depth: int, group_of: Sequence[int], own_group: int, edges_name: str
    ) -> tuple[dict[str, Any], list[bytes]]: ...
    def merge(
        self,
        parts: Sequence[tuple[int, Sequence[_Run], Sequence[_Piece]]],
        blocks: Sequence[bytes],
        name: str,
    ) -> list[tuple[int, _Run, _Piece, list[_Run]]]: ...
    def put_aside(self, blocks: Sequence[bytes], name: str) -> dict[int, _Piece]: ...
    def predecessors(
        self, parts: Sequence[_Part], states: Sequence[bytes]
    ) -> list[tuple[int, int, bytes] | None]: ...
    def count_until(
        self, parts: Sequence[_Part], state: bytes, rank: int, at_limit: bool
    ) -> tuple[int, int]: ...
    def rank(
        self, keys: Sequence[_Piece], parents: int, slice_number: int, slices: int, name: str
    ) -> list[_Piece]: ...
    def number_edges(
        self,
        partitions: Sequence[int],
        levels: Sequence[tuple[int, Sequence[_Part]]],
        edges: Sequence[Sequence[_Piece]],
        name: str,
    ) -> list[_Piece]: ...
    def is_intact(self, run: _Run) -> bool: ...

class CycleWork:
    """What one worker does to find accepting cycles; calls are functions of files."""

    def __init__(self, worker: PartitionWorker, *, processes: int, progress_label: int | None) -> None: ...
    @property
    def all(self) -> int:
        """The acceptance sets that a cycle has to meet, a bit for each."""

    def write_steps(
        self, levels: Sequence[tuple[int, Sequence[_Part]]], slices: Sequence[int], name: str
    ) -> tuple[list[_Piece], list[_Piece]]: ...
    def join(
        self,
        begin: int,
        end: int,
        marks: Sequence[_Piece],
        facts: Sequence[_Piece],
        numbers: Sequence[Sequence[_Piece]],
        stream_of: Sequence[int],
        levels: Sequence[int],
        name: str,
    ) -> tuple[list[_Block], int]:
        """And the acceptance sets that all of its steps are in which are not free."""

    def spread(
        self,
        states: int,
        blocks: Sequence[_Block],
        inside: Sequence[_Piece] | None,
        acceptance_set: int,
        reached: Sequence[_Piece],
        name: str,
    ) -> tuple[bool, int, _Piece]:
        """Whether it grew, how many states are in it, and the set."""

    def eliminate(
        self,
        states: int,
        blocks: Sequence[_Block],
        inside: Sequence[_Piece] | None,
        elsewhere: Sequence[_Piece] | None,
        name: str,
    ) -> tuple[bool, int, _Piece, _Piece]:
        """Whether something is gone, how many are left, these, and what their steps lead to."""

    def find(
        self, states: int, blocks: Sequence[_Block], hull: Sequence[_Piece] | None
    ) -> tuple[list[int], int] | None:
        """The positions of a run, and where its cycle begins."""

def write_partitioned_graph(
    directory: str,
    states: int,
    levels: Sequence[tuple[int, Sequence[Sequence[_Piece]], Sequence[Sequence[_Piece]]]],
    stream_of: Sequence[int],
    numbers: Sequence[Sequence[_Piece]],
    log: GraphLog,
) -> None:
    """The log of the graph that a search in partitions left, as one process would have written it."""
