"""The one narrow interface between languages and searches.

A language turns source text into a transition system and never knows a search;
a search explores a transition system and never knows a language.

Four promises hold for every transition system:

1. `enabled` is one ordered list that depends on the state alone: not on the
   order of the search, time, addresses or hash seeds. Traces and certificates
   name actions by their position in it.
2. States are equal exactly when the program states are equal.
3. Actions and states map back to source: file, line, process, statement text;
   named variables.
4. What is not supported is refused before the search, with a place in the
   source and a way out; never silently approximated.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Protocol, TypeVar

from assay.records import dataclass

if TYPE_CHECKING:
    from assay.automata.automaton import BuchiAutomaton
    from assay.transition_system.symbolic import SymbolicSystem

State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action")


class TransitionSystem(Protocol[State, Action]):
    """A nondeterministic program, seen one step at a time.

    `enabled` lists the actions of a state in one fixed order that depends on
    the state alone; certificates name actions by position and rely on it.
    """

    def initial_states(self) -> Sequence[State]: ...
    def enabled(self, state: State) -> Sequence[Action]: ...
    def step(self, state: State, action: Action) -> State: ...


class Violated(Exception):
    """Raised by `step` of a hand-written system when an assertion fails during that step."""


@dataclass(frozen=True, slots=True)
class SourceHash:
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ViolationFacts:
    """What a violation code of a program means."""

    kind: str  # "assertion", "invariant", "step-invariant", "deadlock", "array-index", "division", ...
    message: str
    file: str | None = None
    line: int | None = None
    traceback: tuple[str, ...] = ()  # where the language has one: its lines as the language prints them
    property: str = ""  # the one that fails, as it was asked for; empty: nobody asked for it by its text
    values: tuple[str, ...] = ()  # of a failed assertion: "assert 3 == 4", "where 3 = counter"


@dataclass(frozen=True, slots=True)
class Access:
    """What a step read or wrote that other processes can see too."""

    kind: str  # "read" or "write"
    name: str  # "self.count"
    value: str


WHAT_WAS = "what was "  # before a name: an object that has lost it, another stands there now


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened in a step, on a line of its own, with the values that it happened with."""

    kind: str  # "read", "write", "change" (a container, as a whole), "does" (an operation of a library),
    # "raises", "chooses"
    file: str
    line: int
    text: str  # of the line
    name: str  # "alice.balance"; of an operation "Queue.get"; of an exception "ValueError: sold out"
    place: str = ""  # what other steps call the same: "alice.balance"; empty: nobody knows
    before: str = ""  # the value read; of a write, or of what an operation works on, the value before
    after: str = ""
    result: str = ""  # of an operation that has returned; of a loop's read, which item it asks for: "item 2"


@dataclass(frozen=True, slots=True)
class StepFacts:
    """One primitive step, in source terms; `then` are further lines that it ran through."""

    process: str  # "P[1]", as a person names it
    file: str
    line: int
    text: str
    function: str = ""
    accesses: tuple[Access, ...] = ()
    output: str = ""  # what it printed
    choices: tuple[int, ...] = ()  # that it made, where the program leaves a choice open
    continues: str = ""  # the operation of a library that an earlier step has begun: "Condition.wait"
    alone: bool = False  # there was no other process
    happenings: tuple[Happening, ...] = ()  # where the language can tell, all of them
    writes: tuple[str, ...] = ()  # variables that it may change, where several are told of one step
    moves_messages: bool = False  # it may change channels: which ones, the state says
    forgets: tuple[str, ...] = ()  # variables that nobody reads again: their values are no longer kept
    then: tuple[StepFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """One process that does not move: in a deadlock, or on a cycle that goes round for ever."""

    process: str
    file: str
    line: int
    text: str
    how: str = (
        "waits"  # on a cycle also "starves" (it can always move) and "sometimes" (it can, now and then)
    )
    number: int | None = None  # of the process
    awaited: str = ""  # of what kind it is: "a lock", "a notification"
    what: str = ""  # what it waits for, as the program calls it: "savings.lock"
    whom: str = ""  # the process that holds it, or that is to end
    joins: bool = False  # it waits for `whom` to end
    reason: str = (
        ""  # where the language can tell, what comes behind "waits for", with the values that decide
    )


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A property that a program states or suggests and that its front end does not check."""

    kind: str  # "claim", "acceptance", "progress", "exclusive"
    text: str  # "the ltl claim 'safe'"
    asked: bool  # nobody said that it may be left out: no verdict can be `verified`


CANNOT_BE_EVALUATED = " cannot be evaluated"  # behind an atom: the one that is true where that is so


@dataclass(frozen=True, slots=True)
class TemporalProperty:
    """A claim about runs that never end, as an automaton that accepts exactly those that violate it.

    A run that ends stands for the one that stays at its end for ever.
    """

    kind: str  # "ltl", "never", "acceptance", "progress", "termination"
    name: str  # by which it can be asked for; empty: it has none
    text: str  # what a reader sees: "[] (p -> <> q)"
    automaton: BuchiAutomaton
    labels: tuple[int, ...]  # of each atom of the automaton: the number of the program's label
    progress_label: int | None = None  # no cycle counts that meets a state with this label
    stutter_invariant: bool = True
    always_fair: bool = False  # only fair runs count, whether or not that was asked for
    warnings: tuple[str, ...] = ()  # where others would read it differently; that it holds for every program


@dataclass(frozen=True, slots=True)
class Opening:
    """How the step function of a program is opened, in a process that may be lost."""

    file: str
    opener: str = ""  # `module:function` that opens it; a shared object needs none
    settings: Mapping[str, object] = field(default_factory=dict)  # what else the opener is told, in JSON
    fixed_hashes: bool = False  # its steps follow the hashes of texts: they must be the same everywhere
    model: object = None  # open already, in this very process; it goes to no other one

    @property
    def needs_interpreter(self) -> bool:
        """Its steps are Python or made from Python's objects, or its states are the same by a key."""
        return bool(self.opener or self.settings.get("numbered"))

    def as_json(self) -> dict[str, object]:
        return {"file": self.file, "opener": self.opener, "settings": dict(self.settings)}


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a search may do with a program, and what a program needs of it."""

    threads: bool = False  # several may search it at once
    on_disk: bool = False  # its states mean the same to the next process: they may be left on disk
    lossy: bool = False  # a state is what its bytes are: it may be kept as a few bits
    assumes: bool = False  # its front end assumes what only the search can confirm: see `without`
    foreign: bool = False  # its steps execute code that no front end made
    matches_by_key: bool = False  # states are compared by a key of the program's own: an abstraction
    apart: bool = False  # its steps cannot harm the process that searches it, whatever they do
    deadlocks: bool = True  # a state without steps can be one
    compiled: bool = False  # a compiler works on it until it is opened: time to prepare other things


class Program(Protocol):
    """A source text that became something which the native engine can execute.

    What `opening` names is opened in a child process. The other members translate what the engine
    reports back into the words of the source.
    """

    @property
    def language(self) -> str: ...
    @property
    def opening(self) -> Opening: ...
    @property
    def capabilities(self) -> Capabilities: ...
    @property
    def sources(self) -> Sequence[SourceHash]: ...

    @property
    def semantics(self) -> Mapping[str, object]:
        """What a verdict is relative to: reductions and other choices of the front end."""
        ...

    @property
    def graph(self) -> str:
        """A digest of everything that decides about states and steps. Programs from one source that
        differ only in the properties they check have the same one if their graphs are the same."""
        ...

    @property
    def caveats(self) -> Sequence[str]:
        """Reasons why even an exhaustive search is no proof (for example claims that should be checked)."""
        ...

    @property
    def unchecked(self) -> Sequence[Unchecked]:
        """What a reader might take for checked, and is not."""
        ...

    @property
    def monitors(self) -> Sequence[tuple[str, str]]:
        """What the program itself says of its steps besides assertions, each with its kind and its text.
        Whoever looks at every step checks it: a violation has the same kind."""
        ...

    @property
    def temporal(self) -> Sequence[TemporalProperty]:
        """What is to be checked of runs that never end, each on its own."""
        ...

    @property
    def process_limit(self) -> int:
        """Steps are of processes with numbers below this; 0: nobody knows, and there is no fairness."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of the verdict should know, without weakening it."""
        ...

    def symbolic(self, predicates: Sequence[str] = ()) -> SymbolicSystem:
        """The program as guarded transitions over integers, without reductions, with these predicates read
        as its
        expressions. Raises `NotExpressible` where that would not be exact."""
        ...

    def symbolic_state(self, system: SymbolicSystem, state: bytes) -> Sequence[int | None]:
        """A state as one of that form; None for what the state does not tell."""
        ...

    def knowing(self, descriptions: Mapping[str, object]) -> Program:
        """The same program, knowing what the process that made a run says of it: `states`, `steps` and
        `violations`. Where bytes say it all there is nothing to know."""
        ...

    def doubts(self, untracked: Sequence[tuple[int, int, bool]]) -> Sequence[str]:
        """Reasons why even an exhaustive search is no proof, given what its steps changed that is no part of
        the state."""
        ...

    def opened(self) -> Program:
        """The same program, ready to be searched: open, if its language runs in the caller's process."""
        ...

    def without(self, assumption: str) -> Program:
        """The same program, compiled without an assumption that a search found to fail."""
        ...

    def describe_violation(self, code: int) -> ViolationFacts: ...
    def describe_state(self, state: bytes) -> Mapping[str, object]:
        """Named variables in a fixed order; process locals as `P[1].x`."""
        ...

    def describe_step(self, before: bytes, process: int, transition: int) -> StepFacts: ...
    def describe_waiting(self, state: bytes) -> Sequence[Waiting]: ...
    def describe_everybody(self, state: bytes) -> Sequence[Waiting]:
        """Every process that is left, where it stands and before what, with its number."""
        ...


class SourceProblem(Exception):
    """The input is wrong or unsupported. Prints as `file:line:column: message`."""

    def __init__(self, message: str, *, where: object = None, hint: str = "") -> None:
        self.message = message
        self.where = where
        self.hint = hint
        text = f"{where}: {message}" if where is not None else message
        super().__init__(f"{text}; {hint}" if hint else text)


class PropertyProblem(SourceProblem):
    """A property that cannot be evaluated in some state, or costs too much to evaluate."""

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message)
        self.text = text  # of the property

    def __reduce__(self) -> tuple[type[PropertyProblem], tuple[str, str]]:
        return PropertyProblem, (self.message, self.text)


class UnsupportedConstruct(SourceProblem):
    """The input is well formed but outside what this version models."""
