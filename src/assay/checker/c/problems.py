"""Why a program or a proof cannot be judged, or is judged to be none."""

from __future__ import annotations


class CannotCheck(Exception):
    """Something that is not read here. Never a reason to accept, and none to reject."""

    def __init__(self, what: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"{line}:{column}: {what}" if line else what)


class NoProgram(Exception):
    """The text is no C program, or not the one that the certificate speaks of."""


class NoProof(Exception):
    """The proof is not written as proofs are, or does not prove."""
