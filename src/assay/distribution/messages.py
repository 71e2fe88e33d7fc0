"""What a parent and its worker process say to each other, and how it stands in a pipe.

A message is the length of a pickle, then the pickle. Both sides are ours, so
unpickling is as trustworthy as the code that the worker runs.
"""

from __future__ import annotations

import pickle
from typing import BinaryIO, NamedTuple

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
