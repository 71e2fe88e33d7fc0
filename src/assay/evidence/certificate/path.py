"""Finding a state of a script again, for people who want to see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from assay.evidence.certificate.frames import Frame
from assay.evidence.certificate.header import CertificateProblem


class Steps(Protocol):
    def initial_state(self) -> tuple[bytes, int]: ...
    def successors(self, state: bytes) -> list[tuple[bytes | None, int]]: ...


def path_within(
    model: Steps, frame: Frame, first_state: int, number: int, *, is_ranked: bool = False
) -> tuple[int, ...]:
    """The tree path from the initial state to state `number` of the frame, as positions.

    Executes the program along the frame's `TREE` entries; meant for one frame.
    """
    numbers = varints(frame.start)
    path: list[int] = []
    waiting: list[tuple[tuple[int, ...], bytes]] = []
    state: bytes | None = model.initial_state()[0]
    for _ in range(next(numbers)):
        assert state is not None
        successors = model.successors(state)
        position = next(numbers)
        if is_ranked:
            next(numbers)
        following, children = position, []
        for _ in range(next(numbers)):
            following += next(numbers) + 1
            children.append(following)
            if is_ranked:
                next(numbers)
        waiting += [((*path, child), successors[child][0] or b"") for child in reversed(children)]
        path.append(position)
        state = successors[position][0]
    assert state is not None
    waiting.append((tuple(path), state))
    bit = 0
    for visited in range(first_state, first_state + frame.states):
        place, state = waiting.pop()
        if visited == number:
            return place
        successors = model.successors(state)
        tree = [k for k in range(len(successors)) if frame.bits[(bit + k) // 8] >> ((bit + k) % 8) & 1]
        bit += len(successors)
        waiting += [((*place, child), successors[child][0] or b"") for child in reversed(tree)]
    raise CertificateProblem(f"state {number} is not in this frame")


def varints(section: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in section:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0
