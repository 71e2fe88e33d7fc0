"""Opens the step function of a program, whatever its language.

Only in a process that may be lost: what is opened here executes somebody's
code. This module imports as little as possible: it is part of the start of
every search.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, cast

from assay import _engine

if TYPE_CHECKING:
    from assay.transition_system.interface import Opening

KEY_BYTES = 24
# What a process needs of the machine for being one of ours: libraries and modules.
READABLE = tuple(
    dict.fromkeys(
        [
            "/proc/self",
            "/usr",
            "/lib",
            "/lib64",
            "/opt",
            sys.prefix,
            sys.base_prefix,
            os.path.join(os.path.dirname(__file__), ".."),  # noqa: PTH118, PTH120 (pathlib is slow to import)
        ]
        + [path for path in sys.path if path]
    )
)

Open = Callable[..., _engine.Model]


class SelfDescribing(Protocol):
    """A model whose states mean something only in the process that made them: it has the words for them."""

    def describe(self, state: bytes, /) -> dict[str, Any]: ...
    def explain(self, state: bytes, position: int, /) -> dict[str, Any]: ...
    def violation(self, code: int, /) -> dict[str, Any]: ...


def draw_key() -> bytes:
    """A secret key of digests."""
    return os.urandom(KEY_BYTES)


def open_model(opening: Opening, *, key: bytes = b"") -> _engine.Model:
    """A shared object, or whatever the opener knows how to open.

    A `key` asks for states that are the same bytes in every process that has it, as certificates need
    them; those of shared objects always are.
    """
    if is_confined(opening):
        _engine.CompiledModel.confine([*READABLE, *cast(list[str], opening.settings["confined"])])
    if not opening.opener:
        key = key or bytes.fromhex(str(opening.settings.get("content_key", "")))
        return _engine.CompiledModel(opening.file, key if opening.settings.get("numbered") else b"")
    module, _, function = opening.opener.partition(":")
    return cast(Open, getattr(import_module(module), function))(opening, key=key)


def is_confined(opening: Opening) -> bool:
    """Does it execute a stranger's code? Then the process that opens it is confined for good, and reads
    nothing any more but what it consists of and the files that the setting names."""
    return "confined" in opening.settings


def remarks_of(model: _engine.Model) -> list[str]:
    """What the model did that a verdict has to mention, in whole sentences."""
    return model.remarks() if isinstance(model, _engine.PythonMachine) else []


def untracked_by(model: _engine.Model) -> list[tuple[int, int, bool]]:
    """What steps changed that is no part of the state: address, number of the piece of code, and whether that
    was only asked a question."""
    return model.untracked() if isinstance(model, _engine.CompiledModel) else []


def describes_itself(model: object) -> TypeGuard[SelfDescribing]:
    return hasattr(model, "describe")


def root_of(model: object) -> int:
    """How many initial states a model has, if they are the successors of a state that is not the program's;
    else zero."""
    return int(getattr(model, "initial_count", 0))
