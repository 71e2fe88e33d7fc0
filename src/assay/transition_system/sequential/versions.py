"""Mappings of which every version can be read, and the newest at once (Baker 1991, "shallow binding").

A change costs the same however large the mapping is. An older version knows what is different in a newer one;
reading it turns the way between them around, so that it is the newest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping


class Versions(Mapping[int, int]):
    __slots__ = ("content", "index", "newer", "value")

    def __init__(self, content: dict[int, int]) -> None:
        """Nobody else may change the content from now on."""
        self.content: dict[int, int] | None = content
        self.newer: Versions | None = None
        self.index = 0
        self.value: int | None = None  # at the index, where the newer one has another; None: nothing

    def changed(self, index: int, value: int) -> Versions:
        content = self._now()
        newer = Versions(content)
        self.content, self.newer, self.index, self.value = None, newer, index, content.get(index)
        content[index] = value
        return newer

    def _now(self) -> dict[int, int]:
        """The content, after which this is the newest version."""
        if self.content is not None:
            return self.content
        way = [self]
        while way[-1].newer is not None:
            way.append(way[-1].newer)
        content = way[-1].content
        assert content is not None
        for older, newer in zip(reversed(way[:-1]), reversed(way[1:]), strict=True):
            index = older.index
            newer.content, newer.newer, newer.index, newer.value = None, older, index, content.get(index)
            if older.value is None:
                del content[index]
            else:
                content[index] = older.value
            older.content, older.newer = content, None
        return content

    def __getitem__(self, index: int) -> int:
        return self._now()[index]

    def get(self, index: int, otherwise: int) -> int:  # type: ignore[override]
        return (self.content if self.content is not None else self._now()).get(index, otherwise)

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._now()))

    def __len__(self) -> int:
        return len(self._now())


def changed(content: Mapping[int, int], index: int, value: int) -> Mapping[int, int]:
    found = content if isinstance(content, Versions) else Versions(dict(content))
    return found.changed(index, value)
