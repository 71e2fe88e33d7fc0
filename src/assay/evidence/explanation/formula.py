"""A run that violates a formula: the step after which it does, or since which what was promised never comes.

after Door0[1] in line 14 (door[0] = opened) moving is true, door[0] == closed is false
request is true after Client[0] in line 8 (request = true), and served is never true from there on
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from assay.evidence.counterexample import Counterexample, Step
from assay.evidence.explanation.events import shortened
from assay.records import dataclass

BECOMES = re.compile(r"(.*) becomes (true|false)$", re.DOTALL)
IS = re.compile(r"(.*) is (true|false)$", re.DOTALL)
BEGINS = re.compile(r"(?:^|: )(\(*\s*(?:\[\]|always\b))")  # after the name that it has, if it has one
TOKEN = re.compile(r"\s*(#\d+#|\[\]|<>|<->|->|&&|\|\||[!()]|\w+)")
ALWAYS, EVENTUALLY = {"[]", "always"}, {"<>", "eventually"}
AND, OR, NOT = {"&&", "and", "/\\"}, {"||", "or", "\\/"}, {"!", "not"}
IMPLIES, SAME = {"->", "implies"}, {"<->", "equivalent"}

Truth = Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Proposition:
    """Something that holds in a state or not, with the conditions that it speaks of."""

    holds: Callable[[Truth], bool]
    atoms: tuple[str, ...]

    def told(self, truth: Truth) -> str:
        return ", ".join(f"{atom} is {str(truth[atom]).lower()}" for atom in dict.fromkeys(self.atoms))


class NotTold(Exception):
    """A formula of another form: nothing is said of it."""


def formula(run: Counterexample) -> str:
    """Of `[] p`, `[] <> p` and `[] (p -> <> q)`."""
    states = _truth_of_states(run)
    if not states or run.omitted:
        return ""
    try:
        return _Reader(run.violation.message, tuple(states[0])).told(run, states)
    except NotTold:
        return ""


def _truth_of_states(run: Counterexample) -> list[dict[str, bool]]:
    """Of each condition in each state; what it was before it became something is the opposite."""
    becomes = [
        {found[1]: found[2] == "true" for text in step.conditions if (found := BECOMES.match(text))}
        for step in run.steps
    ]
    first: dict[str, bool] = {}
    for text in run.conditions:
        if found := IS.match(text):
            first[found[1]] = found[2] == "true"
    for changed in reversed(becomes):
        first.update({atom: not value for atom, value in changed.items()})
    states = [first]
    for changed in becomes:
        states.append({**states[-1], **changed})
    return states


class _Reader:
    """Reads a formula in which the known conditions are single words."""

    def __init__(self, message: str, atoms: Sequence[str]) -> None:
        self._atoms = sorted(atoms, key=len, reverse=True)
        text = message.removesuffix(" does not hold")
        begins = BEGINS.search(text)
        text = text[begins.start(1) :] if begins else text
        for number, atom in enumerate(self._atoms):
            text = re.sub(rf"(?<![\w.#]){re.escape(atom)}(?![\w.#\[])", f" #{number}# ", text)
        self._left: list[str] = []
        while text.strip():
            found = TOKEN.match(text)
            if found is None:
                raise NotTold
            self._left.append(found[1])
            text = text[found.end() :]

    def told(self, run: Counterexample, states: Sequence[Truth]) -> str:
        self._without_parentheses()
        if self._take(ALWAYS):
            self._without_parentheses()
            if self._take(EVENTUALLY):
                return _never_again(run, states, self._whole())
            if not ALWAYS.union(EVENTUALLY).isdisjoint(self._left):
                return _unanswered(run, states, *self._answered())
            return _broken(run, states, self._whole())
        raise NotTold  # of `<> p` there is no step to tell of

    def _without_parentheses(self) -> None:
        while self._left[:1] == ["("] and _closing(self._left) == len(self._left) - 1:
            self._left = self._left[1:-1]

    def _answered(self) -> tuple[Proposition, Proposition]:
        asked = self._either()
        if not self._take(IMPLIES):
            raise NotTold
        self._without_parentheses()
        if not self._take(EVENTUALLY):
            raise NotTold
        return asked, self._whole()

    def _take(self, words: set[str]) -> bool:
        if self._left and self._left[0] in words:
            self._left.pop(0)
            return True
        return False

    def _whole(self) -> Proposition:
        found = self._implied()
        if self._left:
            raise NotTold
        return found

    def _implied(self) -> Proposition:
        one = self._either()
        if self._take(IMPLIES):
            other = self._implied()
            return _joined(one, other, lambda a, b: not a or b)
        if self._take(SAME):
            other = self._implied()
            return _joined(one, other, lambda a, b: a == b)
        return one

    def _either(self) -> Proposition:
        one = self._both()
        while self._take(OR):
            one = _joined(one, self._both(), lambda a, b: a or b)
        return one

    def _both(self) -> Proposition:
        one = self._single()
        while self._take(AND):
            one = _joined(one, self._single(), lambda a, b: a and b)
        return one

    def _single(self) -> Proposition:
        if self._take(NOT):
            inner = self._single()
            return Proposition(lambda truth: not inner.holds(truth), inner.atoms)
        if self._take({"("}):
            inner = self._implied()
            if not self._take({")"}):
                raise NotTold
            return inner
        word = self._left.pop(0) if self._left else ""
        if not word.startswith("#"):
            raise NotTold
        atom = self._atoms[int(word.strip("#"))]
        return Proposition(lambda truth: truth[atom], (atom,))


def _closing(tokens: Sequence[str]) -> int:
    depth = 0
    for at, word in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth == 0:
            return at
    return -1


def _joined(one: Proposition, other: Proposition, join: Callable[[bool, bool], bool]) -> Proposition:
    return Proposition(lambda truth: join(one.holds(truth), other.holds(truth)), (*one.atoms, *other.atoms))


def _source(one: Proposition) -> str:
    return one.atoms[0] if len(set(one.atoms)) == 1 else "what is awaited"


def _after(run: Counterexample, number: int) -> str:
    return f"after {_step(run.steps[number - 1])}" if number else "from the start"


def _step(step: Step) -> str:
    who = f"{step.process} in line {step.line}" if step.line else step.process
    return f"{who} ({shortened(step.text)})"


def _between_transitions(run: Counterexample, number: int) -> bool:
    """Nobody looks inside of an atomic sequence."""
    here = run.steps[number - 1 : number + 1]
    return number == 0 or len(here) < 2 or here[0].transition != here[1].transition


def _broken(run: Counterexample, states: Sequence[Truth], always: Proposition) -> str:
    broken = (number for number, truth in enumerate(states) if not always.holds(truth))
    at = next((number for number in broken if _between_transitions(run, number)), None)
    if at is None:
        raise NotTold
    return f"{_after(run, at)} {always.told(states[at])}"


def _never_again(run: Counterexample, states: Sequence[Truth], awaited: Proposition) -> str:
    """Of a cycle in which it does not hold: the last step after which it did."""
    held = [number for number, truth in enumerate(states) if awaited.holds(truth)]
    start = len(run.steps) if run.loop_step is None else run.loop_step - 1
    if not held or held[-1] >= start:
        raise NotTold
    return f"{_after(run, held[-1] + 1)} {awaited.told(states[held[-1] + 1])}, and that stays so for ever"


def _unanswered(run: Counterexample, states: Sequence[Truth], asked: Proposition, answer: Proposition) -> str:
    start = len(run.steps) if run.loop_step is None else run.loop_step - 1
    if any(map(answer.holds, states[start:])):
        raise NotTold
    last = max((number for number, truth in enumerate(states) if answer.holds(truth)), default=-1)
    asking = (number for number in range(last + 1, len(states)) if asked.holds(states[number]))
    at = next((number for number in asking if _between_transitions(run, number)), None)
    if at is None:
        raise NotTold
    return f"{_after(run, at)} {asked.told(states[at])}, and {_source(answer)} is never true from there on"
