"""When two moments of two runs are the same state.

A state is everything the rest of a run can depend on: the module's variables, and of each thread the place
where it stands and the local variables of the interpreter on its behalf, down to every object reached from
there. Objects are numbered in the order in which they are found, so that addresses play no part, and what
nobody can reach is left out.

The interpreter keeps nothing outside local variables when it yields (see the rule in `interpreter.py`); a
test holds it to that, and another compares exploration with memory to exploration without.
"""

from __future__ import annotations

import ast
from functools import cache
from types import BuiltinFunctionType, FunctionType
from typing import Any

from tests.python.oracle.interpreter import Interpreter, Program
from tests.python.oracle.scopes import Scope
from tests.python.oracle.synchronisation import SWITCH, Pending, Thread
from tests.python.oracle.values import VIEWS, Module, Nameless

ATOMS = frozenset({int, float, str, bytes, bool, type(None), range, complex})
CONSTANTS = (ast.AST, Scope, Program, Module, type, BuiltinFunctionType, FunctionType)


@cache
def is_constant(kind: Any) -> bool:
    """Whether objects of a type are the same in every run of a program, and never change."""
    return issubclass(kind, CONSTANTS)


class Canonical:
    """Turns a state into a tuple that is equal exactly for equal states."""

    def __init__(self, interpreter: Interpreter, *, with_output: bool) -> None:
        self._tokens: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._keep: list[Any] = []  # what was numbered stays alive, so that no address is used twice
        self._with_output = with_output
        self._variables(dict(sorted(interpreter.module.variables.items())))
        self._walk(interpreter.uncaught)
        for thread in sorted(interpreter.threads, key=lambda thread: thread.path):
            self._walk(thread)

    @property
    def key(self) -> tuple[Any, ...]:
        return tuple(self._tokens)

    def _walk(self, value: Any) -> None:
        kind: Any = type(value)
        if kind in ATOMS:
            self._tokens += (kind, value)
        elif is_constant(kind) or value is SWITCH:
            self._tokens.append(id(value))
        elif kind is Interpreter:
            self._tokens.append("interpreter")  # its own fields are walked once
        elif id(value) in self._numbers:
            self._tokens += ("again", self._numbers[id(value)])
        elif kind is list and value and isinstance(value[0], ast.AST):
            self._tokens.append(id(value))
        else:
            self._numbers[id(value)] = len(self._numbers)
            self._keep.append(value)
            self._tokens.append(kind)
            self._inside(value)

    def _inside(self, value: Any) -> None:
        if isinstance(value, list | tuple):
            self._tokens.append(len(value))
            for item in value:
                self._walk(item)
        elif isinstance(value, dict):
            self._tokens.append(len(value))
            for key, item in value.items():
                self._walk(key)
                self._walk(item)
        elif isinstance(value, set | frozenset):
            self._walk(sorted(value, key=repr))
        elif isinstance(value, slice):
            self._walk((value.start, value.stop, value.step))
        elif isinstance(value, VIEWS):
            view: Any = value
            self._walk(view.mapping)
        elif isinstance(value, BaseException):
            self._walk(value.args)
            self._variables(vars(value))
        elif isinstance(value, Thread):
            self._thread(value)
        elif isinstance(value, Nameless | Pending) or hasattr(type(value), "__dataclass_fields__"):
            self._variables(vars(value))
        else:
            raise TypeError(f"no canonical form for a {type(value).__name__}")

    def _variables(self, variables: dict[str, Any]) -> None:
        tokens = self._tokens
        for name, value in variables.items():
            tokens.append(name)
            self._walk(value)

    def _thread(self, thread: Thread) -> None:
        variables = dict(vars(thread))
        steps: Any = variables.pop("steps")
        if not self._with_output:
            del variables["lines"]
        self._variables(variables)
        while steps is not None and steps.gi_frame is not None:
            frame = steps.gi_frame
            self._tokens += ("at", id(frame.f_code), frame.f_lasti)
            self._variables(frame.f_locals)
            steps = steps.gi_yieldfrom
        self._tokens.append("end")
