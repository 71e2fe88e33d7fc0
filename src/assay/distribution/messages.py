"""What a parent and its worker process say to each other, and how it stands in a pipe.

A message is the length of a pickle, then the pickle. Where a worker executes a stranger's code, what it
answers may be whatever that code has written into the pipe. Then an answer is data alone (`data_in`): of
modules that are here already it names classes that hold data, and errors. Every other class and every
function is refused.
"""

from __future__ import annotations

import io
import pickle
import sys
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, BinaryIO, NamedTuple

LENGTH_BYTES = 8


class Assigned(NamedTuple):
    work: str
    task: object


class Reported(NamedTuple):
    progress: object


class Returned(NamedTuple):
    result: object
    peak_memory_bytes: int


class Raised(NamedTuple):
    error: Exception
    peak_memory_bytes: int


class _Data(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        found = getattr(sys.modules.get(module), name, None)
        is_plain = module == "builtins" and name in _PLAIN
        if is_plain or (isinstance(found, type) and _holds_data(found)):
            return found
        raise pickle.UnpicklingError(f"an answer names {module}.{name}")


_PLAIN = frozenset(["set", "frozenset", "bytearray", "complex", "range", "slice"])


def _holds_data(kind: type) -> bool:
    is_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return is_tuple or is_dataclass(kind) or issubclass(kind, Enum | BaseException)


def data_in(body: bytes | bytearray) -> Any:
    """What a worker says. Raises `pickle.UnpicklingError` for what no worker of ours would."""
    return _Data(io.BytesIO(body)).load()


def packed(message: object) -> bytes:
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(body).to_bytes(LENGTH_BYTES, "little") + body


def read_body(pipe: BinaryIO) -> bytes | None:
    """The pickle of the next message; None when the other side is gone."""
    length = pipe.read(LENGTH_BYTES)
    if len(length) < LENGTH_BYTES:
        return None
    expected = int.from_bytes(length, "little")
    body = pipe.read(expected)
    return body if len(body) == expected else None


def take_bodies(arrived: bytearray) -> list[bytearray]:
    """Cut the pickles of complete messages off the front of what has arrived so far."""
    bodies = []
    begin = 0
    while len(arrived) >= (body := begin + LENGTH_BYTES):
        end = body + int.from_bytes(arrived[begin:body], "little")
        if len(arrived) < end:
            break
        bodies.append(arrived[body:end])
        begin = end
    del arrived[:begin]
    return bodies
