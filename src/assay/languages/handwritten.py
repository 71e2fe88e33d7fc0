"""A transition system written directly as a Python class: `model.py:ClassName`.

The class has the interface's three methods. It may also have

- `variables(state)`: the named variables of a state, a mapping; without it
  a state's own fields are taken (dataclass, named tuple, mapping, or anything
  else under the single name `state`);
- `invariants`: a mapping from name to a predicate over a state;
- `properties`: a mapping from name to what runs must do (`assay.eventually`,
  `assay.leads_to`, `assay.always`);
- `may_end(state)`: whether the program may stop in a state without enabled
  actions; without it, such a state is a deadlock;
- `describe(action)`: the text of an action; without it, `str(action)`.

Loading executes the file: that is what the user asked for by naming it.

`NumberedSystem` gives such a system the shape that searches explore, and
`CanonicalSystem` the one that certificates are checked with: states are byte
strings and violations numbers, as in the engine. Several initial states become
the successors, in their order, of a state of our own, `ROOT`. `ClassModel` is
either of them for the engine, and `ClassProgram` what the other stages see.
"""

from __future__ import annotations

import builtins
import hashlib
import inspect
import os
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from assay import _engine
from assay.languages import AnotherText
from assay.languages.class_properties import ClassProperties, Label, class_properties
from assay.records import dataclass
from assay.transition_system import portable_values
from assay.transition_system.canonical import NOT_A_STATE, WORD_BYTES, CanonicalForm, NoCanonicalForm
from assay.transition_system.expressions import Expression
from assay.transition_system.interface import (
    Capabilities,
    Opening,
    PropertyProblem,
    SourceHash,
    SourceProblem,
    StepFacts,
    TemporalProperty,
    TransitionSystem,
    Unchecked,
    Violated,
    ViolationFacts,
    Waiting,
)
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.symbolic import NotExpressible, SymbolicSystem

LANGUAGE = "python-class"
REQUIRED = ("initial_states", "enabled", "step")
ROOT = NOT_A_STATE  # before the initial states, when there are several
MAX_STATE_WORDS = 4096  # of a state in a certified system
OPENER = "assay.languages.handwritten:open_class"


DEADLOCK = ViolationFacts("deadlock", "no action is enabled and the system may not end here")

P = ParamSpec("P")
R = TypeVar("R")


def _failing(kind: str, text: str) -> ViolationFacts:
    """Of a property that was asked for."""
    return ViolationFacts(kind, text, property=text)


class HandwrittenSystem:
    """A user's object, with what it leaves out filled in."""

    def __init__(self, system: object, *, name: str, sources: tuple[SourceHash, ...] = ()) -> None:
        missing = [method for method in REQUIRED if not callable(getattr(system, method, None))]
        if missing:
            raise SourceProblem(
                f"expected a class with the methods {', '.join(REQUIRED)}, "
                f"got one without {', '.join(missing)}",
                where=name,
            )
        self.system: TransitionSystem[object, object] = system  # type: ignore[assignment]
        self.name = name
        self.sources = sources

    def variables(self, state: object) -> dict[str, object]:
        own = getattr(self.system, "variables", None)
        return dict(own(state)) if callable(own) else fields_of(state)

    @property
    def says_where_it_may_end(self) -> bool:
        return callable(getattr(self.system, "may_end", None))

    def may_end(self, state: object) -> bool:
        own = getattr(self.system, "may_end", None)
        return bool(own(state)) if callable(own) else False

    @property
    def invariants(self) -> Mapping[str, Callable[[object], object]]:
        """The predicates that the class brings along, by name."""
        own = getattr(self.system, "invariants", {})
        if not isinstance(own, Mapping) or not all(
            isinstance(name, str) and callable(predicate) for name, predicate in own.items()
        ):
            raise SourceProblem(
                f"expected `invariants` to map names to predicates over a state, got {own!r}", where=self.name
            )
        return own

    @property
    def semantics(self) -> dict[str, object]:
        """What a certificate says about the step function besides the text of its file."""
        return {
            "language": "Python class",
            "class": type(self.system).__name__,
            "invariants": sorted(self.invariants),
        }

    def describe(self, action: object) -> str:
        own = getattr(self.system, "describe", None)
        return str(own(action)) if callable(own) else str(action)

    def place(self) -> tuple[str, int]:
        """File and line of `step`, where every action happens; of the class, if that is from elsewhere."""
        try:
            function = inspect.unwrap(self.system.step)
            own = type(self.system)
            is_own = getattr(function, "__module__", None) == own.__module__
            return self.name.partition(":")[0], inspect.getsourcelines(function if is_own else own)[1]
        except (OSError, TypeError):
            return self.name.partition(":")[0], 0


class NumberedSystem:
    """A hand-written system in the shape that searches explore: states get numbers as they are met.

    Python's `==` decides what one state is.
    """

    def __init__(
        self, system: HandwrittenSystem, options: LanguageOptions, labels: Sequence[Label] = ()
    ) -> None:
        self._system = system
        self._labels = labels
        self._states: dict[bytes, object] = {}
        self._keys: dict[object, bytes] = {}
        self._content_form = CanonicalForm()
        self.content_is_unknown = False  # of some state that somebody asked about
        self._violations: list[ViolationFacts] = []
        self._codes: dict[ViolationFacts, int] = {}
        self._predicates = [
            (self._code(ViolationFacts("invariant", name)), name, predicate)
            for name, predicate in system.invariants.items()
        ]
        self._invariants = [
            (self._code(_failing("invariant", text)), Expression(text, option="--invariant"))
            for text in options.invariants
        ]
        self._step_invariants = [
            (
                self._code(_failing("step-invariant", text)),
                Expression(text, option="--step-invariant", over_steps=True),
            )
            for text in options.step_invariants
        ]
        if options.match:  # the engine asks for a key where there is one
            self._match = [Expression(text, option="--match") for text in options.match]
            self._numbers_of_values: dict[object, int] = {}
            self.match_key = self._match_key
        initial = list(self._call("initial_states", self._system.system.initial_states))
        if not initial:
            raise SourceProblem("expected at least one initial state, got none", where=system.name)
        self._initial = [self._key(state) for state in initial]

    @property
    def initial_count(self) -> int:
        return len(self._initial)

    @property
    def has_root(self) -> bool:
        return len(self._initial) > 1

    def initial_state(self) -> tuple[bytes, int]:
        return (ROOT if self.has_root else self._initial[0]), 0

    def successors(self, state: bytes) -> list[tuple[bytes | None, int]]:
        if state == ROOT:
            return [(first, 0) for first in self._initial]
        before = self.state(state)
        found: list[tuple[bytes | None, int]] = []
        for action in self.actions(state):
            try:
                after = self._call("step", self._system.system.step, before, action)
            except Violated as violated:
                found.append(
                    (None, self._code(ViolationFacts("assertion", str(violated) or "an assertion failed")))
                )
            else:
                found.append((self._key(after), 0))
        return found

    def is_valid_end(self, state: bytes) -> bool:
        return state == ROOT or bool(self._call("may_end", self._system.may_end, self.state(state)))

    def check_state(self, state: bytes) -> int:
        if state == ROOT:
            return 0
        for code, name, predicate in self._predicates:
            if not self._call(f"the invariant {name!r}", predicate, self.state(state)):
                return code
        return self._first_that_fails(self._invariants, self.variables(state)) if self._invariants else 0

    def check_step(self, before: bytes, after: bytes) -> int:
        if before == ROOT or not self._step_invariants:
            return 0
        return self._first_that_fails(self._step_invariants, self.variables(before), self.variables(after))

    def labels(self, state: bytes) -> int:
        """The values of the atomic propositions, one bit each."""
        if state == ROOT:
            return 0
        bits = 0
        variables: dict[str, object] | None = None
        for number, label in enumerate(self._labels):
            if label.is_over:
                holds = self._is_over(state)
            elif label.predicate is not None:
                holds = bool(self._call(label.text, label.predicate, self.state(state)))
            else:
                assert label.expression is not None
                variables = self.variables(state) if variables is None else variables
                try:
                    holds = self._call(label.text, label.expression.holds, variables)
                except SourceProblem as problem:
                    raise PropertyProblem(str(problem), label.text) from None
            bits |= holds << number
        return bits

    def _is_over(self, state: bytes) -> bool:
        """No action is enabled; a class that says where it may end means only these."""
        if self.actions(state):
            return False
        return not self._system.says_where_it_may_end or self.is_valid_end(state)

    def _match_key(self, state: bytes) -> bytes:
        """What states are compared by: a number for each different value."""
        if state == ROOT:
            return ROOT
        variables = self.variables(state)
        values = tuple(_frozen(self._call(one.text, one.value, variables)) for one in self._match)
        try:
            number = self._numbers_of_values.setdefault(values, len(self._numbers_of_values) + 1)
        except TypeError:
            raise SourceProblem(
                f"expected values that can be compared by their hash, got {values!r}",
                where="--match",
                hint="name parts of it",
            ) from None
        return number.to_bytes(WORD_BYTES, "little")

    def content(self, state: bytes) -> bytes:
        """What the state is, the same in every process; nothing where no bytes can say that."""
        if state == ROOT:
            return ROOT
        try:
            return self._content_form.encode(self.state(state))
        except NoCanonicalForm:
            self.content_is_unknown = True
            return b""

    # --- states that travel; 0 is the part of a root ---

    def part_of(self, state: bytes) -> int:
        return int.from_bytes(state, "little")

    def state_of(self, part: int) -> bytes:
        return part.to_bytes(WORD_BYTES, "little")

    def part_content(self, part: int) -> bytes:
        """What another process makes the state of."""
        state = self.state(self.state_of(part))
        try:
            self._content_form.encode(state)  # who owns it is decided by that
            return portable_values.encode(state)
        except NoCanonicalForm as problem:
            raise SourceProblem(
                f"a state cannot travel to another process: {problem}; got {state!r}",
                where=self._system.name,
                hint="search in one process, or use tuples, frozen dataclasses and frozensets",
            ) from None

    def meet_part(self, content: bytes) -> int:
        try:
            state = portable_values.decode(content)
        except portable_values.NoSuchValue as problem:
            raise _engine.NotPortable(f"a state that arrived is none of this class: {problem}") from None
        return self.part_of(self._key(state))

    # --- the way back ---

    def state(self, key: bytes) -> object:
        return self._states[key]

    def actions(self, key: bytes) -> Sequence[object]:
        return list(self._call("enabled", self._system.system.enabled, self.state(key)))

    def variables(self, key: bytes) -> dict[str, object]:
        return dict(self._call("variables", self._system.variables, self.state(key)))

    def describe(self, action: object) -> str:
        return self._system.describe(action)

    def violation(self, code: int) -> ViolationFacts:
        return DEADLOCK if code == 0 else self._violations[code - 1]

    def _first_that_fails(
        self,
        properties: list[tuple[int, Expression]],
        before: dict[str, object],
        after: dict[str, object] | None = None,
    ) -> int:
        for code, expression in properties:
            try:
                holds = self._call(expression.text, expression.holds, before, after)
            except SourceProblem as problem:
                raise PropertyProblem(str(problem), expression.text) from None
            if not holds:
                return code
        return 0

    def _key(self, state: object) -> bytes:
        try:
            key = self._keys.get(state)
        except TypeError:
            raise self._unhashable(state) from None
        if key is None:
            key = (len(self._states) + 1).to_bytes(WORD_BYTES, "little")
            self._keys[state] = key
            self._states[key] = state
        return key

    def _unhashable(self, state: object) -> SourceProblem:
        return SourceProblem(
            f"expected hashable states, got {state!r}",
            where=self._system.name,
            hint="use tuples, frozen dataclasses and frozensets",
        )

    def _code(self, facts: ViolationFacts) -> int:
        if facts not in self._codes:
            self._violations.append(facts)
            self._codes[facts] = len(self._violations)
        return self._codes[facts]

    def _call(self, name: str, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """What the user's code raises is told with its place; `Violated` is an outcome."""
        try:
            return function(*arguments, **named)
        except (Violated, SourceProblem):
            raise
        except (Exception, SystemExit) as problem:
            place = place_in_file(problem, self._system.name.rpartition(":")[0])
            raise SourceProblem(f"{name} raised {problem!r}", where=place) from None


class CanonicalSystem(NumberedSystem):
    """The same with states whose bytes say what they are, so that several processes agree on them."""

    def __init__(
        self, system: HandwrittenSystem, options: LanguageOptions, labels: Sequence[Label] = ()
    ) -> None:
        self._form = CanonicalForm()
        self._parts: dict[bytes, int] = {ROOT: 0}
        self._keys_of_parts = [ROOT]
        super().__init__(system, options, labels)

    def part_of(self, state: bytes) -> int:
        part = self._parts.setdefault(state, len(self._keys_of_parts))
        if part == len(self._keys_of_parts):
            self._keys_of_parts.append(state)
        return part

    def state_of(self, part: int) -> bytes:
        return self._keys_of_parts[part]

    def _key(self, state: object) -> bytes:
        try:
            key = self._form.encode(state)
        except NoCanonicalForm as problem:
            raise self._not_certifiable(state, problem) from None
        known = self._states.setdefault(key, state)
        if known is not state:
            # That bytes are equal only for equal values is what certificates rest on.
            if known != state:
                raise SourceProblem(
                    f"two states have the same parts and are not equal: {known!r} and {state!r}",
                    where=self._system.name,
                    hint="compare states by their parts",
                )
        elif len(key) > MAX_STATE_WORDS * WORD_BYTES:
            raise SourceProblem(
                f"a state takes {len(key):,} bytes; certified are at most {MAX_STATE_WORDS * WORD_BYTES:,}",
                where=self._system.name,
                hint="verify without a certificate, or make states smaller",
            )
        return key

    def _not_certifiable(self, state: object, problem: NoCanonicalForm) -> SourceProblem:
        try:
            hash(state)
        except TypeError:
            return self._unhashable(state)
        return SourceProblem(
            f"a state cannot be certified: {problem}; got {state!r}",
            where=self._system.name,
            hint="verify without a certificate, or use tuples, frozen dataclasses and frozensets",
        )


class ClassModel(_engine.PythonSystem):
    """A class for the engine; it describes itself."""

    def __init__(self, system: NumberedSystem) -> None:
        super().__init__(system, MAX_STATE_WORDS)
        self._system = system

    @property
    def initial_count(self) -> int:
        """Of the states that stand behind a root, see `opening.root_of`."""
        return self._system.initial_count if self._system.has_root else 0

    @property
    def content_is_unknown(self) -> bool:
        return self._system.content_is_unknown

    def describe(self, state: bytes) -> dict[str, object]:
        return {} if state == ROOT else plain_values(self._system.variables(state))

    def explain(self, state: bytes, position: int) -> dict[str, object]:  # type: ignore[override]
        if state == ROOT:
            return {"text": f"initial state number {position}"}
        return {"text": self._system.describe(self._system.actions(state)[position])}

    def violation(self, code: int) -> dict[str, object]:
        facts = self._system.violation(code)
        return {"kind": facts.kind, "message": facts.message, "property": facts.property}


@dataclass(frozen=True)
class ClassProgram:
    """Implements `Program`."""

    system: HandwrittenSystem
    options: LanguageOptions
    model: ClassModel | None = None  # open in this process, as a search needs it
    descriptions: Mapping[str, Any] = field(default_factory=dict)

    language = LANGUAGE
    capabilities = Capabilities()
    caveats: Sequence[str] = ()
    monitors: Sequence[tuple[str, str]] = ()
    process_limit = 0
    notes: Sequence[str] = ()

    @property
    def opening(self) -> Opening:
        settings = {
            "class": self.system.name,
            "sha256": self.system.sources[0].sha256 if self.system.sources else "",
            "invariants": list(self.options.invariants),
            "step_invariants": list(self.options.step_invariants),
            "ltl": list(self.options.ltl),
            "terminates": self.options.terminates,
            "safety": self.options.safety_only,
            "match": list(self.options.match),
        }
        return Opening(self.system.name.rpartition(":")[0], OPENER, settings, model=self.model)

    @property
    def sources(self) -> Sequence[SourceHash]:
        return self.system.sources

    @property
    def semantics(self) -> Mapping[str, object]:
        left_out = self.options.safety_only and bool(getattr(self.system.system, "properties", None))
        return {**self.system.semantics, **({"safety_only": True} if left_out else {})}

    @property
    def unchecked(self) -> Sequence[Unchecked]:
        """What the class asks of its runs, and --safety leaves out."""
        own = getattr(self.system.system, "properties", None) if self.options.safety_only else None
        return [Unchecked("claim", f"the property '{name}'", asked=False) for name in own or ()]

    @property
    def graph(self) -> str:
        """Properties are checked in states; they change neither states nor steps."""
        parts = [repr(self.semantics), *(source.sha256 for source in self.sources)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @staticmethod
    def doubts(_untracked: Sequence[tuple[int, int, bool]]) -> Sequence[str]:
        return ()  # all that its steps change is part of the state

    def opened(self) -> ClassProgram:
        """Such a class is searched where it was made, by the process that its limits and interrupts reach."""
        shape = CanonicalSystem if self.options.portable else NumberedSystem
        return replace(self, model=ClassModel(shape(self.system, self.options, self._properties.labels)))

    @cached_property
    def _properties(self) -> ClassProperties:
        if self.options.safety_only:
            return ClassProperties()
        own = getattr(self.system.system, "properties", {})
        return class_properties(
            own, self.options.ltl, terminates=self.options.terminates, where=self.system.name
        )

    @property
    def temporal(self) -> Sequence[TemporalProperty]:
        return self._properties.temporal

    def symbolic(self, predicates: Sequence[str] = ()) -> SymbolicSystem:
        from assay.guarded import form_of

        if self.options.step_invariants:
            raise NotExpressible("a step invariant cannot be said in guarded transitions")
        found = form_of(self.system.system, self.options.invariants, (*self.options.predicates, *predicates))
        if isinstance(found, str):
            raise NotExpressible(
                found, where=self.system.name, hint="declare its guarded transitions: see assay.guarded"
            )
        return found

    def symbolic_state(self, system: SymbolicSystem, state: bytes) -> tuple[int | None, ...]:
        described = self.describe_state(state)
        controls = [
            next((value for value, text in one.texts.items() if text == described.get(one.name)), None)
            for one in system.controls
        ]
        values = [described.get(one.name) for one in system.variables]
        return (*controls, *(value if isinstance(value, int) else None for value in values))

    def knowing(self, descriptions: Mapping[str, object]) -> ClassProgram:
        return replace(self, descriptions=descriptions)

    def without(self, assumption: str) -> ClassProgram:
        raise RuntimeError(f"no class assumes anything that a search could refute, such as {assumption!r}")

    def describe_violation(self, code: int) -> ViolationFacts:
        if code == 0:
            return DEADLOCK
        found = self.descriptions.get("violations", {}).get(str(code))
        if found is None:
            return ViolationFacts("violation", "a property fails")
        return ViolationFacts(found["kind"], found["message"], property=found["property"])

    def describe_state(self, state: bytes) -> Mapping[str, object]:
        described: Mapping[str, object] = self.descriptions.get("states", {}).get(state.hex(), {})
        return described

    def describe_step(self, before: bytes, process: int, transition: int) -> StepFacts:
        del before, process  # the class is the one process there is
        file, line = self.system.place()
        return StepFacts(self.actor, file, line, self.descriptions["steps"][transition]["text"])

    def describe_waiting(self, state: bytes) -> Sequence[Waiting]:
        del state
        file, line = self.system.place()
        return [Waiting(self.actor, file, line, "an enabled action")]

    def describe_everybody(self, state: bytes) -> Sequence[Waiting]:
        del state
        return []

    @property
    def actor(self) -> str:
        return type(self.system.system).__name__


def open_class(opening: Opening, *, key: bytes = b"") -> ClassModel:
    """In another process: the class that a `ClassProgram` speaks of, with states that are the same there."""
    del key  # what a state consists of is written out
    settings: Mapping[str, Any] = opening.settings
    system = load(settings["class"], sha256=settings["sha256"])
    options = LanguageOptions(
        invariants=tuple(settings["invariants"]),
        step_invariants=tuple(settings["step_invariants"]),
        ltl=tuple(settings["ltl"]),
        terminates=settings["terminates"],
        safety_only=settings["safety"],
        match=tuple(settings["match"]),
        portable=True,
    )
    model = ClassProgram(system, options).opened().model
    assert model is not None
    return model


def _frozen(value: object) -> object:
    """The same value, to be looked up; its type counts, because 1 == True."""
    match value:
        case list() | tuple():
            return (type(value).__name__, *map(_frozen, value))
        case set() | frozenset():
            return ("set", frozenset(map(_frozen, value)))
        case dict():
            return ("dict", frozenset((_frozen(name), _frozen(part)) for name, part in value.items()))
        case bool() | float():
            return (type(value).__name__, value)
    return value


def plain_values(variables: Mapping[str, object]) -> dict[str, object]:
    return {name: plain_value(value) for name, value in variables.items()}


def plain_value(value: object) -> object:
    """A value as a trace file can keep it: sets in a fixed order, None by its name."""
    match value:
        case bool() | int() | str():
            return value
        case list() | tuple():
            return [plain_value(part) for part in value]
        case dict():
            return {str(name): plain_value(part) for name, part in value.items()}
        case set() | frozenset():
            return sorted((plain_value(part) for part in value), key=repr)
    return repr(value)


def fields_of(state: object) -> dict[str, object]:
    """The named parts of a state that has some; else the state itself."""
    if is_dataclass(state) and not isinstance(state, type):
        return {field.name: getattr(state, field.name) for field in fields(state)}
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return dict(zip(state._fields, state, strict=True))
    if isinstance(state, Mapping):
        return {str(name): value for name, value in state.items()}
    return {"state": state}


def load(program: str, *, sha256: str | None = None, certified: bool = False) -> HandwrittenSystem:
    """Import `model.py:ClassName` and make one instance without arguments.

    With a `sha256`, raises `AnotherText` if the file has another. A class that is `certified` is known by the
    hash of its one file: it may import the standard library and nothing that no hash names.
    """
    file, _, class_name = program.rpartition(":")
    path = Path(file)
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise SourceProblem("the program cannot be read: it is no regular file", where=file)
            text = stream.read()
    except OSError as problem:
        raise SourceProblem(f"the program cannot be read: {problem.strerror}", where=file) from None
    digest = hashlib.sha256(text).hexdigest()
    if sha256 is not None and digest != sha256:
        raise AnotherText(path.name)
    module_name = f"assay_handwritten_{path.stem}"
    module = ModuleType(module_name)
    module.__file__ = str(path)
    if certified or sha256 is not None:
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _import_for_certificates}
    sys.modules[module_name] = module
    try:
        # The very bytes whose hash is told, not what an import would find in a cache.
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 (what loading means)
    except SyntaxError as problem:
        raise SourceProblem(
            f"expected Python, got a syntax error: {problem.msg}",
            where=f"{file}:{problem.lineno}:{problem.offset}",
        ) from None
    except Exception as problem:
        said = str(problem) if isinstance(problem, _NotNamed) else f"importing it failed with {problem!r}"
        raise SourceProblem(said, where=place_in_file(problem, file)) from None
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        classes = [
            name
            for name, value in vars(module).items()
            if isinstance(value, type)
            and value.__module__ == module_name
            and all(hasattr(value, method) for method in REQUIRED)
        ]
        there = (
            f"the file has {', '.join(classes)}"
            if classes
            else "the file has no class with its three methods"
        )
        raise SourceProblem(f"expected a class named {class_name}, got none; {there}", where=file)
    try:
        instance = found()
    except Exception as problem:
        raise SourceProblem(
            f"making a {class_name} without arguments failed with {problem!r}",
            where=place_in_file(problem, file),
        ) from None
    return HandwrittenSystem(instance, name=program, sources=(SourceHash(file, digest),))


class _NotNamed(Exception):
    """An import that a certificate would not tell about."""


def _import_for_certificates(name: str, *rest: Any, **named: Any) -> ModuleType:
    if name.partition(".")[0] not in {*sys.stdlib_module_names, "assay"}:
        raise _NotNamed(
            f"a certificate is about one file, and this one imports {name}, which is not of the standard "
            "library; write what it needs into the file, or verify without a certificate"
        )
    return __import__(name, *rest, **named)


def place_in_file(problem: BaseException, file: str) -> str:
    """The innermost place in the user's file that an exception came through."""
    line = 0
    traceback = problem.__traceback__
    while traceback is not None:
        if Path(traceback.tb_frame.f_code.co_filename).resolve() == Path(file).resolve():
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f"{file}:{line}" if line else file
