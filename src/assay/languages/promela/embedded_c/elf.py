"""What we need of a linked program (ELF, 64 bits): segments, symbols, sections."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property

from assay.records import dataclass

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_LOAD, _THREAD_LOCAL, _CONSTANT = 1, 7, 0x6474E552
_WRITABLE = 2
_SYMBOL_TABLE = 2
_EXECUTABLE = 4
_STACK = b".note.GNU-stack\0"


@dataclass(frozen=True, slots=True)
class Segment:
    kind: int
    flags: int
    offset: int
    address: int
    file_bytes: int
    bytes: int

    @property
    def is_loaded(self) -> bool:
        return self.kind == _LOAD and self.bytes > 0

    @property
    def is_writable(self) -> bool:
        return self.is_loaded and bool(self.flags & _WRITABLE)

    @property
    def is_constant(self) -> bool:
        """Nobody writes it after it is loaded."""
        return self.kind == _CONSTANT


@dataclass(frozen=True, slots=True)
class ElfSymbol:
    name: str
    address: int
    bytes: int
    kind: int  # 1: data, 2: function


class Elf:
    def __init__(self, content: bytes) -> None:
        self.content = content
        fields = _HEADER.unpack_from(content)
        self._segments, self._sections = fields[5], fields[6]
        self._segment_count, self._section_count, self._names = fields[10], fields[12], fields[13]

    @cached_property
    def segments(self) -> list[Segment]:
        found = []
        for number in range(self._segment_count):
            kind, flags, offset, address, _, file_bytes, size, _ = _SEGMENT.unpack_from(
                self.content, self._segments + number * _SEGMENT.size
            )
            found.append(Segment(kind, flags, offset, address, file_bytes, size))
        return found

    @property
    def has_thread_locals(self) -> bool:
        return any(segment.kind == _THREAD_LOCAL and segment.bytes for segment in self.segments)

    @property
    def loaded(self) -> bytes:
        """The file without what no process needs."""
        end = max(segment.offset + segment.file_bytes for segment in self.segments if segment.is_loaded)
        return self.content[: max(end, self._segments + self._segment_count * _SEGMENT.size)]

    def _section(self, number: int) -> tuple[int, ...]:
        return _SECTION.unpack_from(self.content, self._sections + number * _SECTION.size)

    @property
    def puts_code_on_the_stack(self) -> bool:
        """What a compiler says of an object with nested functions whose address is taken."""
        *_, names, _, _, _, _, _ = self._section(self._names)
        for number in range(self._section_count):
            name, _, flags, *_ = self._section(number)
            begin = names + name
            if self.content[begin : begin + len(_STACK)] == _STACK and flags & _EXECUTABLE:
                return True
        return False

    def symbols(self) -> Iterator[ElfSymbol]:
        for number in range(self._section_count):
            _, kind, _, _, offset, size, link, *_ = self._section(number)
            if kind != _SYMBOL_TABLE:
                continue
            _, _, _, _, names, *_ = self._section(link)
            for at in range(offset, offset + size, _SYMBOL.size):
                name, info, _, _, address, extent = _SYMBOL.unpack_from(self.content, at)
                end = self.content.index(b"\0", names + name)
                yield ElfSymbol(
                    self.content[names + name : end].decode("latin-1"), address, extent, info & 15
                )

    @cached_property
    def addresses(self) -> dict[str, int]:
        return {symbol.name: symbol.address for symbol in self.symbols()}
