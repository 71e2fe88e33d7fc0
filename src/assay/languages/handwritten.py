"""A transition system written directly as a Python class: `model.py:ClassName`.

The class has the interface's three methods. It may also have

- `variables(state)`: the named variables of a state, a mapping; without it
  a state's own fields are taken (dataclass, named tuple, mapping, or anything
  else under the single name `state`);
- `invariants`: a mapping from name to a predicate over a state;
- `may_end(state)`: whether the program may stop in a state without enabled
  actions; without it, such a state is a deadlock;
- `describe(action)`: the text of an action; without it, `str(action)`.

Loading executes the file: that is what the user asked for by naming it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

from assay.transition_system.interface import SourceHash, SourceProblem, TransitionSystem

REQUIRED = ("initial_states", "enabled", "step")


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

    def may_end(self, state: object) -> bool:
        own = getattr(self.system, "may_end", None)
        return bool(own(state)) if callable(own) else False

    def describe(self, action: object) -> str:
        own = getattr(self.system, "describe", None)
        return str(own(action)) if callable(own) else str(action)

    def place(self) -> tuple[str, int]:
        """File and line of `step`, where every action happens."""
        try:
            function = inspect.unwrap(self.system.step)
            return self.name.partition(":")[0], inspect.getsourcelines(function)[1]
        except (OSError, TypeError):
            return self.name.partition(":")[0], 0


def fields_of(state: object) -> dict[str, object]:
    """The named parts of a state that has some; else the state itself."""
    if is_dataclass(state) and not isinstance(state, type):
        return {field.name: getattr(state, field.name) for field in fields(state)}
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return dict(zip(state._fields, state, strict=True))
    if isinstance(state, Mapping):
        return {str(name): value for name, value in state.items()}
    return {"state": state}


def names_a_class(program: str) -> bool:
    file, colon, name = program.rpartition(":")
    return bool(colon) and file.endswith(".py") and name.isidentifier()


def load(program: str) -> HandwrittenSystem:
    """Import `model.py:ClassName` and make one instance without arguments."""
    file, _, class_name = program.rpartition(":")
    path = Path(file)
    try:
        text = path.read_bytes()
    except OSError as problem:
        raise SourceProblem(f"the program cannot be read: {problem.strerror}", where=file) from None
    module_name = f"assay_handwritten_{path.stem}"
    specification = importlib.util.spec_from_file_location(module_name, path)
    if specification is None or specification.loader is None:
        raise SourceProblem("expected a Python file", where=file)
    module = importlib.util.module_from_spec(specification)
    sys.modules[module_name] = module
    try:
        specification.loader.exec_module(module)
    except SyntaxError as problem:
        raise SourceProblem(
            f"expected Python, got a syntax error: {problem.msg}",
            where=f"{file}:{problem.lineno}:{problem.offset}",
        ) from None
    except Exception as problem:
        raise SourceProblem(
            f"importing it failed with {problem!r}", where=place_in_file(problem, file)
        ) from None
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
    digest = hashlib.sha256(text).hexdigest()
    return HandwrittenSystem(instance, name=program, sources=(SourceHash(file, digest),))


def place_in_file(problem: BaseException, file: str) -> str:
    """The innermost place in the user's file that an exception came through."""
    line = 0
    traceback = problem.__traceback__
    while traceback is not None:
        if Path(traceback.tb_frame.f_code.co_filename).resolve() == Path(file).resolve():
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f"{file}:{line}" if line else file
