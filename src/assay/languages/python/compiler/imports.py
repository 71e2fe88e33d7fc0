"""Finds the modules of a program and reads them.

A name is looked for in this order: the user's own modules beside the program (as CPython does; they hide
others of the same name), the libraries written for the machine, the modules of CPython that are used as they
are, and modules of the standard library that are plain Python. Libraries and the standard library never see
the user's modules.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import os
import stat
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.languages.python import reality
from assay.languages.python.compiler.context import Found, ModuleSource, Origin, Target
from assay.languages.python.compiler.mentions import mentions
from assay.languages.python.compiler.native_modules import (
    FOR_LIBRARIES,
    NATIVE_MODULES,
    REFUSED_MODULES,
    REFUSED_PARTS,
)
from assay.languages.python.compiler.nodes import statements, statements_directly_in, walk
from assay.languages.python.compiler.places import Place, place_of
from assay.languages.python.compiler.scopes import Kind, Scope, all_scopes, analyse
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct

MAIN = "__main__"
MACHINE_MODULE = "_assay"  # what libraries are built from
BUILTINS_MODULE = "_builtins"  # built-ins written in Python, part of every program
NEVER_THE_USERS = frozenset({"assay", MACHINE_MODULE, BUILTINS_MODULE}) | frozenset(sys.builtin_module_names)
STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
LARGEST_TEXT = 4 << 20  # of one module, in characters
MOST_MODULES = 1000


class Modules:
    """All modules of a program; the first is the program itself."""

    def __init__(
        self,
        main: Path,
        text: str | None,
        library: Mapping[str, Path],
        failed_assumptions: frozenset[str] = frozenset(),
        read: dict[str, bytes] | None = None,
    ) -> None:
        self.folder = main.parent
        self.read = {} if read is None else read  # the user's files, each read once
        self.library = library
        self.failed_assumptions = failed_assumptions
        self.modules: list[ModuleSource] = []
        self.by_key: dict[tuple[bool, str], ModuleSource] = {}
        self.found: dict[tuple[bool, str], Found] = {}
        self.waiting: list[ModuleSource] = []
        self.mentioned: dict[str, bool] = {}
        self.add(
            MAIN,
            str(main),
            Origin.USER,
            decoded(main, read_bytes(main)) if text is None else text,
            is_package=False,
        )
        if BUILTINS_MODULE in library:
            self.find_for(Origin.LIBRARY, BUILTINS_MODULE)
        while self.waiting:
            self.read_imports(self.waiting.pop(0))

    def add(self, name: str, file: str, origin: Origin, text: str, *, is_package: bool) -> ModuleSource:
        if origin is Origin.USER:
            tree, scope = read(file, text)
        else:
            tree, scope = read_library(file, text, name if origin is Origin.LIBRARY else "")
        module = ModuleSource(name, file, origin, len(self.modules), text, tree, scope, is_package)
        if len(self.modules) >= MOST_MODULES:
            raise SourceProblem(f"the program has more than {MOST_MODULES} modules", where=Place(file, 1, 1))
        self.modules.append(module)
        self.by_key[origin is Origin.USER, name] = module
        self.waiting.append(module)
        return module

    def read_imports(self, module: ModuleSource) -> None:
        """Finds what a module imports, wherever it does so; problems show when the statement is compiled."""
        is_users = module.origin is Origin.USER
        for node in imports_in(module.tree) if is_users else imports_of_library(module.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.find_with_packages(module, alias.name)
            else:
                if node.module == "__future__" and not node.level:
                    continue
                name = self.absolute(module, node)
                self.find_with_packages(module, name)
                for alias in node.names:
                    if alias.name != "*" and self.is_submodule(module, name, alias.name):
                        self.find_with_packages(module, f"{name}.{alias.name}")

    def libraries_imported_late(self) -> list[int]:
        """Libraries that functions of the program import.

        They are imported before the program begins: nobody can tell, and their classes are made while there
        is one thread.
        """
        late: dict[int, None] = {}
        for module in self.modules:
            if module.origin is not Origin.USER:
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
                    for name in names:
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
                if self.find(importer, ".".join(parts[:count])).target is Target.NATIVE:
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
        key = (origin is Origin.USER, name)
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
        top = name.partition(".")[0]
        if origin is Origin.USER and top not in NEVER_THE_USERS:
            package = name.rpartition(".")[0]
            if not package or self.is_users(package):
                found = self.from_folder(self.folder, name, Origin.USER, shown=str(self.folder))
                if found is not None:
                    return found
                if package:
                    return self.namespace_package(name) or Found(Target.MISSING)
        found = self.from_library(name)
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
        if top in REFUSED_MODULES and origin is Origin.USER:
            problem = f"the module '{name}' of CPython is not modelled"
            return Found(Target.REFUSED, problem=problem, hint=REFUSED_MODULES[top])
        if top in sys.stdlib_module_names:
            found = self.from_folder(STANDARD_LIBRARY, name, Origin.STANDARD, shown="<python>")
            if found is not None:
                return found
            if top != name and (STANDARD_LIBRARY / top).is_dir():
                return Found(Target.MISSING)
            target = Target.ACCELERATOR if origin is Origin.STANDARD else Target.REFUSED
            return Found(target, problem=f"the module '{name}' of CPython is not modelled")
        if origin is Origin.USER and top == name:
            found = self.namespace_package(name)  # CPython takes these last
            if found is not None:
                return found
        if not is_installed(top):
            return Found(Target.MISSING)
        return Found(
            Target.REFUSED,
            problem=f"the module '{name}' is neither beside the program nor one that the machine knows",
        )

    def from_library(self, name: str) -> Found | None:
        path = self.library.get(name)
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

    def from_folder(self, folder: Path, name: str, origin: Origin, shown: str) -> Found | None:
        relative = Path(*name.split("."))
        package = folder / relative / "__init__.py"
        if package.is_file():
            return self.program_module(
                name, package, f"{shown}/{relative}/__init__.py", origin, is_package=True
            )
        plain = folder / relative.with_name(relative.name + ".py")
        if plain.is_file():
            return self.program_module(name, plain, f"{shown}/{relative}.py", origin, is_package=False)
        return None

    def is_users(self, name: str) -> bool:
        found = self.find_for(Origin.USER, name)
        return found.target is Target.PROGRAM and self.modules[found.index].origin is Origin.USER

    def namespace_package(self, name: str) -> Found | None:
        """A folder of the user's without `__init__.py`."""
        folder = self.folder / Path(*name.split("."))
        if not folder.is_dir() or not any(folder.glob("*.py")):
            return None
        module = self.add(name, f"{folder}/__init__.py", Origin.USER, "", is_package=True)
        return Found(Target.PROGRAM, module.index)

    def program_module(self, name: str, path: Path, shown: str, origin: Origin, *, is_package: bool) -> Found:
        known = self.by_key.get((origin is Origin.USER, name))
        if known is None:
            if origin is Origin.USER:
                shown = str(path)
                if shown not in self.read:
                    self.read[shown] = read_bytes(path)
                text = decoded(path, self.read[shown])
            else:
                text = decoded(path, read_bytes(path))
            known = self.add(name, shown, origin, text, is_package=is_package)
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
        return self.public_names(self.modules[found.index], seen=set())

    def mentions(self, name: str) -> bool:
        """Whether the program could use something of that name."""
        if name not in self.mentioned:
            self.mentioned[name] = mentions(self.modules, name)
        return self.mentioned[name]

    def public_names(self, module: ModuleSource, seen: set[int]) -> list[str]:
        seen.add(module.index)
        listed = static_all(module.tree)
        if listed is not None:
            return listed
        names = dict.fromkeys(module.scope.bound)
        for scope in all_scopes(module.scope):
            if scope.kind is not Kind.MODULE:
                names |= dict.fromkeys(sorted(scope.global_names))
        for node in imports_in(module.tree):
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                found = self.find(module, self.absolute(module, node))
                if found.target is Target.PROGRAM and found.index not in seen:
                    names |= dict.fromkeys(self.public_names(self.modules[found.index], seen))
                elif found.target is Target.NATIVE:
                    names |= dict.fromkeys(self.starred_names(module, self.absolute(module, node)))
        deleted = deleted_names(module.tree)
        return [name for name in names if not name.startswith("_") and name not in deleted]


def names_of_own(tree: ast.Module) -> set[str]:
    """Names that something else than an import statement binds."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
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


def deleted_names(tree: ast.Module) -> set[str]:
    """Names that the module's body unbinds again."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            found.add(node.name)
    return found


def imports_in(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """All import statements but those for type checkers only, in the order of the text."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
            continue
        inside = statements_directly_in(node)
        if isinstance(node, ast.If) and is_type_checking_name(node.test):
            inside = list(node.orelse)
        pending += reversed(inside)


@functools.lru_cache(maxsize=64)
def imports_of_library(tree: ast.Module) -> Sequence[ast.Import | ast.ImportFrom]:
    return tuple(imports_in(tree))


def is_type_checking_name(test: ast.expr) -> bool:
    """By its looks; the compiler itself knows whether it is the one of typing."""
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def is_installed(name: str) -> bool:
    """Whether CPython would find a module of this name."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


@functools.cache
def is_of_cpython(name: str) -> bool:
    """Whether what CPython finds under the name of a module of its own comes with it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or spec.origin in {"built-in", "frozen"}:
        return spec is not None
    file = Path(spec.origin).resolve()
    homes = [Path(sysconfig.get_paths()[kind]).resolve() for kind in ("stdlib", "platstdlib")]
    return any(file.is_relative_to(home) for home in homes) and "site-packages" not in file.parts


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


def read(file: str, text: str, counterpart: str = "", *, is_known: bool = False) -> tuple[ast.Module, Scope]:
    """The syntax tree of a module, and what its names mean. Nobody changes them afterwards.

    A module that stands for one of CPython, its counterpart, has only what this version of that one has.
    """
    tree = parse(file, text, is_known=is_known)
    if counterpart.partition(".")[0] in sys.stdlib_module_names:
        leave_out_missing(tree.body, counterpart, "")
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


def too_deep(file: str) -> UnsupportedConstruct:
    return UnsupportedConstruct(
        "the program is nested too deeply", where=Place(file, 1, 1), hint="split its largest expression"
    )
