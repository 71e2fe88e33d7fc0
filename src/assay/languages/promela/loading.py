"""A model from its file to the compiler, with nobody waiting for what can be done meanwhile.

Two children work while this process imports the front end: the preprocessor, and the compiler that tells what
it is.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from assay.languages.promela import compiler
from assay.languages.promela.preprocess import preprocess
from assay.transition_system.language_options import LanguageOptions

if TYPE_CHECKING:
    from assay.languages.promela.program import PromelaProgram


def load(path: Path, options: LanguageOptions) -> PromelaProgram:
    """Everything before the search; raises `SourceProblem` if the model is wrong."""
    compiler.ask_what_it_is()
    text = preprocess(
        path, options.defines, meanwhile=lambda: import_module("assay.languages.promela.program")
    )
    from assay.languages.promela.program import load_text

    return load_text(path, text, options)
