"""Finds the modules of a program and reads them.

A name is looked for in this order: the user's own modules beside the program (as CPython does; they hide
others of the same name), the libraries written for the machine, the modules of CPython that are used as they
are, modules of the standard library that are plain Python, and the packages of the environment. Libraries and
the standard library never see the user's modules. What exists and is not modelled is absent: importing it is
fine, and using it is refused (decision 0013).
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.machinery
import importlib.util
import keyword
import os
import re
import stat
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.languages.python import reality
from assay.languages.python.compiler import texts
from assay.languages.python.compiler.context import (
    BUILTINS_MODULE,
    PATH_OF_PACKAGE,
    Found,
    ModuleSource,
    Origin,
    Reading,
    Target,
)
from assay.languages.python.compiler.kept_libraries import kept_library
from assay.languages.python.compiler.mentions import mentions
from assay.languages.python.compiler.metaclasses import write_metaclasses
from assay.languages.python.compiler.moves import MOVES, write_moves
from assay.languages.python.compiler.native_modules import (
    ABSENT_MODULES,
    COMPILED_MODULES,
    COMPILING_BUILTINS,
    COMPILING_MODULE,
    FILES_MODULE,
    FOR_LIBRARIES,
    NATIVE_MODULES,
    REFUSED_PARTS,
)
from assay.languages.python.compiler.nodes import catches_import_error, statements, walk
from assay.languages.python.compiler.outline import Outline, imports_in, outline_of
from assay.languages.python.compiler.places import Place, place_of
from assay.languages.python.compiler.scopes import Kind, Scope, all_scopes, analyse
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct

MAIN = "__main__"
MACHINE_MODULE = "_assay"  # what libraries are built from
NEVER_THE_USERS = frozenset({"assay", "importlib", MACHINE_MODULE, BUILTINS_MODULE}) | frozenset(
    sys.builtin_module_names
)
STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
LARGEST_TEXT = 4 << 20  # of one module, in characters
MOST_MODULES = 1000
# Libraries for the machine that stand for packages, which are there only where those are.
# With the newest of the names that they have, which tells old versions.
IF_INSTALLED = {"typing_extensions": b"def override(", "six": b"def ensure_text("}
# Libraries that no package may import; a text may.
FOR_MACHINE = frozenset({texts.MODULE})
FILE = "file "  # an assumption: that nobody reads the file
SOUGHT = "find "  # likewise: that nobody asks whether there is such a module
LARGEST_FILE = 4 << 20
ANNOTATIONS = "annotations that nobody looks at"  # an assumption
IMPORTED = "import "  # an assumption: that nobody imports the module by its name
SAME_MODULES = {"os.path": "posixpath"}
EXTENSION_SUFFIXES = tuple(importlib.machinery.EXTENSION_SUFFIXES)


class Modules:
    """All modules of a program; the first is the program itself."""

    def __init__(
        self,
        main: Path,
        text: str | None,
        library: Mapping[str, Path],
        failed_assumptions: frozenset[str] = frozenset(),
        read: dict[str, bytes] | None = None,
        environment: Sequence[Path] = (),
    ) -> None:
        self.folder = main.parent
        self.environment = environment  # folders of installed packages, in the order of the search
        self.read = {} if read is None else read  # the user's files, each read once
        self.library = library
        self.failed_assumptions = failed_assumptions
        self.modules: list[ModuleSource] = []
        self.by_key: dict[tuple[bool, str], ModuleSource] = {}
        self.found: dict[tuple[bool, str], Found] = {}
        self.waiting: list[ModuleSource] = []
        self.is_complete = False
        self.starred: set[str] = set()  # modules of which all names are imported
        self.if_mentioned: dict[str, str] = {}  # name -> the module that a library imports if it is mentioned
        self.mentioned: dict[str, bool] = {}
        self.notes: dict[str, None] = {}
        self.data_files: dict[str, None] = {}  # of packages, read by the program
        self._names_annotations: bool | None = None
        self.add(
            MAIN,
            str(main),
            Origin.USER,
            decoded(main, read_bytes(main)) if text is None else text,
            is_package=False,
        )
        if BUILTINS_MODULE in library:
            self.find_for(Origin.LIBRARY, BUILTINS_MODULE)
        self.read_all()
        done: set[str] = set()
        while new := {
            name for name in self.if_mentioned if name not in done and mentions(self.modules, name)
        }:
            for name in sorted(new):  # what comes in may mention more
                self.find_for(Origin.LIBRARY, self.if_mentioned[name])
                self.read_all()
            done |= new
        if (
            self.modules[0].name != MAIN
        ):  # the machine runs the first module: another would be verified in its place
            raise RuntimeError("the program is not the first of its modules")
        self.is_complete = True

    def read_all(self) -> None:
        while self.waiting:
            self.read_imports(self.waiting.pop(0))

    def add(self, name: str, file: str, origin: Origin, text: str, *, is_package: bool) -> ModuleSource:
        if origin.is_users:
            reading = Reading(*read(file, text))
            outline = outline_of(reading.tree, reading.scope)
        else:
            counterpart = name if origin is Origin.LIBRARY else ""
            reading = Reading(later=lambda: read_library(file, text, counterpart))
            outline = outline_of_library(file, text, counterpart, reading)
        module = ModuleSource(name, file, origin, len(self.modules), text, reading, outline, is_package)
        if len(self.modules) >= MOST_MODULES:
            raise SourceProblem(f"the program has more than {MOST_MODULES} modules", where=Place(file, 1, 1))
        self.modules.append(module)
        # Only now: to look for six adds modules, and the program itself is the first of all.
        is_other = name.partition(".")[0] != "six"
        if origin.is_users and MOVES in text and is_other and self.six_is_ours():
            reading = Reading(*read(file, text, has_moves=True))
            module = replace(module, reading=reading, outline=outline_of(reading.tree, reading.scope))
            self.modules[module.index] = module
        self.by_key[origin.is_users, name] = module
        self.waiting.append(module)
        return module

    def six_is_ours(self) -> bool:
        """Whether `six` is installed, and a library for the machine stands for it."""
        found = self.find_for(Origin.USER, "six")
        return found.target is Target.PROGRAM and self.modules[found.index].origin is Origin.LIBRARY

    def read_imports(self, module: ModuleSource) -> None:
        """Finds what a module imports, wherever it does so; problems show when the statement is compiled."""
        if module.origin is Origin.LIBRARY:
            self.if_mentioned |= module.outline.if_mentioned
        if module.origin is Origin.PACKAGE and any(
            name in COMPILING_BUILTINS for scope in all_scopes(module.scope) for name in scope.used
        ):
            self.found[True, COMPILING_MODULE] = self.find_for(Origin.LIBRARY, COMPILING_MODULE)
        if module.origin is Origin.PACKAGE and any(
            "open" in scope.used for scope in all_scopes(module.scope)
        ):
            self.found[True, FILES_MODULE] = self.find_for(Origin.LIBRARY, FILES_MODULE)
        if module.origin is Origin.PACKAGE and any(
            "__import__" in scope.used for scope in all_scopes(module.scope)
        ):
            self.find(module, "importlib")
        for node in module.outline.imports:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.find_with_packages(module, alias.name)
            else:
                name = self.absolute(module, node)
                if node.names[0].name == "*":
                    self.require_names_of(module.origin, name)
                self.find_with_packages(module, name)
                for alias in node.names:
                    if alias.name != "*" and (
                        self.is_submodule(module, name, alias.name)
                        or self.may_be_submodule(module, name, alias.name)
                    ):
                        self.find_with_packages(module, f"{name}.{alias.name}")

    def require_names_of(self, origin: Origin, name: str) -> None:
        """`from name import *` needs to know what there is: a module that would wait for its use does not."""
        self.starred.add(name)
        if self.found.get((origin.is_users, name), Found(Target.MISSING)).target is Target.ABSENT:
            del self.found[origin.is_users, name]

    def libraries_imported_late(self) -> list[int]:
        """Libraries that functions of the program import.

        They are imported before the program begins: nobody can tell, and their classes are made while there
        is one thread.
        """
        late: dict[int, None] = {}
        for module in self.modules:
            if not module.origin.is_users:
                continue
            for function in statements(module.tree):
                if not isinstance(function, ast.FunctionDef):
                    continue
                for node in imports_in(function):
                    names = (
                        [alias.name for alias in node.names]
                        if isinstance(node, ast.Import)
                        else [self.absolute(module, node)]
                    )
                    for name in (part for one in names for part in with_packages(one)):
                        found = self.find(module, name)
                        if (
                            found.target is Target.PROGRAM
                            and self.modules[found.index].origin is Origin.LIBRARY
                        ):
                            late[found.index] = None
        return list(late)

    def find_with_packages(self, importer: ModuleSource, name: str) -> None:
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            if self.find(importer, ".".join(parts[:count])).target is not Target.PROGRAM:
                if self.find(importer, ".".join(parts[:count])).target in {Target.NATIVE, Target.ABSENT}:
                    continue
                return

    def absolute(self, importer: ModuleSource, node: ast.ImportFrom) -> str:
        if not node.level:
            assert node.module is not None
            return node.module
        where = place_of(importer.file, node)
        package = importer.name if importer.is_package else importer.name.rpartition(".")[0]
        if importer.name == MAIN or not package:
            raise SourceProblem(
                "a relative import outside of a package", where=where, hint="import the module by its name"
            )
        parts = package.split(".")
        if node.level > len(parts):
            raise SourceProblem("a relative import beyond the outermost package", where=where)
        base = ".".join(parts[: len(parts) - node.level + 1])
        return f"{base}.{node.module}" if node.module else base

    def find(self, importer: ModuleSource, name: str) -> Found:
        return self.find_for(importer.origin, name)

    def find_for(self, origin: Origin, name: str) -> Found:
        key = (origin.is_users, name)
        if key not in self.found and self.is_complete:
            if (known := self.by_key.get((False, name) if name == BUILTINS_MODULE else key)) is not None:
                return Found(Target.PROGRAM, known.index)
            return Found(Target.REFUSED, problem=f"the module '{name}' is imported for type checkers only")
        if key not in self.found:
            self.found[key] = self.look_for(origin, name)
        return self.found[key]

    def look_for(self, origin: Origin, name: str) -> Found:
        if name == MAIN:
            return Found(Target.REFUSED, problem="importing the program itself is not modelled")
        if name == MACHINE_MODULE:
            if origin is Origin.LIBRARY:
                return Found(Target.NATIVE)
            return Found(Target.REFUSED, problem=f"the module '{name}' is for libraries of the machine only")
        top, _, _ = name.partition(".")
        package, _, last = name.rpartition(".")
        if origin.is_users and top not in NEVER_THE_USERS:
            if not package:
                found = self.from_folder(self.folder, name, name, Origin.USER)
                if found is not None:
                    return found
            elif (parent := self.users_package(package)) is not None and not parent.file.startswith("<"):
                return self.in_package(parent, name, last)
        name = SAME_MODULES.get(name, name)
        top = name.partition(".")[0]
        if name == "_weakrefset" and origin is not Origin.LIBRARY and origin is not Origin.STANDARD:
            return Found(
                Target.ABSENT, problem=f"the module '{name}' of CPython is not modelled", hint="use weakref"
            )
        found = self.from_library(name) if name not in FOR_MACHINE or not origin.is_users else None
        if found is not None:
            return found
        if name in NATIVE_MODULES or (name in FOR_LIBRARIES and origin is Origin.LIBRARY):
            if not is_of_cpython(name):
                return Found(
                    Target.REFUSED,
                    problem=f"the module '{name}' that Python finds here is not CPython's own",
                    hint="look at PYTHONPATH",
                )
            return Found(Target.NATIVE)
        if top in sys.stdlib_module_names:
            return self.of_standard_library(origin, name)
        if origin.is_users and top == name:
            return self.from_environment(name) or Found(Target.MISSING)
        return Found(Target.MISSING)

    def of_standard_library(self, origin: Origin, name: str) -> Found:
        """What is not compiled with the program is there and absent."""
        top = name.partition(".")[0]
        is_late = (
            origin in {Origin.PACKAGE, Origin.STANDARD}
            and not self.is_needed(name)
            and name not in self.starred
        )
        is_compiled = name in COMPILED_MODULES
        absent = Found(
            Target.ACCELERATOR if origin is Origin.LIBRARY else Target.ABSENT,
            problem=f"the module '{name}' of CPython is not modelled",
            hint=ABSENT_MODULES.get(top, "take it out of what is verified"),
        )
        if origin is not Origin.LIBRARY and (not is_compiled or is_late):
            if not is_of_standard_library(name):
                return Found(Target.MISSING)
            if origin is Origin.STANDARD and not has_source(name):
                return replace(absent, target=Target.ACCELERATOR)
            return replace(absent, assumption=assumption_of(name)) if is_compiled else absent
        found = self.from_folder(STANDARD_LIBRARY, name.replace(".", "/"), name, Origin.STANDARD)
        if found is not None:
            return found
        return absent

    def is_needed(self, name: str) -> bool:
        """Whether a run has used the module, or one inside of it."""
        assumed = assumption_of(name)
        return any(
            failed == assumed or failed.startswith(f"{assumed}.") for failed in self.failed_assumptions
        )

    def from_environment(self, name: str) -> Found | None:
        """A package that is installed where the program finds them; CPython takes folders without
        `__init__.py` last."""
        for folder in self.environment:
            found = self.from_folder(folder, name, name, Origin.PACKAGE) or self.extension(folder, name, name)
            if found is not None:
                return found
        for folder in (self.folder, *self.environment):
            found = self.namespace_package(folder / name, name, self.origin_in(folder))
            if found is not None:
                return found
        return None

    def is_in_environment(self, name: str) -> bool:
        return any(
            (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()
            for folder in self.environment
        )

    def is_mentioned_in_environment(self, name: str, text: bytes) -> bool:
        files = (
            file
            for folder in self.environment
            for file in (folder / f"{name}.py", folder / name / "__init__.py")
        )
        return any(text in file.read_bytes() for file in files if file.is_file())

    def missing_in_environment(self, name: str, text: str) -> list[str]:
        """What stands for a package may have names that the installed version has not."""
        defined = re.findall(r"^(?:def |class )?([A-Za-z]\w*)(?=\(| = |:)", text, re.MULTILINE)
        return [
            one for one in dict.fromkeys(defined) if not self.is_mentioned_in_environment(name, one.encode())
        ]

    def origin_in(self, folder: Path) -> Origin:
        return Origin.USER if folder == self.folder else Origin.PACKAGE

    def users_package(self, name: str) -> ModuleSource | None:
        """A package of the program or of its environment."""
        found = self.find_for(Origin.USER, name)
        if found.target is not Target.PROGRAM or not self.modules[found.index].origin.is_users:
            return None
        return self.modules[found.index]

    def in_package(self, parent: ModuleSource, name: str, last: str) -> Found:
        if not parent.is_package:
            return Found(Target.MISSING)
        folder = Path(parent.file).parent
        return (
            self.from_folder(folder, last, name, parent.origin)
            or self.extension(folder, last, name)
            or self.namespace_package(folder / last, name, parent.origin)
            or Found(Target.MISSING)
        )

    def extension(self, folder: Path, file: str, name: str) -> Found | None:
        """A module in C. What it has is not known without running it, so nothing may be taken from it."""
        if not is_extension(folder / file):
            return None
        return Found(
            Target.ABSENT,
            is_in_c=True,
            problem=f"the module '{name}' is written in C",
            hint="only what is written in Python can be verified: put functions of your own in its place, or "
            "verify in an environment without it (--python), if the program can do without",
        )

    def note(self, text: str) -> None:
        """What the verdict has to mention."""
        self.notes[text] = None

    @property
    def keeps_annotations(self) -> bool:
        """Whether somebody looks at annotations: a run did, or a metaclass may in what it is given."""
        if ANNOTATIONS in self.failed_assumptions:
            return True
        if self._names_annotations is None:
            self._names_annotations = any(
                isinstance(node, ast.Constant) and node.value == "__annotations__"
                for module in self.modules
                if module.origin.is_users and "__annotations__" in module.text
                for node in ast.walk(module.tree)
            )
        return self._names_annotations

    @functools.cached_property
    def names_paths(self) -> bool:
        """Whether the program may ask where a package looks for its modules."""
        return any(PATH_OF_PACKAGE in module.text for module in self.modules if module.origin.is_users)

    def is_optional(self, module: ModuleSource) -> bool:
        """Whether the package of a module imports it in a `try` that goes on without it."""
        top = module.name.partition(".")[0]
        return any(
            module.name in self.names_imported(other, statement)
            for other in self.modules
            if other.origin is Origin.PACKAGE and other.name.partition(".")[0] == top
            for node in statements(other.tree)
            if isinstance(node, ast.Try) and catches_import_error(node)
            for statement in node.body
        )

    def names_imported(self, importer: ModuleSource, statement: ast.stmt) -> list[str]:
        """Full names of what may be modules; of a statement that is no import, none."""
        if isinstance(statement, ast.Import):
            return [alias.name for alias in statement.names]
        if isinstance(statement, ast.ImportFrom):
            name = self.absolute(importer, statement)
            return [name, *(f"{name}.{alias.name}" for alias in statement.names)]
        return []

    def from_library(self, name: str) -> Found | None:
        path = self.library.get(name)
        if name == "importlib" and path is not None:
            return self.importlib(path)
        if name == texts.MODULE:
            return self.texts()
        if name in IF_INSTALLED and not self.is_in_environment(name):
            return None
        if name in IF_INSTALLED and not self.is_mentioned_in_environment(name, IF_INSTALLED[name]):
            problem = f"the package '{name}' is installed in an old version, which is not modelled"
            return Found(Target.ABSENT, problem=problem, hint=f"install a newer {name}")
        if path is not None:
            shown = f"<assay>/{name.replace('.', '/')}{'/__init__' if path.name == '__init__.py' else ''}.py"
            is_package = path.name == "__init__.py"
            return self.program_module(name, path, shown, Origin.LIBRARY, is_package=is_package)
        if any(other.startswith(f"{name}.") for other in self.library):
            module = self.by_key.get((False, name))
            if module is None:
                file = f"<assay>/{name.replace('.', '/')}/__init__.py"
                module = self.add(name, file, Origin.LIBRARY, "", is_package=True)
            return Found(Target.PROGRAM, module.index)
        return None

    def with_answers(self, name: str, text: str) -> str:
        """A library with what runs before have asked about the environment."""
        if name == FILES_MODULE:
            folders = tuple(f"{folder}/" for folder in self.environment)
            text = text.replace("_FOLDERS = ()", f"_FOLDERS = {folders!r}", 1)
            return text.replace("_FILES = {}", f"_FILES = {self.files()!r}", 1)
        if name in {"importlib.util", "sys"}:
            asked = self.asked(SOUGHT)
            answers = {one: self.is_importable(one) for one in asked if one.isidentifier()}
            return text.replace("_FOUND = {}", f"_FOUND = {answers!r}", 1)
        return text

    def asked(self, kind: str) -> list[str]:
        return sorted(one.removeprefix(kind) for one in self.failed_assumptions if one.startswith(kind))

    def is_importable(self, name: str) -> bool:
        return name in sys.stdlib_module_names or any(
            (folder / f"{name}.py").is_file() or (folder / name).is_dir() or is_extension(folder / name)
            for folder in (self.folder, *self.environment)
        )

    def files(self) -> dict[str, bytes | bool | None]:
        """What is in the files that runs before have asked for: of packages alone, whoever asks."""
        found: dict[str, bytes | bool | None] = {}
        for name in self.asked(FILE):
            path = Path(name).resolve()
            if not any(path.is_relative_to(folder.resolve()) for folder in self.environment):
                raise SourceProblem(
                    f"{name} is no file of the packages of the program",
                    hint="give the data as a value of the program",
                )
            if path.is_file():
                if path.stat().st_size > LARGEST_FILE:
                    raise SourceProblem(f"{name} has more than {LARGEST_FILE} bytes, so it is not read")
                if name not in self.read:
                    self.read[name] = read_bytes(path)
                found[name] = self.read[name]
                self.data_files[name] = None
            else:
                found[name] = True if path.is_dir() else None
        return found

    def texts(self) -> Found:
        """The texts that runs before have come to, as if a package had written them."""
        module = self.by_key.get((True, texts.MODULE))
        if module is None:
            found = texts.texts_in(self.failed_assumptions)
            text = texts.module_of_texts(found) if found else "TEXTS = {}\n"
            module = self.add(texts.MODULE, texts.FILE, Origin.PACKAGE, text, is_package=False)
            self.by_key[False, texts.MODULE] = module
        return Found(Target.PROGRAM, module.index)

    def importlib(self, path: Path) -> Found:
        """What `import_module` was called with in runs before is imported by statements of its own; as if
        a package had written them, because libraries do not see the modules of a program."""
        module = self.by_key.get((True, "importlib"))
        if module is None:
            names = sorted(
                failed.removeprefix(IMPORTED)
                for failed in self.failed_assumptions
                if failed.startswith(IMPORTED)
            )
            lines = [
                f"    if name == {name!r}:\n        import {name} as module\n        return module\n"
                for name in names
                if all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split("."))
            ]
            text = path.read_text(encoding="utf-8").replace("    # by name\n", "".join(lines))
            file = "<assay>/importlib/__init__.py"
            module = self.add("importlib", file, Origin.PACKAGE, text, is_package=True)
            self.by_key[False, "importlib"] = module
        return Found(Target.PROGRAM, module.index)

    def from_folder(self, folder: Path, relative: str, name: str, origin: Origin) -> Found | None:
        """The module of that name in a file of the folder, or in a folder with `__init__.py`."""
        for file, is_package in ((f"{relative}/__init__.py", True), (f"{relative}.py", False)):
            if (folder / file).is_file():
                if origin is Origin.PACKAGE and is_extension((folder / file).with_suffix("")):
                    self.note(
                        f"the module '{name}' is compiled to C where it is installed; "
                        "what was looked at is the Python text beside it"
                    )
                return self.program_module(name, folder / file, file, origin, is_package=is_package)
        return None

    def namespace_package(self, folder: Path, name: str, origin: Origin) -> Found | None:
        """A folder without `__init__.py`."""
        if not folder.is_dir() or not any(
            file.suffix == ".py" or (file.is_dir() and (file / "__init__.py").is_file())
            for file in folder.iterdir()
        ):
            return None
        module = self.add(name, f"{folder}/__init__.py", origin, "", is_package=True)
        return Found(Target.PROGRAM, module.index)

    def program_module(
        self, name: str, path: Path, relative: str, origin: Origin, *, is_package: bool
    ) -> Found:
        known = self.by_key.get((origin.is_users, name))
        if known is None:
            if origin.is_users:
                shown = str(path)
                if shown not in self.read:
                    self.read[shown] = read_bytes(path)
                text = decoded(path, self.read[shown])
            else:
                shown = f"<python>/{relative}" if origin is Origin.STANDARD else relative
                text = decoded(path, read_bytes(path))
                if name == "importlib.metadata":
                    folders, points = installed(self.environment), entry_points(self.environment)
                    versions = {name: version_in(folder) for name, folder in folders.items()}
                    places = {name: str(folder) for name, folder in folders.items()}
                    text = text.replace("_VERSIONS = {}", f"_VERSIONS = {versions!r}", 1)
                    text = text.replace("_FOLDERS = {}", f"_FOLDERS = {places!r}", 1)
                    text = text.replace("_ENTRY_POINTS = ()", f"_ENTRY_POINTS = {points!r}", 1)
                text = self.with_answers(name, text)
                if name == "typing_extensions" and (missing := self.missing_in_environment(name, text)):
                    text += f"\ndel {', '.join(missing)}\n"
            try:
                known = self.add(name, shown, origin, text, is_package=is_package)
            except SourceProblem as problem:
                if origin is Origin.USER:
                    raise
                # Packages have files for other versions of Python.
                return Found(Target.REFUSED, problem=f"the module '{name}' cannot be read: {problem}")
        return Found(Target.PROGRAM, known.index)

    def is_submodule(self, importer: ModuleSource, package: str, name: str) -> bool:
        """Whether `from package import name` imports a module that the package itself does not name."""
        found = self.find(importer, package)
        if found.target is Target.NATIVE:
            return f"{package}.{name}" in NATIVE_MODULES
        if found.target is not Target.PROGRAM:
            return False
        module = self.modules[found.index]
        if not module.is_package:
            return False
        if name in module.scope.bound and name in names_of_own(module.tree):
            return False
        return self.find(importer, f"{package}.{name}").target is Target.PROGRAM

    def may_be_submodule(self, importer: ModuleSource, package: str, name: str) -> bool:
        """Whether the package binds the name itself, now or later, and has a module of that name, too."""
        found = self.find(importer, package)
        if found.target is not Target.PROGRAM or self.is_submodule(importer, package, name):
            return False
        module = self.modules[found.index]
        is_own = module.is_package and module.origin.is_users and name in names_of_own(module.tree)
        return is_own and self.find(importer, f"{package}.{name}").target is Target.PROGRAM

    def starred_names(self, importer: ModuleSource, name: str) -> Sequence[str]:
        """What `from name import *` binds."""
        found = self.find(importer, name)
        if found.target is Target.NATIVE:
            native = importlib.import_module(name)
            public = [key for key in vars(native) if not key.startswith("_")]
            listed = list(getattr(native, "__all__", public))
            return [key for key in listed if key not in REFUSED_PARTS.get(name, ())]
        if found.target is not Target.PROGRAM:
            return []
        module = self.modules[found.index]
        return self.public_names(module, seen=set(), is_computed=self.computes_all(importer, name))

    def mentions(self, name: str) -> bool:
        """Whether the program could use something of that name."""
        if name not in self.mentioned:
            self.mentioned[name] = mentions(self.modules, name)
        return self.mentioned[name]

    def public_names(self, module: ModuleSource, seen: set[int], *, is_computed: bool) -> list[str]:
        seen.add(module.index)
        listed = static_all(module.tree)
        if listed is not None and not is_computed:
            return listed
        names = dict.fromkeys([*(listed or ()), *module.scope.bound])
        for scope in all_scopes(module.scope):
            if scope.kind is not Kind.MODULE:
                names |= dict.fromkeys(sorted(scope.global_names))
        for node in module.outline.imports:
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                found = self.find(module, self.absolute(module, node))
                if found.target is Target.PROGRAM and found.index not in seen:
                    starred = self.modules[found.index]
                    is_open = self.may_be_half_made(module, starred) or computes_all(starred.tree)
                    names |= dict.fromkeys(self.public_names(starred, seen, is_computed=is_open))
                elif found.target is Target.NATIVE:
                    names |= dict.fromkeys(self.starred_names(module, self.absolute(module, node)))
        deleted = deleted_names(module.tree)
        return [
            name
            for name in names
            if (is_computed or not name.startswith("_")) and name not in deleted | {"__all__"}
        ]

    def computes_all(self, importer: ModuleSource, name: str) -> bool:
        """Whether only the running module can tell which of its names `from name import *` takes."""
        found = self.find(importer, name)
        if found.target is not Target.PROGRAM:
            return False
        module = self.modules[found.index]
        return computes_all(module.tree) or (
            static_all(module.tree) is not None and self.may_be_half_made(importer, module)
        )

    def may_be_half_made(self, importer: ModuleSource, module: ModuleSource) -> bool:
        """Whether a module may be met by one that it imports itself, before it has its list of names."""
        if not (importer.origin.is_users and module.origin.is_users):
            return False
        reached, pending = {module.index}, [module]
        while pending:
            current = pending.pop()
            for node in current.outline.imports:
                names = (
                    [alias.name for alias in node.names]
                    if isinstance(node, ast.Import)
                    else [
                        base := self.absolute(current, node),
                        *(f"{base}.{alias.name}" for alias in node.names),
                    ]
                )
                for name in names:
                    parts = name.split(".")
                    for count in range(1, len(parts) + 1):
                        found = self.find(current, ".".join(parts[:count]))
                        if found.target is Target.PROGRAM and found.index not in reached:
                            reached.add(found.index)
                            pending.append(self.modules[found.index])
        return importer.index in reached

    def has_no_list(self, importer: ModuleSource, name: str) -> bool:
        """Whether `from name import *` takes what happens to be bound: some is for type checkers only."""
        found = self.find(importer, name)
        if found.target is not Target.PROGRAM:
            return False
        module = self.modules[found.index]
        return module.origin.is_users and static_all(module.tree) is None


def names_of_own(tree: ast.Module) -> set[str]:
    """Names that something else than an import statement binds in the body of a module."""
    found: set[str] = set()
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif not isinstance(node, ast.Lambda):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            pending += ast.iter_child_nodes(node)
    return found


def static_all(tree: ast.Module) -> list[str] | None:
    """The names of `__all__ = [...]`, if that is how it is given."""
    listed: list[str] | None = None
    for statement in tree.body:
        match statement:
            case (
                ast.Assign(
                    targets=[ast.Name(id="__all__")], value=ast.List(elts=items) | ast.Tuple(elts=items)
                )
                | ast.AugAssign(
                    target=ast.Name(id="__all__"), value=ast.List(elts=items) | ast.Tuple(elts=items)
                )
            ):
                names = [item.value for item in items if isinstance(item, ast.Constant)]
                added = [name for name in names if isinstance(name, str)]
                listed = added if isinstance(statement, ast.Assign) else [*(listed or []), *added]
    return listed


def computes_all(tree: ast.Module) -> bool:
    """Whether `__all__` is made in a way that the text does not tell."""
    plain = 0
    for statement in tree.body:
        match statement:
            case (
                ast.Assign(
                    targets=[ast.Name(id="__all__")], value=ast.List(elts=items) | ast.Tuple(elts=items)
                )
                | ast.AugAssign(
                    target=ast.Name(id="__all__"), value=ast.List(elts=items) | ast.Tuple(elts=items)
                )
            ) if all(isinstance(item, ast.Constant) and isinstance(item.value, str) for item in items):
                plain += 1
    return plain < sum(isinstance(node, ast.Name) and node.id == "__all__" for node in walk(tree))


def deleted_names(tree: ast.Module) -> set[str]:
    """Names that the module's body unbinds again."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            found.add(node.name)
    return found


def is_extension(path: Path) -> bool:
    """Whether there is a module in C of that name."""
    return any(path.with_name(f"{path.name}{ending}").is_file() for ending in EXTENSION_SUFFIXES)


def assumption_of(name: str) -> str:
    """What fails if a module that is not compiled yet is used."""
    return f"module {name}"


def is_of_standard_library(name: str) -> bool:
    """Whether CPython has a module of that name on this system, without importing its package."""
    if "." not in name:
        return has_source(name) or importlib.util.find_spec(name) is not None
    return has_source(name)


def has_source(name: str) -> bool:
    relative = STANDARD_LIBRARY / name.replace(".", "/")
    return relative.with_suffix(".py").is_file() or (relative / "__init__.py").is_file()


@functools.cache
def is_of_cpython(name: str) -> bool:
    """Whether what CPython finds under the name of a module of its own comes with it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or spec.origin in {"built-in", "frozen"}:
        return spec is not None
    file = Path(spec.origin).resolve()
    homes = [Path(sysconfig.get_paths()[kind]).resolve() for kind in ("stdlib", "platstdlib")]
    return any(file.is_relative_to(home) for home in homes) and "site-packages" not in file.parts


def entry_points(environment: Sequence[Path]) -> tuple[tuple[str, str, str], ...]:
    """Group, name and value of what installed packages announce to others."""
    found = []
    for folder in environment:
        for file in sorted(folder.glob("*.dist-info/entry_points.txt")):
            group = ""
            for line in decoded(file, read_bytes(file)).splitlines():
                text = line.strip()
                if text.startswith("[") and text.endswith("]"):
                    group = text[1:-1].strip()
                elif "=" in text and not text.startswith(("#", ";")):
                    name, _, value = text.partition("=")
                    found.append((group, name.strip(), value.strip()))
    return tuple(found)


def installed(environment: Sequence[Path]) -> dict[str, Path]:
    """Where something is written about the packages in these folders, by their normal names.

    The first folder that has one decides.
    """
    found: dict[str, Path] = {}
    for folder in environment:
        for entry in sorted(folder.glob("*-info")):
            name, dash, _ = entry.stem.partition("-")
            if dash and entry.suffix in {".dist-info", ".egg-info"}:
                found.setdefault(normal_name(name), entry)
    return found


def version_in(folder: Path) -> str:
    """Of a package, as its headers say, or else the name of the folder about it."""
    for name in ("METADATA", "PKG-INFO"):
        if (folder / name).is_file():
            for line in decoded(folder / name, read_bytes(folder / name)).splitlines():
                if line.lower().startswith("version:"):
                    return line.partition(":")[2].strip()
                if not line:
                    break
    return folder.stem.partition("-")[2].partition("-py")[0]


def with_packages(name: str) -> Iterator[str]:
    """Of `a.b.c`: `a`, `a.b` and itself."""
    parts = name.split(".")
    return (".".join(parts[: count + 1]) for count in range(len(parts)))


def normal_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def library_modules(folder: Path) -> dict[str, Path]:
    """The modules in a folder of libraries, by name."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = list(path.relative_to(folder).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        if parts:
            found[".".join(parts)] = path
    return found


def read_bytes(path: Path) -> bytes:
    """The content of a source file. A named pipe or a device does not make anybody wait."""
    try:
        with open(path, "rb", opener=lambda file, flags: os.open(file, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SourceProblem(f"cannot read '{path}': not a regular file")
            content = file.read(4 * LARGEST_TEXT + 1)
    except FileNotFoundError:
        raise SourceProblem(f"no file '{path}'", hint="check the path") from None
    except OSError as problem:
        raise SourceProblem(f"cannot read '{path}': {problem.strerror}") from None
    if len(content) > 4 * LARGEST_TEXT:
        raise SourceProblem("the file is too large for a program", where=Place(str(path), 1, 1))
    return content


def decoded(path: Path, content: bytes) -> str:
    """The text of a source file, decoded as CPython does."""
    try:
        return importlib.util.decode_source(content)
    except (SyntaxError, UnicodeDecodeError) as problem:
        raise SourceProblem(f"not Python: {problem}", where=Place(str(path), 1, 1)) from None


def parse(file: str, text: str, *, is_known: bool = False) -> ast.Module:
    """The syntax tree of a module that CPython's own compiler accepts; of one that is known, it is."""
    if len(text) > LARGEST_TEXT:
        raise SourceProblem("the file is too large for a program", where=Place(file, 1, 1))
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise SourceProblem("a null byte in the source", where=Place(file, line, 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, file)
            # Finds what the grammar alone does not: `return` outside of a function, two parameters of one
            # name ...
            if not is_known:
                compile(text, file, "exec", dont_inherit=True)
    except SyntaxError as problem:
        where = Place(file, problem.lineno or 1, max(problem.offset or 1, 1))
        raise SourceProblem(problem.msg, where=where, hint="CPython does not accept it either") from None
    except (RecursionError, MemoryError):
        raise too_deep(file) from None
    except ValueError as problem:
        raise SourceProblem(f"not Python: {problem}", where=Place(file, 1, 1)) from None
    return tree


def read(
    file: str, text: str, counterpart: str = "", *, is_known: bool = False, has_moves: bool = False
) -> tuple[ast.Module, Scope]:
    """The syntax tree of a module, and what its names mean. Nobody changes them afterwards.

    A module that stands for one of CPython, its counterpart, has only what this version of that one has.
    """
    tree = parse(file, text, is_known=is_known)
    if counterpart.partition(".")[0] in sys.stdlib_module_names:
        leave_out_missing(tree.body, counterpart, "")
    if "_metaclass" in text:
        write_metaclasses(tree)
    if has_moves:
        write_moves(tree)
    try:
        return tree, analyse(tree)
    except RecursionError:
        raise too_deep(file) from None


def leave_out_missing(body: list[ast.stmt], module: str, path: str) -> None:
    """Takes the definitions of names out that CPython's module, or the class in it, does not have."""

    def is_missing(name: object) -> bool:
        return isinstance(name, str) and not name.startswith("_") and not reality.has(module, path, name)

    for node in list(body):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if is_missing(name):
                body.remove(node)
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=names)):
                names[:] = [
                    name for name in names if not (isinstance(name, ast.Constant) and is_missing(name.value))
                ]
            case ast.Assign(targets=[ast.Name(id=name)]) if is_missing(name):
                body.remove(node)
            case ast.ClassDef(name=name) if isinstance(reality.found(module, name), type):
                leave_out_missing(node.body, module, name)


@functools.lru_cache(maxsize=64)  # the same in every program that a process compiles
def read_library(file: str, text: str, counterpart: str) -> tuple[ast.Module, Scope]:
    return read(file, text, counterpart, is_known=True)


def outline_of_library(file: str, text: str, counterpart: str, reading: Reading) -> Outline:
    library = kept_library(file, text)
    question = "outline", counterpart
    if question not in library.answers:
        library.keep(question, outline_of(reading.tree, reading.scope))
    found: Outline = library.answers[question]
    return found


def too_deep(file: str) -> UnsupportedConstruct:
    return UnsupportedConstruct(
        "the program is nested too deeply", where=Place(file, 1, 1), hint="split its largest expression"
    )
