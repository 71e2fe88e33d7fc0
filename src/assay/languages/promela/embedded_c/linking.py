"""From the embedded C of a resolved model to what the C generator needs of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.languages.promela.embedded_c.fragments import EmbeddedCode
from assay.languages.promela.embedded_c.image import BuiltImage, build_image, probe
from assay.languages.promela.embedded_c.image_source import image_source, probe_source
from assay.languages.promela.embedded_c.path_coverage import is_asked
from assay.languages.promela.layout import Layout
from assay.languages.promela.operations import BYTE, Const, Process, Symbol
from assay.languages.promela.syntax import Location
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions


def add_locals(
    embedded: EmbeddedCode, processes: Sequence[Process], file: str, options: LanguageOptions
) -> None:
    """Gives processes the variables that c_state declares for them: bytes, as many as the compiler says."""
    probed = probe(probe_source(embedded), Path(file).parent, Location(file, 1, 1), options)
    for number, variable in enumerate(embedded.locals):
        owner = next((p for p in processes if p.name == variable.proctype), None)
        if owner is None:
            raise SourceProblem(f"there is no proctype '{variable.proctype}'", where=variable.where)
        content = probed[f"assay_probe_{number}"]
        symbol = Symbol(
            variable.name,
            BYTE,
            variable.where,
            owner.name,
            length=len(content),
            initial=tuple(Const(byte) for byte in content),
            assigned=True,
            read=True,
            identifier=variable.name,
            declaration=variable.declaration,
        )
        if any(symbol.identifier == other.identifier for other in owner.symbols):
            raise SourceProblem(
                f"'{variable.name}' is declared twice in '{owner.name}'", where=variable.where
            )
        owner.symbols.append(symbol)


def linked(
    embedded: EmbeddedCode, layout: Layout, processes: Sequence[Process], file: str, options: LanguageOptions
) -> BuiltImage:
    """Compiles all of it and makes room for its memory in the layout."""
    source = image_source(embedded, layout, processes, with_paths=is_asked(options))
    image = build_image(source, Path(file).parent, Location(file, 1, 1), options)
    layout.add_memory(image.slot_bytes)
    return image
