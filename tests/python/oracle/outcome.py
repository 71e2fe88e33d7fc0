"""How one run of a program can end, as a value that can be compared and kept in sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GRANULARITIES = ("bytecode", "gil", "sync")

PLAIN_ATOMS = (int, float, complex, str, bytes, bool, type(None))
PLAIN_CONTAINERS = (list, tuple, set, frozenset, dict)


@dataclass(frozen=True, slots=True, order=True)
class Outcome:
    """What is left when a run is over.

    `ended` is "ok", "deadlock", or the first exception nobody caught, as "Type: message" ("Type" alone when
    there is no message). `globals` are the module's variables that hold plain data, by name, each as its
    `repr`; sets are shown in the order of their elements' text. `output` has the printed lines of each thread
    by the thread's name: () is the main thread, (0,) the first thread it created, (0, 1) the second one that
    thread created.
    """

    ended: str
    globals: tuple[tuple[str, str], ...]
    output: tuple[tuple[tuple[int, ...], tuple[str, ...]], ...] = ()

    def comparable(self) -> Outcome:
        """What two explorers must agree on.

        Not the output, which is no part of the machine's state. And not the globals of a run that ended with
        an exception: how far other threads come between the last thing a thread does and its end is a matter
        of where steps are cut, not of the program.
        """
        failed = self.ended not in {"ok", "deadlock"}
        return Outcome(self.ended, () if failed else self.globals)

    def value(self, name: str) -> str:
        """The text of one global; a KeyError when it holds no plain data."""
        return dict(self.globals)[name]


def describe_exception(error: BaseException) -> str:
    message = str(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def plain_globals(variables: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The variables of a module that hold plain data, as text, by name."""
    return tuple(
        (name, text_of(value))
        for name, value in sorted(variables.items())
        if not name.startswith("__") and is_plain(value)
    )


def is_plain(value: Any, above: tuple[int, ...] = ()) -> bool:
    """Whether a value is made of nothing but numbers, texts and the built-in containers."""
    if type(value) in PLAIN_ATOMS:
        return True
    if type(value) not in PLAIN_CONTAINERS:
        return False
    if id(value) in above:  # a container within itself is as plain as the rest of it
        return True
    inside = (*above, id(value))
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    return all(is_plain(part, inside) for part in parts)


def text_of(value: Any, above: tuple[int, ...] = ()) -> str:
    """`repr`, but the elements of a set in a fixed order."""
    if type(value) not in PLAIN_CONTAINERS:
        return repr(value)
    if id(value) in above:
        return "..."
    inside = (*above, id(value))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text_of(k, inside)}: {text_of(v, inside)}" for k, v in value.items()) + "}"
    parts = [text_of(part, inside) for part in value]
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__}({{{', '.join(sorted(parts))}}})"
    if isinstance(value, tuple):
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    return f"[{', '.join(parts)}]"
