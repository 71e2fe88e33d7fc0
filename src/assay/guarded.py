"""Models that are guarded transitions over integers, written down as such.

    from assay.guarded import GuardedProgram, step

    class TicketLock(GuardedProgram):
        variables = {"ticket": "integer", "serving": "integer", "mine": "integer"}
        processes = {
            "A": [
                step("idle", "waiting", then={"mine": "ticket", "ticket": "ticket + 1"}),
                step("waiting", "inside", when="mine == serving"),
                step("inside", "idle", then={"serving": "serving + 1"}),
            ],
        }
        always = {"tickets are ahead": "serving <= ticket"}

A variable is an `integer` without bounds, a `bool`, or has so many bits: `int8`, `uint16`; a pair gives its
first value, `("uint8", 3)`; otherwise it is 0. What is assigned is truncated to that. A process begins
where its first step does, and may end where none begins. Assignments of a step happen at once. Expressions
are Python's: `+ - * // %` and `& | ^ ~ << >>`, comparisons, `and or not`, `a if c else b`; a process
compared with a text says where it is, `A == "inside"`. To divide by zero is an error. What is declared is
read once, when the object is made.

Such a class is a transition system like any other (`model.py:TicketLock`), and it has a symbolic form: it
can be searched by abstraction, and proved.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from assay.records import dataclass
from assay.transition_system.expressions import Expression
from assay.transition_system.interface import SourceProblem, Violated, ViolationFacts
from assay.transition_system.symbolic import (
    CONTROL,
    Control,
    Failure,
    State,
    Step,
    SymbolicModel,
    SymbolicSystem,
)
from assay.transition_system.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Integer,
    Number,
    Term,
    Variable,
    apply,
    both,
    choice,
    compiled,
    either,
    is_larger,
    is_truth,
    negated,
    stored,
)

_TYPE = re.compile(r"(u?)int([1-9]\d?)\Z")
_OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "floor",
    ast.Mod: "modulo",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
LONGEST_TEXT = 10_000
FARTHEST_SHIFT = 64
LARGEST_VALUE = 5_000  # parts of a term


@dataclass(frozen=True, slots=True)
class GuardedStep:
    source: str
    target: str
    when: str
    then: Mapping[str, str]


def step(
    source: str, target: str, *, when: str = "True", then: Mapping[str, str] | None = None
) -> GuardedStep:
    """From one location to another, if `when` holds; variables get the values of `then`, all at once."""
    return GuardedStep(source, target, when, dict(then or {}))


class GuardedProgram:
    """Subclasses say what they consist of."""

    variables: ClassVar[Any] = {}
    processes: ClassVar[Mapping[str, Sequence[GuardedStep]]] = {}
    always: ClassVar[Mapping[str, str]] = {}
    predicates: ClassVar[Sequence[str]] = ()

    def __init__(self) -> None:
        self._form = _Form(type(self))
        self._model = SymbolicModel(self._form.system((), ()))
        # As any class says it: of one state.
        self.variables = self._named  # type: ignore[misc]
        positions = self._model.system.positions
        self.invariants: Mapping[str, Callable[[State], bool]] = {
            name: compiled(term, positions) for name, term in self._form.always.items()
        }

    def initial_states(self) -> list[State]:
        return [self._model.system.initial_state]

    def enabled(self, state: State) -> list[tuple[str, State | None]]:
        found = self._model.successors(state)
        failing = [(self._model.facts[code].message, None) for after, code in found if after is None]
        steps = [(taken.text, after) for taken, after in self._model.steps(state)]
        return [*failing, *steps]

    def step(self, state: State, action: tuple[str, State | None]) -> State:
        del state
        text, after = action
        if after is None:
            raise Violated(text)
        return after

    def describe(self, action: tuple[str, State | None]) -> str:
        return action[0]

    def may_end(self, state: State) -> bool:
        return self._model.is_valid_end(state)

    def _named(self, state: State) -> dict[str, object]:
        system = self._model.system
        places: dict[str, object] = {
            control.name: control.text(value) for control, value in zip(system.controls, state, strict=False)
        }
        values = state[len(system.controls) :]
        return places | {one.name: value for one, value in zip(system.variables, values, strict=True)}


def form_of(model: object, invariants: Sequence[str], predicates: Sequence[str]) -> SymbolicSystem | str:
    """The symbolic form of an object, or why it has none: what it does must be what it declares."""
    own = type(model)
    if GuardedProgram not in own.__mro__:
        return "a class that computes its steps in Python has no symbolic form"
    if type(own) is not type or vars(model).keys() != _ATTRIBUTES:
        return f"{own.__name__} is made in a way of its own, so its declarations need not be what it does"
    for base in own.__mro__:
        for name in vars(base) if base not in (GuardedProgram, object) else ():
            if name not in _DECLARATIONS | _OF_EVERY_CLASS and (
                name.startswith("__") or name in vars(GuardedProgram) or name in _ATTRIBUTES
            ):
                return f"{own.__name__} has its own {name}, so its declarations need not be what it does"
    form = vars(model)["_form"]
    assert isinstance(form, _Form)
    return form.system(invariants, predicates)


_DECLARATIONS = {"variables", "processes", "always", "predicates", "properties"}
_ATTRIBUTES = {"_form", "_model", "variables", "invariants"}
_OF_EVERY_CLASS = {
    *("__module__", "__qualname__", "__doc__", "__annotations__", "__dict__", "__weakref__"),
    *("__firstlineno__", "__static_attributes__"),
}


@dataclass(frozen=True, slots=True)
class _Value:
    term: Term
    fails: Term = FALSE  # a division by zero

    @property
    def truth(self) -> Term:
        return self.term if is_truth(self.term) else apply("!=", self.term, ZERO)

    @property
    def number(self) -> Term:
        return choice(self.term, ONE, ZERO) if is_truth(self.term) else self.term

    @property
    def needed(self) -> Term:
        """True, and it can be evaluated."""
        return both(negated(self.fails), self.truth)


class _Form:
    """What a class declares, read once."""

    def __init__(self, program: type[GuardedProgram]) -> None:
        self.name = program.__name__
        self.declared: dict[str, Variable] = {}
        self.initial: dict[str, int] = {}
        self._declare(dict(program.variables))
        self.locations: dict[str, dict[str, int]] = {}
        self.steps: list[Step] = []
        self.failures: list[Failure] = []
        processes = {name: self._steps(name, given) for name, given in dict(program.processes).items()}
        if not processes:
            self._refuse("it has no process")
        for process, steps in processes.items():
            if type(process) is not str or process in self.declared:
                self._refuse(f"the process {process!r} has no name, or that of a variable")
            names = dict.fromkeys(place for one in steps for place in (one.source, one.target))
            self.locations[process] = {place: number for number, place in enumerate(names)}
        self.controls: list[Control] = []
        self.ends: list[frozenset[int]] = []
        for position, (process, steps) in enumerate(processes.items()):
            numbers = self.locations[process]
            texts = {value: name for name, value in numbers.items()}
            self.controls.append(Control(process, numbers[steps[0].source], texts))
            self.ends.append(frozenset(numbers.values()) - {numbers[one.source] for one in steps})
            for one in steps:
                self._add(position, process, one)
        self.always = {name: self.condition(text).needed for name, text in dict(program.always).items()}
        if not all(type(name) is str for name in self.always):
            self._refuse("what always holds has no name")
        self.predicates = tuple(map(self._predicate, program.predicates))

    def _declare(self, variables: Mapping[Any, Any]) -> None:
        for name, given in variables.items():
            kind, value = given if isinstance(given, tuple) and len(given) == 2 else (given, 0)
            if type(name) is not str:
                self._refuse(f"a variable is named {name!r}, which is no text")
            self.declared[name] = Variable(name, self._type(name, kind))
            if not isinstance(value, int):
                self._refuse(f"{name} begins with {value!r}")
            self.initial[name] = int(value)
            low, high = self.declared[name].type.low, self.declared[name].type.high
            if low is not None and high is not None and not low <= self.initial[name] <= high:
                self._refuse(f"{name} begins with {value}, which is no {kind}")

    def _steps(self, process: str, given: Iterable[GuardedStep]) -> list[GuardedStep]:
        steps = [step(one.source, one.target, when=one.when, then=one.then) for one in given]
        if not steps:
            self._refuse(f"the process {process} has no step")
        if not all(type(place) is str for one in steps for place in (one.source, one.target)):
            self._refuse(f"a location of {process} is no text")
        return steps

    def _refuse(self, what: str) -> Any:
        raise SourceProblem(what, where=self.name)

    def _type(self, name: str, kind: str) -> Integer:
        if kind == "integer":
            return Integer()
        if kind == "bool":
            return Integer(1, False)
        found = _TYPE.match(kind) if isinstance(kind, str) else None
        if found is None or int(found[2]) > 64:
            self._refuse(f"{name} is {kind!r}; expected integer, bool, int1 to int64 or uint1 to uint64")
        assert found is not None
        return Integer(int(found[2]), not found[1])

    def system(self, invariants: Sequence[str], predicates: Sequence[str]) -> SymbolicSystem:
        """With invariants and predicates that the class does not declare."""
        wrong = [(ViolationFacts("invariant", name), term) for name, term in self.always.items()]
        wrong += [
            (ViolationFacts("invariant", text, property=text), self._asked(text)) for text in invariants
        ]
        return SymbolicSystem(
            tuple(self.controls),
            tuple(self.declared.values()),
            tuple(self.initial.values()),
            tuple(self.steps),
            (*self.failures, *(Failure(facts, (), negated(term), is_step=False) for facts, term in wrong)),
            ends=tuple(self.ends),
            predicates=(*self.predicates, *map(self._predicate, predicates)),
        )

    def _asked(self, text: str) -> Term:
        Expression(text, option="--invariant")  # refuses what it refuses for every class
        return self.condition(text).needed

    def _predicate(self, text: str) -> Term:
        value = self.condition(text)
        if value.fails != FALSE:
            self._refuse(f"the predicate {text!r} cannot be evaluated in every state; divide by constants")
        return value.truth

    def _add(self, position: int, process: str, one: GuardedStep) -> None:
        numbers = self.locations[process]
        source = ((position, numbers[one.source]),)
        guard = self.condition(one.when)
        assigned, fails = [], guard.fails
        for name, text in one.then.items():
            if name not in self.declared:
                self._refuse(f"{name!r} is assigned, and no variable")
            value = self.condition(text)
            fails = either(fails, both(negated(guard.fails), guard.truth, value.fails))
            new = stored(value.number, self.declared[name].type)
            if new != self.declared[name]:
                assigned.append((name, new))
        if fails != FALSE:
            # What a step raises is an assertion, in this class as in every other.
            facts = ViolationFacts(
                "assertion", f"division by zero in {process}: {one.source} -> {one.target}"
            )
            self.failures.append(Failure(facts, source, fails, is_step=True))
        shown = ", ".join(f"{name} = {text}" for name, text in one.then.items())
        text = f"{process}: {one.source} -> {one.target}" + (f" if {one.when}" if one.when != "True" else "")
        text += f", {shown}" if shown else ""
        target = ((position, numbers[one.target]),)
        self.steps.append(
            Step(position, source, target, both(negated(fails), guard.truth), tuple(assigned), text)
        )

    # --- expressions ---

    def condition(self, text: str) -> _Value:
        if type(text) is not str or len(text) > LONGEST_TEXT:
            self._refuse(f"expected an expression as a text, got {str(text)[:80]!r}")
        try:
            tree = ast.parse(text.strip(), mode="eval")
            return self._value(tree.body, text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return self._refuse(f"expected an expression, got {text!r}")  # type: ignore[no-any-return]

    def _value(self, node: ast.expr, text: str) -> _Value:
        found = self._value_of(node, text)
        if is_larger(found.term, LARGEST_VALUE) or is_larger(found.fails, LARGEST_VALUE):
            self._refuse(f"{text[:80]!r} is nested so deeply that its conditions cannot be written out")
        return found

    def _value_of(self, node: ast.expr, text: str) -> _Value:
        match node:
            case ast.Constant(bool() as value):
                return _Value(TRUE if value else FALSE)
            case ast.Constant(int() as value):
                return _Value(Number(value))
            case ast.Name(name) if name in self.declared:
                return _Value(self.declared[name])
            case ast.UnaryOp(operator, operand):
                inner = self._value(operand, text)
                if isinstance(operator, ast.Not):
                    return _Value(negated(inner.truth), inner.fails)
                if isinstance(operator, ast.UAdd):
                    return inner
                return _Value(
                    apply("neg" if isinstance(operator, ast.USub) else "~", inner.number), inner.fails
                )
            case ast.BoolOp(operator, values):
                return self._joined(isinstance(operator, ast.And), [self._value(one, text) for one in values])
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                return self._arithmetic(
                    _OPERATORS[type(operator)], self._value(left, text), self._value(right, text)
                )
            case ast.IfExp(test, body, orelse):
                chosen, then, otherwise = (self._value(one, text) for one in (test, body, orelse))
                fails = either(
                    chosen.fails, both(chosen.truth, then.fails), both(negated(chosen.truth), otherwise.fails)
                )
                return _Value(choice(chosen.truth, then.number, otherwise.number), fails)
            case ast.Compare(left, operators, comparators):
                return self._compared(left, operators, comparators, text)
        return self._refuse(f"{ast.unparse(node)!r} in {text!r} means nothing here")  # type: ignore[no-any-return]

    def _joined(self, is_and: bool, values: Sequence[_Value]) -> _Value:
        """One of the operands, as in Python: `2 and 5` is 5."""
        *first, found = values
        for value in reversed(first):
            reached = value.truth if is_and else negated(value.truth)
            fails = either(value.fails, both(reached, found.fails))
            if is_truth(found.term) and is_truth(value.term):
                found = _Value((both if is_and else either)(value.term, found.term), fails)
            else:
                found = _Value(choice(reached, found.number, value.number), fails)
        return found

    def _arithmetic(self, operator: str, left: _Value, right: _Value) -> _Value:
        fails = either(left.fails, right.fails)
        if operator in {"floor", "modulo"}:
            fails = either(fails, apply("==", right.number, ZERO))
        if operator in {"<<", ">>"}:
            by = right.number
            if not isinstance(by, Number) or not 0 <= by.value <= FARTHEST_SHIFT:
                self._refuse(f"a shift is by a constant from 0 to {FARTHEST_SHIFT}")
        return _Value(apply(operator, left.number, right.number), fails)

    def _compared(
        self, left: ast.expr, operators: Sequence[ast.cmpop], comparators: Sequence[ast.expr], text: str
    ) -> _Value:
        found = _Value(TRUE)
        for operator, right in zip(operators, comparators, strict=True):
            sign = _COMPARISONS.get(type(operator))
            if sign is None:
                self._refuse(f"{text!r} compares in a way that means nothing here")
            assert sign is not None
            place = self._at(left, right)
            if place is not None and sign in {"==", "!="}:
                one = _Value(place if sign == "==" else negated(place))
            else:
                a, b = self._value(left, text), self._value(right, text)
                one = _Value(apply(sign, a.number, b.number), either(a.fails, b.fails))
            found = self._joined(True, [found, one])
            left = right
        return found

    def _at(self, left: ast.expr, right: ast.expr) -> Term | None:
        """`A == "inside"`."""
        match left, right:
            case (ast.Name(process), ast.Constant(str() as place)) | (
                ast.Constant(str() as place),
                ast.Name(process),
            ):
                if process not in self.locations or place not in self.locations[process]:
                    self._refuse(f"no process {process} has a location {place!r}")
                return apply("==", Variable(process, CONTROL), Number(self.locations[process][place]))
        return None
