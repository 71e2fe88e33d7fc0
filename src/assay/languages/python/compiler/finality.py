"""Which globals and attributes are stored once and never again, as far as the text tells.

Reading a final variable is no place where threads can disturb each other, so the machine does not stop there.
This is a guess, made with care: the machine watches the stores, and one that breaks the guess ends the run
with the name, which then is no longer taken for final (`extra_nonfinal` of `compile_program`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from assay.languages.python.compiler.context import PATH_OF_PACKAGE, SET_BY_THE_COMPILER, ModuleSource, Origin
from assay.languages.python.compiler.kept_libraries import kept_library
from assay.languages.python.compiler.nodes import children, walk
from assay.languages.python.compiler.scopes import FUNCTIONS, Access, Kind, Scope, all_scopes, mangled
from assay.records import dataclass

Path = tuple[ast.AST, ...]  # from a node up to the module
Nodes = Sequence[tuple[ast.AST, Path]]
LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BINDS = {  # a name, see `names_bound_by`
    ast.Name,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
    ast.MatchMapping,
}
STORES_OR_CALLS = BINDS | {ast.Attribute, ast.Call}
STORES_BY_NAME = {"setattr", "delattr", "__setattr__", "__delattr__"}


def nodes_with_parents(tree: ast.Module) -> list[tuple[ast.AST, Path]]:
    """All nodes that may store something in the order of the text, each with what stands around it, from the
    inside out."""
    found: list[tuple[ast.AST, Path]] = []
    pending: list[tuple[ast.AST, Path]] = [(tree, ())]
    while pending:
        pair = pending.pop()
        node, around = pair
        if type(node) in STORES_OR_CALLS and not is_plain_load(node):
            found.append(pair)
        inside = children(node)
        if inside:
            parents = (node, *around) if len(around) < 400 else around
            pending += [(child, parents) for child in reversed(inside)]
    return found


def is_plain_load(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in STORES_BY_NAME


@dataclass(frozen=True)
class Stores:
    """What the text of one module stores."""

    on_modules: frozenset[str]  # `x` of `module.x = ...`
    in_body: Mapping[str, int]  # how often its body may store a global; 2 stands for more
    initial: frozenset[str]  # attributes stored by an `__init__` or a class body
    changed: frozenset[str]  # attributes stored by others
    by_known_names: bool  # False if attributes are stored by computed names


def read_stores(tree: ast.Module) -> Stores:
    initial: set[str] = set()
    changed: set[str] = set()
    nodes = nodes_with_parents(tree)
    by_known_names = read_attributes(nodes, initial, changed)
    return Stores(
        frozenset(names_stored_on_modules(nodes)),
        stores_in_body(nodes),
        frozenset(initial),
        frozenset(changed),
        by_known_names,
    )


def stores_of(module: ModuleSource) -> Stores:
    if module.origin.is_users:
        return read_stores(module.tree)
    library = kept_library(module.file, module.text)
    question = "stores", module.name
    if question not in library.answers:
        library.keep(question, read_stores(module.tree))
    found: Stores = library.answers[question]
    return found


# --- globals ------------------------------------------------------------------------------------------------


def final_globals(
    modules: Sequence[ModuleSource], stores: Sequence[Stores], starred: Sequence[Sequence[str]]
) -> list[set[str]]:
    """For each module the globals with one store, in its body and outside of loops.

    `starred` has for each module what its `from ... import *` bind.
    """
    stored_from_outside = {name for texts in stores for name in texts.on_modules}
    counts = [dict(texts.in_body) for texts in stores]
    by_name = {module.name: module.index for module in modules}
    for module in modules:
        parent = by_name.get(module.name.rpartition(".")[0])
        if "." in module.name and parent is not None:
            add(counts[parent], module.name.rpartition(".")[2], 1)
        for name in starred[module.index]:
            add(counts[module.index], name, 1)
    found = []
    for module, counted in zip(modules, counts, strict=True):
        once = {name for name, count in counted.items() if count == 1}
        found.append(once - module.outline.declared - stored_from_outside)
    return found


def body_globals(main: ModuleSource) -> set[str]:
    """Globals of the program's own module that only its body touches.

    That body runs once, in the main thread, and no other module can import it: so no other thread reads or
    writes them. Comprehensions run where they stand and belong to it; generators, functions and class bodies
    do not.
    """

    def is_body(scope: Scope) -> bool:
        if scope.kind is Kind.MODULE:
            return True
        is_inside = scope.kind is Kind.COMPREHENSION and not scope.is_generator and scope.parent is not None
        return is_inside and scope.parent is not None and is_body(scope.parent)

    seen_elsewhere: set[str] = set()
    for scope in all_scopes(main.scope):
        if not is_body(scope):
            seen_elsewhere |= scope.global_names
            seen_elsewhere |= {
                name
                for name in (*scope.used, *scope.bound)
                if scope.access(name) not in {Access.FAST, Access.CELL}
            }
    return set(main.scope.bound) - seen_elsewhere


def add(counts: dict[str, int], name: str, count: int) -> None:
    counts[name] = counts.get(name, 0) + count


def stores_in_body(nodes: Nodes) -> dict[str, int]:
    """How often the body of a module may store a global; 2 stands for more."""
    counts = dict.fromkeys((*SET_BY_THE_COMPILER, PATH_OF_PACKAGE), 1)
    branches: dict[str, list[dict[int, int]]] = {}  # of the stores of a name so far
    for node, around in nodes:
        names = names_bound_by(node) if type(node) in BINDS else ()
        if not names or not is_in_module_body(node, around):
            continue
        once = not any(isinstance(outer, LOOPS) for outer in around) and not (
            around and isinstance(around[0], ast.AugAssign) and around[0].target is node
        )
        taken = branches_around(node, around)
        for name in names:
            others = branches.setdefault(name, [])
            if not once or not others or not all(excludes(taken, other) for other in others):
                add(counts, name, 1 if once else 2)
            others.append(taken)
    return counts


def branches_around(node: ast.AST, around: Path) -> dict[int, int]:
    """Which branch of each `if` and `try` around it a node stands in."""
    found: dict[int, int] = {}
    inner = node
    for outer in around:
        if isinstance(outer, ast.If) and inner is not outer.test:
            found[id(outer)] = int(any(inner is one for one in outer.orelse))
        elif isinstance(outer, ast.Try | ast.TryStar) and not any(inner is one for one in outer.finalbody):
            found[id(outer)] = id(inner) if isinstance(inner, ast.ExceptHandler) else 0
        inner = outer
    return found


def excludes(one: Mapping[int, int], other: Mapping[int, int]) -> bool:
    """Whether two stand in different branches of something: as a rule one of them is run."""
    return any(other.get(branching, branch) != branch for branching, branch in one.items())


def names_bound_by(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return [name]
        case ast.Name(id=name, ctx=ast.Del()):
            return [name, name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=aliases):
            return [alias.asname or alias.name.partition(".")[0] for alias in aliases]
        case ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name for alias in aliases if alias.name != "*"]
        case ast.ExceptHandler(name=str(name)):
            return [name, name]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return [name]
    return []


def is_in_module_body(node: ast.AST, around: Path) -> bool:
    inner = node
    for outer in around:
        if isinstance(outer, (*FUNCTIONS, ast.ClassDef)):
            return False
        if isinstance(outer, ast.comprehension) and inner is outer.target:
            return False
        inner = outer
    return True


def names_stored_on_modules(nodes: Nodes) -> Iterator[str]:
    """`x` of each `module.x = ...`, where the module came from an import statement."""
    imported = {
        name
        for node, _ in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in names_bound_by(node)
    }
    for node, _ in nodes:
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            base: ast.expr = node.value
            while isinstance(base, ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name) and base.id in imported:
                yield node.attr


# --- attributes ---------------------------------------------------------------------------------------------


def final_attributes(modules: Sequence[ModuleSource], stores: Sequence[Stores]) -> set[str]:
    """Attributes stored only on the first parameter of an `__init__`, or by class bodies."""
    initial: set[str] = set()
    changed: set[str] = set()
    for module, texts in zip(modules, stores, strict=True):
        initial |= texts.initial
        changed |= texts.changed
        if not texts.by_known_names and module.origin is not Origin.LIBRARY:
            # Some name is computed. Libraries do that too (to copy what describes a function), but on objects
            # of their own making; there the machine's watch is enough.
            return set()
    return initial - changed


def read_attributes(nodes: Nodes, initial: set[str], changed: set[str]) -> bool:
    """False if attributes are stored by computed names."""
    is_known = True
    for node, around in nodes:
        match node:
            case ast.Attribute(attr="__dict__"):
                is_known = False
            case ast.Attribute(attr=attribute, ctx=ast.Store() | ast.Del()):
                name = mangled(class_around(around), attribute)
                (initial if is_initial_store(node, around) else changed).add(name)
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in STORES_BY_NAME:
                stored = constant_name_in(node, called)
                if stored is None:
                    is_known = False
                else:
                    changed.add(stored)
            case (
                ast.Name(id="setattr" | "delattr", ctx=ast.Load())
                | ast.Attribute(attr="__setattr__" | "__delattr__", ctx=ast.Load())
            ):
                if not (around and isinstance(around[0], ast.Call) and around[0].func is node):
                    is_known = False
            case _:
                names = names_bound_by(node)
                if names and class_body_of(node, around) is not None:
                    initial.update(mangled(class_around(around), name) for name in names)
    return is_known


def constant_name_in(call: ast.Call, called: str) -> str | None:
    """The name in `setattr(x, "name", ...)` or `object.__setattr__(x, "name", ...)`, if it is constant."""
    if any(isinstance(item, ast.Starred) for item in call.args):
        return None
    positions = (1,) if called in {"setattr", "delattr"} else (0, 1)  # bound methods have one argument less
    for position in positions:
        if position < len(call.args):
            item = call.args[position]
            if isinstance(item, ast.Constant) and isinstance(item.value, str):
                return item.value
    return None


def class_around(around: Path) -> str | None:
    return next((node.name for node in around if isinstance(node, ast.ClassDef)), None)


def class_body_of(node: ast.AST, around: Path) -> ast.AST | None:
    """The class whose body, not one of its functions, a node stands in."""
    inner = node
    for outer in around:
        if isinstance(outer, ast.ClassDef):
            return outer if inner in outer.body else None
        if isinstance(outer, (*FUNCTIONS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            return None
        inner = outer
    return None


def is_initial_store(node: ast.Attribute, around: Path) -> bool:
    """Whether this is `self.x = ...`, directly in an `__init__`."""
    if not isinstance(node.ctx, ast.Store) or not isinstance(node.value, ast.Name):
        return False
    if around and isinstance(around[0], ast.AugAssign):
        return False
    for index, outer in enumerate(around):
        if isinstance(outer, (*FUNCTIONS, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp)):
            if not isinstance(outer, ast.FunctionDef) or outer.name != "__init__":
                return False
            parameters = [*outer.args.posonlyargs, *outer.args.args]
            return (
                bool(parameters)
                and parameters[0].arg == node.value.id
                and index + 1 < len(around)
                and isinstance(around[index + 1], ast.ClassDef)
                and not any(
                    isinstance(other, ast.Name)
                    and other.id == node.value.id
                    and not isinstance(other.ctx, ast.Load)
                    for other in walk(outer)
                )
            )
    return False
