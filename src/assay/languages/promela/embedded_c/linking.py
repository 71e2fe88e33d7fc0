"""From the embedded C of a resolved model to what the C generator needs of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.languages.promela.embedded_c.fragments import EmbeddedCode, StateVariable
from assay.languages.promela.embedded_c.image import BuiltImage, build_image, probe, require_own_names
from assay.languages.promela.embedded_c.image_source import image_source, probe_source
from assay.languages.promela.embedded_c.path_coverage import KEYS, is_asked
from assay.languages.promela.layout import Layout
from assay.languages.promela.operations import BYTE, Const, Expr, ForeignValue, Process, Symbol
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
            initial=_first_value(embedded, variable, content),
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


def _first_value(embedded: EmbeddedCode, variable: StateVariable, content: bytes) -> tuple[Expr, ...]:
    """By bytes: constants, or what C says when the process begins."""
    if not variable.depends_on_the_state:
        return tuple(Const(byte) for byte in content)
    own = f"P{variable.proctype}->{variable.name}"
    text = f"({{ __typeof__({own}) first = {variable.initial}; ((unsigned char *)&first)[%d]; }})"
    return tuple(
        ForeignValue(embedded.add("c_expr", text % at, None, None, variable.where))
        for at in range(len(content))
    )


def linked(
    embedded: EmbeddedCode, layout: Layout, processes: Sequence[Process], file: str, options: LanguageOptions
) -> BuiltImage:
    """Compiles all of it and makes room for its memory in the layout."""
    for text, where in embedded.texts():
        if f"c_expr {{{text}}}" not in KEYS:
            require_own_names(text, where)
    source = image_source(embedded, layout, processes, with_paths=is_asked(options))
    image = build_image(source, Path(file).parent, Location(file, 1, 1), options)
    layout.add_memory(image.slot_bytes)
    return image
