"""The variables of embedded C by name: where they lie, where they were declared, what they hold.

Read from the information for debuggers (DWARF) of the image.
"""

from __future__ import annotations

import io
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from assay.records import dataclass

MOST_ELEMENTS = 64  # of an array that are shown
DEEPEST = 6
OWN_UNITS = ("support.c", "sanitizer.c")
# What the part of the C library that is in the image remembers, as a user would call it.
OF_LIBRARY = {
    "assay_error_number": "errno",
    "assay_random": "the state of rand()",
    "assay_token": "the place of strtok()",
}
HEAP, _HEAP_END = 0x1A5600000000, 0x1A5600000000 + (64 << 20)
_OF_IMAGE = ("assay_",)


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    address: int
    bytes: int
    file: str
    line: int
    type: Any  # the entry of its type

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


Read = Callable[[int, int], bytes]


class Variables:
    """Of one image."""

    def __init__(self, image: bytes, mirrored_bytes: int) -> None:
        self._image = image
        self._mirrored_bytes = mirrored_bytes

    @cached_property
    def all(self) -> list[Variable]:
        return sorted(self._found(), key=lambda variable: variable.address)

    @cached_property
    def _addresses(self) -> list[int]:
        return [variable.address for variable in self.all]

    def at(self, address: int) -> Variable | None:
        """The variable that has this byte."""
        position = bisect_right(self._addresses, address) - 1
        if position < 0:
            return None
        found = self.all[position]
        return found if address < found.address + max(found.bytes, 1) else None

    def _found(self) -> Iterator[Variable]:
        from elftools.elf import elffile

        opened: Any = elffile  # it has no types
        elf = opened.ELFFile(io.BytesIO(self._image))
        if not elf.has_dwarf_info():
            return
        dwarf = elf.get_dwarf_info()
        for unit in dwarf.iter_CUs():
            top = unit.get_top_DIE()
            name = top.attributes.get("DW_AT_name")
            lines = dwarf.line_program_for_CU(unit)
            for entry in self._variables_in(top):
                yield from self._variable(entry, lines, _text(name))

    def _variables_in(self, entry: Any) -> Iterator[Any]:
        for child in entry.iter_children():
            if child.tag == "DW_TAG_variable":
                yield child
            elif child.tag in ("DW_TAG_subprogram", "DW_TAG_lexical_block"):
                yield from self._variables_in(child)  # static ones

    def _variable(self, entry: Any, lines: Any, unit: str) -> Iterator[Variable]:
        location = entry.attributes.get("DW_AT_location")
        if location is None or not isinstance(location.value, list) or location.value[:1] != [3]:
            return
        address = int.from_bytes(bytes(location.value[1:9]), "little")
        described = entry
        if "DW_AT_specification" in entry.attributes:
            described = entry.get_DIE_from_attribute("DW_AT_specification")
        name = _text(described.attributes.get("DW_AT_name"))
        file, line = _declared(entry if "DW_AT_decl_line" in entry.attributes else described, lines)
        if name == "now":
            yield from self._of_now(address, described.get_DIE_from_attribute("DW_AT_type"), lines)
            return
        if name in OF_LIBRARY:
            kind = described.get_DIE_from_attribute("DW_AT_type")
            yield Variable(OF_LIBRARY[name], address, size_of(kind), "", 0, kind)
            return
        if address == 0 or not name or name.startswith(_OF_IMAGE):
            return
        if file.endswith(OWN_UNITS) or unit.endswith(OWN_UNITS):
            return
        kind = described.get_DIE_from_attribute("DW_AT_type")
        yield Variable(name, address, size_of(kind), file, line, kind)

    def _of_now(self, address: int, kind: Any, lines: Any) -> Iterator[Variable]:
        """What c_state declares: the fields of `now` behind those that are the model's."""
        for child in _plain(kind).iter_children():
            offset = child.attributes.get("DW_AT_data_member_location")
            if child.tag != "DW_TAG_member" or offset is None or offset.value < self._mirrored_bytes:
                continue
            inner = child.get_DIE_from_attribute("DW_AT_type")
            file, line = _declared(child, lines)
            name = f"now.{_text(child.attributes.get('DW_AT_name'))}"
            yield Variable(name, address + offset.value, size_of(inner), file, line, inner)


def _text(attribute: Any) -> str:
    return attribute.value.decode("utf-8", "replace") if attribute is not None else ""


def _declared(entry: Any, lines: Any) -> tuple[str, int]:
    line = entry.attributes.get("DW_AT_decl_line")
    number = entry.attributes.get("DW_AT_decl_file")
    if line is None or number is None or lines is None:
        return "", 0
    files = lines["file_entry"]
    index = number.value if lines.header["version"] >= 5 else number.value - 1
    if not 0 <= index < len(files):
        return "", line.value
    found = files[index]
    name = found.name.decode("utf-8", "replace")
    folders = lines["include_directory"]
    folder = found.dir_index if lines.header["version"] >= 5 else found.dir_index - 1
    if 0 < folder < len(folders) and not name.startswith("/"):
        return f"{folders[folder].decode('utf-8', 'replace')}/{name}", line.value
    return name, line.value


def _inner(kind: Any) -> Any | None:
    return kind.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in kind.attributes else None


def _plain(kind: Any) -> Any:
    """Without names and qualifiers."""
    while kind is not None and kind.tag in ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type"):
        kind = _inner(kind)
    return kind


def _counts(kind: Any) -> list[int]:
    counts = []
    for child in kind.iter_children():
        if child.tag == "DW_TAG_subrange_type":
            bound, count = child.attributes.get("DW_AT_upper_bound"), child.attributes.get("DW_AT_count")
            if count is not None and isinstance(count.value, int):
                counts.append(count.value)
            else:
                is_number = bound is not None and isinstance(bound.value, int)
                counts.append(bound.value + 1 if is_number else 0)
    return counts


def size_of(kind: Any) -> int:
    kind = _plain(kind)
    if kind is None:
        return 0
    size = kind.attributes.get("DW_AT_byte_size")
    if size is not None:
        return int(size.value)
    if kind.tag == "DW_TAG_array_type":
        total = size_of(_inner(kind))
        for count in _counts(kind):
            total *= count
        return total
    return 8 if kind.tag == "DW_TAG_pointer_type" else 0


def value_of(kind: Any, address: int, read: Read, depth: int = 0) -> object:
    """What lies there, as a person reads it."""
    kind = _plain(kind)
    if kind is None or depth > DEEPEST:
        return "..."
    match kind.tag:
        case "DW_TAG_base_type":
            return _number(read(address, size_of(kind)), int(kind.attributes["DW_AT_encoding"].value))
        case "DW_TAG_enumeration_type":
            value = int.from_bytes(read(address, size_of(kind)), "little", signed=True)
            for child in kind.iter_children():
                if child.tag == "DW_TAG_enumerator" and child.attributes["DW_AT_const_value"].value == value:
                    return _text(child.attributes["DW_AT_name"])
            return value
        case "DW_TAG_pointer_type":
            return _pointer(int.from_bytes(read(address, 8), "little"))
        case "DW_TAG_structure_type" | "DW_TAG_union_type":
            return _fields(kind, address, read, depth)
        case "DW_TAG_array_type":
            return _elements(_inner(kind), _counts(kind), address, read, depth)
    return "..."


def _number(content: bytes, encoding: int) -> object:
    if encoding == 4 and len(content) in (4, 8):
        return struct.unpack("<f" if len(content) == 4 else "<d", content)[0]
    if encoding == 2:
        return any(content)
    return int.from_bytes(content, "little", signed=encoding in (5, 6))


def _pointer(value: int) -> str:
    if value == 0:
        return "NULL"
    return f"heap+{value - HEAP:#x}" if HEAP <= value < _HEAP_END else f"{value:#x}"


def _fields(kind: Any, address: int, read: Read, depth: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for child in kind.iter_children():
        if child.tag != "DW_TAG_member":
            continue
        inner, name = child.get_DIE_from_attribute("DW_AT_type"), _text(child.attributes.get("DW_AT_name"))
        bits, first = child.attributes.get("DW_AT_bit_size"), child.attributes.get("DW_AT_data_bit_offset")
        if bits is not None and first is not None:
            begin = first.value // 8
            content = int.from_bytes(read(address + begin, (first.value % 8 + bits.value + 7) // 8), "little")
            found[name] = content >> first.value % 8 & (1 << bits.value) - 1
            continue
        offset = child.attributes.get("DW_AT_data_member_location")
        at = address + (offset.value if offset is not None and isinstance(offset.value, int) else 0)
        value = value_of(inner, at, read, depth + 1)
        if name:
            found[name] = value
        elif isinstance(value, dict):
            found.update(value)
    return found


def _elements(inner: Any, counts: list[int], address: int, read: Read, depth: int) -> object:
    if not counts:
        return []
    size = size_of(inner)
    for count in counts[1:]:
        size *= count
    element = _plain(inner)
    is_text = len(counts) == 1 and element is not None and element.tag == "DW_TAG_base_type" and size == 1
    if is_text and int(element.attributes["DW_AT_encoding"].value) in (6, 8):
        content = read(address, counts[0])
        text = content.split(b"\0", 1)[0]
        if text and text.isascii() and text.decode().isprintable() and not any(content[len(text) :]):
            return text.decode()
    shown = []
    for number in range(min(counts[0], MOST_ELEMENTS)):
        at = address + number * size
        if len(counts) > 1:
            shown.append(_elements(inner, counts[1:], at, read, depth + 1))
        else:
            shown.append(value_of(inner, at, read, depth + 1))
    return shown if counts[0] <= MOST_ELEMENTS else [*shown, "..."]
