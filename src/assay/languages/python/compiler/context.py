"""What all codes of one module share while they are compiled."""

from __future__ import annotations

import ast
import builtins
import functools
import marshal
from collections.abc import Callable, Sequence
from enum import Enum
from types import CodeType
from typing import Protocol, cast

from assay.languages.python.compiler.assembler import Budget
from assay.languages.python.compiler.native_modules import (
    COMPILING_BUILTINS,
    REFUSED_BUILTINS,
    REFUSED_PARTS,
)
from assay.languages.python.compiler.outline import Outline
from assay.languages.python.compiler.places import Place, place_of
from assay.languages.python.compiler.scopes import Scope, evaluates_annotations
from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct

BUILTIN_NAMES = frozenset(name for name in dir(builtins) if not name.startswith("__")) | {
    "__import__",
    "__debug__",
}
SET_BY_THE_COMPILER = ("__name__", "__file__", "__doc__")  # in every module
PATH_OF_PACKAGE = "__path__"  # in packages, if somebody asks for it
ANNOTATIONS_THAT_COUNT = {"ClassVar": "typing", "InitVar": "dataclasses", "KW_ONLY": "dataclasses"}


BUILTINS_MODULE = "_builtins"  # built-ins written in Python, part of every program
TYPING_MODULES = frozenset({"typing", "typing_extensions"})


class Origin(Enum):
    """Where a module comes from."""

    USER = "user"
    PACKAGE = "package"  # installed where the program finds its packages; unsupported as in STANDARD
    LIBRARY = "library"  # written for the machine
    STANDARD = (
        "standard"  # of CPython, compiled from its source; what is unsupported there fails when it is reached
    )

    @property
    def is_users(self) -> bool:
        """Whether it is imported as the program imports: its own modules first, installed packages last."""
        return self in {Origin.USER, Origin.PACKAGE}


class Reading:
    """The syntax tree of a module and what its names mean, now or when somebody wants to know."""

    def __init__(
        self,
        tree: ast.Module | None = None,
        scope: Scope | None = None,
        *,
        later: Callable[[], tuple[ast.Module, Scope]] | None = None,
    ) -> None:
        self._later = later or (lambda: (cast(ast.Module, tree), cast(Scope, scope)))

    @functools.cached_property
    def _read(self) -> tuple[ast.Module, Scope]:
        return self._later()

    @property
    def tree(self) -> ast.Module:
        return self._read[0]

    @property
    def scope(self) -> Scope:
        return self._read[1]


@dataclass(slots=True)
class ModuleSource:
    """A module that is part of the program, not compiled yet."""

    name: str
    file: str  # as the user knows it
    origin: Origin
    index: int
    text: str
    reading: Reading
    outline: Outline
    is_package: bool = False

    @property
    def tree(self) -> ast.Module:
        return self.reading.tree

    @property
    def scope(self) -> Scope:
        return self.reading.scope


class Target(Enum):
    """What an imported name turns out to be."""

    PROGRAM = "a module of the program"
    NATIVE = "a module of CPython"
    MISSING = "cannot be imported"  # the import statement raises
    ACCELERATOR = "written in C"  # for a module of the standard library that can do without
    ABSENT = "is not modelled"  # it can be imported, and is refused where it is used
    REFUSED = "cannot even be imported"


@dataclass(frozen=True, slots=True)
class Found:
    target: Target
    index: int = 0
    problem: str = ""
    hint: str = "take it out of what is verified"
    assumption: str = ""  # of what is absent: compiled if it is used, see `COMPILED_MODULES`
    is_in_c: bool = False  # an extension of a package


class Imports(Protocol):
    """How import statements find modules. Names are absolute."""

    def find(self, importer: ModuleSource, name: str) -> Found: ...
    def absolute(self, importer: ModuleSource, node: ast.ImportFrom) -> str: ...
    def is_submodule(self, importer: ModuleSource, package: str, name: str) -> bool: ...
    def may_be_submodule(self, importer: ModuleSource, package: str, name: str) -> bool: ...
    def starred_names(self, importer: ModuleSource, name: str) -> Sequence[str]: ...
    def mentions(self, name: str) -> bool: ...
    def computes_all(self, importer: ModuleSource, name: str) -> bool: ...
    def has_no_list(self, importer: ModuleSource, name: str) -> bool: ...
    def note(self, text: str) -> None: ...
    def is_optional(self, module: ModuleSource) -> bool: ...
    @property
    def failed_assumptions(self) -> frozenset[str]: ...
    @property
    def names_paths(self) -> bool: ...

    @property
    def keeps_annotations(self) -> bool: ...


class Context:
    """One module while it is compiled."""

    def __init__(self, module: ModuleSource, imports: Imports) -> None:
        self.module = module
        self.imports = imports
        self.globals: dict[str, int] = {}
        self.budget = Budget()
        self.future_annotations = False
        # Those of CPython's own modules are known to do nothing.
        self.keeps_annotations = module.origin.is_users and imports.keeps_annotations
        self.annotations_are_evaluated = (
            self.keeps_annotations or module.origin is Origin.USER
        ) and evaluates_annotations(module.tree)
        self.annotation_aliases = {name: name for name in ANNOTATIONS_THAT_COUNT}
        self.type_checking_names: set[str] = set()
        self.typing_names: set[str] = set()
        self.atomic_names: set[str] = set()
        self.assay_names: set[str] = set()
        self.natives: dict[str, None] = {}
        self.bound_globals = {*module.outline.globals, *SET_BY_THE_COMPILER}
        if module.is_package:
            self.bound_globals.add(PATH_OF_PACKAGE)
        self.starred: list[str] = []  # what `from ... import *` binds
        self.refused_attributes: dict[str, str] = {}  # of modules used as they are, with the module
        self._native_codes: dict[tuple[str, int], bytes] | None = None
        self.read_imports()

    def read_imports(self) -> None:
        """Names with a meaning for the compiler itself."""
        if self.module.outline.is_not_checked:
            self.type_checking_names.add("TYPE_CHECKING")
        for node in self.module.outline.import_statements:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.asname or alias.name
                    self.refuse_parts_of(alias.name)
                    if alias.name in TYPING_MODULES:
                        self.typing_names.add(name)
                    elif alias.name == "_assay":
                        self.assay_names.add(name)
            else:
                self.refuse_parts_of(node.module or "")
                for alias in node.names:
                    name = alias.asname or alias.name
                    if alias.name == "*":
                        origin = self.imports.absolute(self.module, node)
                        self.starred.extend(self.imports.starred_names(self.module, origin))
                        self.bound_globals |= set(self.starred)
                    elif node.module == "__future__" and alias.name == "annotations":
                        self.future_annotations = True
                    elif node.module in TYPING_MODULES and alias.name == "TYPE_CHECKING":
                        self.type_checking_names.add(name)
                    elif node.module == "_assay" and alias.name == "atomic":
                        self.atomic_names.add(name)
                    elif node.module is not None and node.module == ANNOTATIONS_THAT_COUNT.get(alias.name):
                        self.annotation_aliases[name] = alias.name

    def native_code(self, qualname: str, first_line: int) -> bytes | None:
        """What CPython compiles a function to, for programs that look at the `__code__` of functions."""
        if not self.module.origin.is_users or not self.imports.mentions("__code__"):
            return None
        if self._native_codes is None:
            self._native_codes = native_codes(self.module.text, self.module.file)
        return self._native_codes.get((qualname, first_line))

    def refuse_parts_of(self, module: str) -> None:
        self.refused_attributes |= dict.fromkeys(REFUSED_PARTS.get(module, ()), module)

    @property
    def is_lenient(self) -> bool:
        """Whether what is unsupported may wait until it is reached."""
        return self.module.origin in {Origin.STANDARD, Origin.PACKAGE}

    @property
    def package(self) -> str | None:
        """What `__package__` is."""
        module = self.module
        if module.index == 0:
            return None
        return module.name if module.is_package else module.name.rpartition(".")[0]

    def place(self, node: ast.AST) -> Place:
        return place_of(self.module.file, node)

    def unsupported(self, node: ast.AST, what: str, hint: str) -> UnsupportedConstruct:
        return UnsupportedConstruct(what, where=self.place(node), hint=hint)

    def global_index(self, name: str) -> int:
        return self.globals.setdefault(name, len(self.globals))

    def is_builtin(self, name: str) -> bool:
        """Whether the name can only mean a built-in, as a variable of this module."""
        return name in BUILTIN_NAMES and name not in self.bound_globals

    def is_compiling_builtin(self, name: str) -> bool:
        """Whether the name means a built-in that compiles a text, in a package."""
        is_package = self.module.origin is Origin.PACKAGE
        return is_package and name in COMPILING_BUILTINS and name not in self.bound_globals

    def is_import(self, name: str) -> bool:
        """Whether the name means the built-in `__import__`, in a package."""
        is_package = self.module.origin is Origin.PACKAGE
        return is_package and name == "__import__" and name not in self.bound_globals

    def is_open(self, name: str) -> bool:
        """Whether the name means the built-in, in a package, which may read what came with it."""
        is_package = self.module.origin is Origin.PACKAGE
        return is_package and name == "open" and name not in self.bound_globals

    def is_refused_builtin(self, name: str) -> bool:
        return name in REFUSED_BUILTINS and name not in self.bound_globals

    def is_type_checking(self, test: ast.expr) -> bool:
        """`TYPE_CHECKING` of the module typing, which is False when a program runs."""
        if isinstance(test, ast.Name):
            return test.id in self.type_checking_names
        return (
            isinstance(test, ast.Attribute)
            and test.attr == "TYPE_CHECKING"
            and isinstance(test.value, ast.Name)
            and test.value.id in self.typing_names
        )

    def annotation_that_counts(self, annotation: ast.expr) -> str | None:
        """ClassVar, InitVar or KW_ONLY, which the decorator `dataclass` looks for."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = ast.parse(annotation.value.strip(), mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
        if isinstance(annotation, ast.Subscript):
            annotation = annotation.value
        if isinstance(annotation, ast.Name):
            return self.annotation_aliases.get(annotation.id)
        if isinstance(annotation, ast.Attribute) and annotation.attr in ANNOTATIONS_THAT_COUNT:
            return annotation.attr
        return None

    def name_asked_for(self, node: ast.Call) -> str | None:
        """The name in `_assay.mentions("name")`, which is answered while compiling."""
        if self.module.origin is not Origin.LIBRARY:
            return None
        match node:
            case ast.Call(
                func=ast.Attribute(attr="mentions", value=ast.Name(id=module)),
                args=[ast.Constant(value=str(name))],
                keywords=[],
            ) if module in self.assay_names:
                return name
        return None

    def is_atomic_decorator(self, decorator: ast.expr) -> bool:
        if self.module.origin is not Origin.LIBRARY:
            return False
        if isinstance(decorator, ast.Name):
            return decorator.id in self.atomic_names
        return self.is_of_assay(decorator, "atomic") or self.assumption_of(decorator) is not None

    def is_of_assay(self, node: ast.expr, name: str) -> bool:
        return (
            isinstance(node, ast.Attribute)
            and node.attr == name
            and isinstance(node.value, ast.Name)
            and node.value.id in self.assay_names
        )

    def assumption_of(self, decorator: ast.expr) -> str | None:
        """The assumption in `@_assay.early("assumption")`."""
        match decorator:
            case ast.Call(func=function, args=[ast.Constant(value=str(name))], keywords=[]):
                return name if self.is_of_assay(function, "early") else None
        return None

    def is_early(self, decorators: Sequence[ast.expr]) -> bool:
        assumptions = [self.assumption_of(item) for item in decorators]
        return any(name not in self.imports.failed_assumptions for name in assumptions if name is not None)

    def is_answered_no(self, node: ast.Call) -> bool:
        """Whether this is `_assay.observes("assumption")` and nothing relies on the assumption any more."""
        match node:
            case ast.Call(func=function, args=[ast.Constant(value=str(name))], keywords=[]):
                return self.is_of_assay(function, "observes") and name in self.imports.failed_assumptions
        return False


def native_codes(text: str, file: str) -> dict[tuple[str, int], bytes]:
    """The codes of CPython for the functions of a module, by name and first line, where these tell."""
    found: dict[tuple[str, int], list[CodeType]] = {}
    try:
        pending = [compile(text, file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return {}
    while pending:
        code = pending.pop()
        found.setdefault((code.co_qualname, code.co_firstlineno), []).append(code)
        pending += [one for one in code.co_consts if isinstance(one, CodeType)]
    return {place: marshal.dumps(codes[0]) for place, codes in found.items() if len(codes) == 1}
