"""Classes that declare their transitions: expressions are Python's, and what is declared is what they do."""

from __future__ import annotations

import random

import pytest

from assay import languages
from assay.guarded import FARTHEST_SHIFT, GuardedProgram, form_of, step
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.symbolic import NotExpressible, SymbolicSystem
from assay.transition_system.terms import evaluate

VALUES = (-(2**40), -7, -2, -1, 0, 1, 2, 3, 8, 2**31, 2**65)
OPERATORS = ("+", "-", "*", "//", "%", "&", "|", "^", "<", "<=", "==", "!=", ">", ">=", "and", "or")


class Plain(GuardedProgram):
    variables = {"x": "integer", "y": "integer"}
    processes = {"A": [step("here", "here")]}


def expression(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.15:
        return chance.choice(("x", "y", "x", "y", "True", "False", "0", "1", "3", "-2", "5"))
    kind = chance.random()
    if kind < 0.1:
        return f"({chance.choice(('-', '~', 'not ', '+'))}{expression(chance, depth - 1)})"
    if kind < 0.2:
        a, b, c = (expression(chance, depth - 1) for _ in range(3))
        return f"({a} if {b} else {c})"
    if kind < 0.3:
        a, b, c = (expression(chance, depth - 1) for _ in range(3))
        return f"({a} {chance.choice(('<', '==', '>='))} {b} {chance.choice(('<', '!=', '>'))} {c})"
    if kind < 0.36:
        return (
            f"({expression(chance, depth - 1)} {chance.choice(('<<', '>>'))} {chance.choice((0, 1, 7, 64))})"
        )
    return f"({expression(chance, depth - 1)} {chance.choice(OPERATORS)} {expression(chance, depth - 1)})"


def test_random_expressions_are_those_of_python():
    form = Plain()._form
    chance = random.Random(1)
    failed = 0
    for _ in range(1_500):
        text = expression(chance, 4)
        value = form.condition(text)
        for _ in range(3):
            values = {"x": chance.choice(VALUES), "y": chance.choice(VALUES)}
            try:
                expected = eval(text, {}, values)
            except ZeroDivisionError:
                failed += 1
                assert evaluate(value.fails, values), (text, values)
                continue
            assert not evaluate(value.fails, values), (text, values)
            assert evaluate(value.number, values) == expected, (text, values)
            assert bool(evaluate(value.truth, values)) == bool(expected), (text, values)
    assert failed > 50


@pytest.mark.parametrize(
    "text", ["x << -1", f"1 << {FARTHEST_SHIFT + 1}", "x << y", "x >> 5000", "x ** 2", "x / 2"]
)
def test_what_cannot_be_said_is_refused(text):
    with pytest.raises(SourceProblem):
        Plain()._form.condition(text)


def nested(depth: int, before: str, after: str) -> str:
    return before * depth + "x" + after * depth


@pytest.mark.parametrize(
    "text",
    [
        " and ".join(["1 // x > 0"] * 60),
        " and ".join("xy" * 100),
        nested(60, "(", " and y)"),
        nested(60, "(y or ", ")"),
        nested(60, "(y // ", ")"),
        nested(60, "(1 if ", " else 2 // x)"),
        nested(60, "(y < ", " < 1 // x)"),
    ],
)
def test_what_is_nested_deeply_is_read_or_refused_at_once(text):
    try:
        value = Plain()._form.condition(text)
    except SourceProblem:
        return
    values = {"x": 3, "y": -2}
    assert evaluate(value.number, values) == eval(text, {}, values)


def test_an_invariant_with_a_comment_is_refused():
    with pytest.raises(SourceProblem, match="comment"):
        form_of(Plain(), ["x >= 0 # and all is well"], ())


DECLARED = """
from assay.guarded import GuardedProgram, step

class Base(GuardedProgram):
    variables = {"x": "integer"}
    processes = {"A": [step("a", "a", when="x < 3", then={"x": "x + 1"})]}
    always = {"small": "x <= 3"}
"""
HIDING = {
    "a property in place of the invariants": """
class Model(Base):
    @property
    def invariants(self): return {"smaller": lambda state: state[1] < 2}
    @invariants.setter
    def invariants(self, value): pass
""",
    "another step": "class Model(Base):\n    def step(self, state, action): return (0, 7)",
    "other actions": "class Model(Base):\n    def enabled(self, state): return []",
    "another end": "class Model(Base):\n    def may_end(self, state): return True",
    "another beginning": "class Model(Base):\n    def initial_states(self): return [(0, 0), (0, 9)]",
    "a constructor": "class Model(Base):\n    def __init__(self): super().__init__(); self.more = 1",
    "another object": "class Model(Base):\n    def __new__(cls): return object.__new__(cls)",
    "its own attributes": "class Model(Base):\n    def __getattr__(self, name): raise AttributeError(name)",
    "a class of classes": "class M(type): pass\nclass Model(Base, metaclass=M): pass",
    "a class beside it": "class M:\n    def may_end(self, state): return True\nclass Model(M, Base): pass",
}


@pytest.mark.parametrize("hidden", HIDING.values(), ids=list(HIDING))
def test_a_class_that_may_do_something_else_has_no_form(hidden, tmp_path):
    path = tmp_path / "model.py"
    path.write_text(DECLARED + hidden)
    program = languages.load(f"{path}:Model", LanguageOptions()).opened()
    with pytest.raises(NotExpressible, match="its declarations need not be what it does"):
        program.symbolic()


def test_methods_of_its_own_that_nobody_asks_for_do_no_harm():
    class Helped(Plain):
        """With a text."""

        LIMIT = 3

        @staticmethod
        def helper() -> int:
            return 4

    assert isinstance(form_of(Helped(), (), ()), SymbolicSystem)


def test_declarations_are_read_once():
    class Once:
        readings = 0

        def __get__(self, instance, owner):
            Once.readings += 1
            return {"A": [step("a", "a", then={"x": f"x + {Once.readings}"})]}

    class Changing(GuardedProgram):
        variables = {"x": "integer"}
        processes = Once()

    model = Changing()
    system = form_of(model, (), ())
    assert isinstance(system, SymbolicSystem)
    assert [state for _, state in model.enabled((0, 0))] == [(0, 1)]
    assert Once.readings == 1
    assert str(system.steps[0].assignments[0][1]) == "x + 1"


@pytest.mark.parametrize(
    "declared",
    [
        {"variables": {1: "integer"}},
        {"variables": {"x": "float"}},
        {"variables": {"x": ("uint3", 8)}},
        {"variables": {"x": ("integer", 1.0)}},
        {"variables": {"x": "integer"}, "processes": {"x": [step("a", "a")]}},
        {"processes": {"A": []}},
        {"processes": {"A": [step(1, 2)]}},
        {"processes": {}},
        {"always": {1: "True"}},
    ],
)
def test_declarations_that_mean_nothing_are_refused(declared):
    wrong = type("Wrong", (Plain,), declared)
    with pytest.raises(SourceProblem):
        wrong()
