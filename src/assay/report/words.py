"""Text of strangers on a terminal, and words that several reports have."""

from __future__ import annotations

NOTHING_ABOUT_ENDING = "nothing is said about whether every run ends"


def printable(text: str) -> str:
    """A stranger's text without what would move the cursor, change colours or turn the writing around."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def shortened(text: str, width: int) -> str:
    """On one line, and no longer than that."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 3] + "..."
