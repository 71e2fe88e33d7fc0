"""Why a program or a proof cannot be judged, or is judged to be none."""

from __future__ import annotations


class CannotCheck(Exception):
    """Something that is not read here. Never a reason to accept, and none to reject."""

    def __init__(self, what: str, line: int = 0, column: int = 0, file: str = "") -> None:
        where = f"{file}:{line}:{column}" if file else f"{line}:{column}"
        super().__init__(f"{where}: {what}" if line else what)
        self.what, self.line, self.column, self.file = what, line, column, file

    def within(self, file: str) -> CannotCheck:
        """With the file in which the place is, if nobody has named it yet."""
        return self if self.file else CannotCheck(self.what, self.line, self.column, file)


class NoProgram(Exception):
    """The text is no C program, or not the one that the certificate speaks of."""


class NoProof(Exception):
    """The proof is not written as proofs are, or does not prove."""
