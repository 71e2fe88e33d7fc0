"""The code of libraries, compiled once for all programs of this user that ask for the same.

Most of a small program is the libraries that it is compiled with. Their code depends on the program only by
what the compiler asks about it: what an import finds, whether a name is mentioned. These questions are kept
with their answers, and code is taken again where all answers are the same: from this process, or from an
earlier one (`kept_libraries`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from assay.languages.python.code import Code
from assay.languages.python.compiler.context import Context, Found, Imports, ModuleSource
from assay.languages.python.compiler.kept_libraries import kept_library
from assay.languages.python.compiler.statements import module_code
from assay.records import dataclass

MOST_KEPT = 8  # of one library at one place in the program


class Asking:
    """Answers as the program does, and remembers what was asked."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports
        self.answers: dict[tuple[str, ...], object] = {}

    @property
    def failed_assumptions(self) -> frozenset[str]:
        return self._imports.failed_assumptions  # part of what code is looked up by

    def absolute(self, importer: ModuleSource, node: ast.ImportFrom) -> str:
        return self._imports.absolute(importer, node)  # told by the module alone

    def find(self, importer: ModuleSource, name: str) -> Found:
        found = self.answers["find", name] = self._imports.find(importer, name)
        return found

    def is_submodule(self, importer: ModuleSource, package: str, name: str) -> bool:
        answer = self.answers["is_submodule", package, name] = self._imports.is_submodule(
            importer, package, name
        )
        return answer

    def may_be_submodule(self, importer: ModuleSource, package: str, name: str) -> bool:
        return self._imports.may_be_submodule(importer, package, name)  # never for what libraries import

    def note(self, text: str) -> None:
        self._imports.note(text)

    def starred_names(self, importer: ModuleSource, name: str) -> Sequence[str]:
        names = self.answers["starred_names", name] = self._imports.starred_names(importer, name)
        return names

    def computes_all(self, importer: ModuleSource, name: str) -> bool:
        answer = self.answers["computes_all", name] = self._imports.computes_all(importer, name)
        return answer

    def has_no_list(self, importer: ModuleSource, name: str) -> bool:
        answer = self.answers["has_no_list", name] = self._imports.has_no_list(importer, name)
        return answer

    @property
    def names_paths(self) -> bool:
        return self._imports.names_paths

    @property
    def keeps_annotations(self) -> bool:
        return self._imports.keeps_annotations

    def is_optional(self, module: ModuleSource) -> bool:
        return self._imports.is_optional(module)

    def mentions(self, name: str) -> bool:
        answer = self.answers["mentions", name] = self._imports.mentions(name)
        return answer


@dataclass(frozen=True, slots=True)
class Kept:
    answers: dict[tuple[str, ...], object]
    code: Code
    natives: tuple[str, ...]
    global_names: tuple[str, ...]

    def fits(self, context: Context) -> bool:
        for (method, *arguments), answer in self.answers.items():
            asked = getattr(context.imports, method)
            if (asked(*arguments) if method == "mentions" else asked(context.module, *arguments)) != answer:
                return False
        return True


def library_code(context: Context, parent: int | None) -> Code:
    """As `module_code`; also leaves in the context what that does."""
    module = context.module
    library = kept_library(module.file, module.text)
    key = (
        *(module.name, module.index, module.origin.value, parent),
        *(tuple(sorted(context.bound_globals)), tuple(context.starred)),
        tuple(sorted(context.imports.failed_assumptions)),
    )
    known: tuple[Kept, ...] = library.answers.get(key, ())
    for kept in known:
        if kept.fits(context):
            context.natives.update(dict.fromkeys(kept.natives))
            for name in kept.global_names:
                context.global_index(name)
            return kept.code
    imports = context.imports
    asking = Asking(imports)
    context.imports = asking
    try:
        code = module_code(context, (), parent)
    finally:
        context.imports = imports
    found = Kept(asking.answers, code, tuple(context.natives), tuple(context.globals))
    library.keep(key, (found, *known[: MOST_KEPT - 1]))
    return code
