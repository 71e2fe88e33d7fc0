"""Opens the step function of a compiled program, whatever its language.

Only in a process that may be lost: what is opened here executes somebody's
code. This module imports as little as possible: it is part of the start of
every search.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from importlib import import_module
from typing import cast

from assay import _engine

# How the errors of a model begin that are not the engine's fault.
ASSUMPTION_FAILED = "not final: "  # the name follows; the search has to start again without it
UNSUPPORTED = "unsupported: "  # file:line: sentence follows

KEY_BYTES = 24

Open = Callable[..., _engine.Model]


def draw_key() -> bytes:
    """A secret key of digests."""
    return secrets.token_bytes(KEY_BYTES)


def open_model(library: str, opener: str = "", *, key: bytes = b"") -> _engine.Model:
    """A shared object, or whatever the function `opener` (`module:function`) knows how to open.

    A `key` asks for states that are the same bytes in every process that has it, as certificates need
    them; those of shared objects always are.
    """
    if not opener:
        return _engine.CompiledModel(library)
    module, _, function = opener.partition(":")
    return cast(Open, getattr(import_module(module), function))(library, key=key)


def remarks_of(model: _engine.Model) -> list[str]:
    """What the model did that a verdict has to mention, in whole sentences."""
    return model.remarks() if isinstance(model, _engine.PythonMachine) else []


def describes_itself(model: _engine.Model) -> bool:
    """Whether the model has words for its states and steps (`describe`, `explain`, `violation`)."""
    return hasattr(model, "describe")
