"""What was forgotten: variables that embedded C changes and no c_track declares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.languages.promela.embedded_c.image import BuiltImage
from assay.languages.promela.embedded_c.variables import HEAP
from assay.languages.promela.operations import Fragment


def forgotten(
    image: BuiltImage, fragments: Sequence[Fragment], untracked: Sequence[tuple[int, int, bool]]
) -> list[str]:
    """A sentence for each variable and each piece of C that changes it."""
    found: dict[tuple[str, int], str] = {}
    for address, number, is_question in untracked:
        fragment = fragments[number]
        variable = image.variables.at(address)
        where_from = "memory from malloc()" if address >= HEAP else f"memory at {address:#x}"
        name = f"'{variable.name}'" if variable is not None else where_from
        place = f"{variable.place}: " if variable is not None and variable.file else ""
        where = f"{Path(fragment.where.file).name}:{fragment.where.line}"
        asked = ", which must change nothing," if is_question else ""
        found.setdefault(
            (name, number),
            f"{place}{name} is written by the {fragment.keyword} at {where}{asked} and is not tracked",
        )
    return list(found.values())
