"""Which variable a name means: local, in a cell, of the module, or of a class body.

Two passes over the syntax tree. The first collects, for each module, function, lambda, class body and
comprehension, which names it binds, uses and declares; the second decides which bindings live in cells. The
rules are those of the language reference, section 4.2 "Naming and binding".
"""

from __future__ import annotations

import ast
import sys
from dataclasses import field
from enum import Enum

from assay.languages.python.compiler.nodes import children
from assay.records import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
ComprehensionNode = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FIRST_ITERATOR = ".0"  # the parameter of a comprehension
CLASS_CELL = "__class__"


class Kind(Enum):
    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    LAMBDA = "lambda"
    COMPREHENSION = "comprehension"


class Access(Enum):
    """How code reaches a variable."""

    FAST = "local"
    CELL = "cell"  # an own cell or one of an enclosing function
    GLOBAL = "global"
    CLASS_BODY = "class body"  # the namespace of a class, then module and built-ins
    CLASS_CELL = "class body, then cell"


def mangled(class_name: str | None, name: str) -> str:
    """The private names of a class, `__x`, become `_Class__x`."""
    if class_name is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = class_name.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


@dataclass(slots=True)
class Scope:
    kind: Kind
    name: str
    node: ast.AST
    parent: Scope | None
    class_name: str | None  # the class whose private names are mangled here
    qualname: str = ""
    parameters: list[str] = field(default_factory=list)
    bound: dict[str, None] = field(default_factory=dict)  # in order of appearance, parameters included
    used: dict[str, None] = field(default_factory=dict)
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)
    cells: dict[str, None] = field(default_factory=dict)
    free: dict[str, None] = field(default_factory=dict)
    is_generator: bool = False
    children: dict[ast.AST, Scope] = field(default_factory=dict)

    @property
    def is_function(self) -> bool:
        return self.kind in {Kind.FUNCTION, Kind.LAMBDA, Kind.COMPREHENSION}

    def mangle(self, name: str) -> str:
        return mangled(self.class_name, name)

    def access(self, name: str) -> Access:
        """How code of this scope reaches a name, already mangled."""
        if name in self.global_names or self.kind is Kind.MODULE:
            return Access.GLOBAL
        if self.kind is Kind.CLASS:
            if name == CLASS_CELL and name in self.cells:  # the methods' cell, no name of the body
                return Access.CLASS_BODY
            if name in self.bound:
                return Access.CLASS_BODY
            return Access.CLASS_CELL if name in self.free else Access.CLASS_BODY
        if name in self.cells or name in self.free:
            return Access.CELL
        return Access.FAST if name in self.bound else Access.GLOBAL


class Collector(ast.NodeVisitor):
    """The first pass."""

    def __init__(self, module: Scope, *, annotations_are_evaluated: bool) -> None:
        self.scope = module
        self.annotations_are_evaluated = annotations_are_evaluated

    def generic_visit(self, node: ast.AST) -> None:
        for inside in children(node):
            self.visit(inside)

    def bind(self, name: str) -> None:
        scope, name = self.scope, self.scope.mangle(name)
        if name not in scope.nonlocal_names and name not in scope.global_names:
            scope.bound[name] = None
        else:
            scope.used[name] = None

    def use(self, name: str) -> None:
        self.scope.used[self.scope.mangle(name)] = None

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.use(node.id)
            if node.id == "super" and self.scope.is_function:
                self.use(CLASS_CELL)
        else:
            self.bind(node.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        name = node.target.id
        inner = self.scope
        passed = []
        while (
            inner.kind is Kind.COMPREHENSION and inner.parent is not None
        ):  # binds outside of comprehensions
            passed.append(inner)
            inner = inner.parent
        saved, self.scope = self.scope, inner
        self.bind(name)
        self.scope = saved
        for scope in passed:
            mangled_name = scope.mangle(name)
            scope.used[mangled_name] = None
            if inner.kind is Kind.MODULE or mangled_name in inner.global_names:
                scope.global_names.add(mangled_name)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.global_names.update(self.scope.mangle(name) for name in node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.nonlocal_names.update(self.scope.mangle(name) for name in node.names)
        for name in node.names:
            self.use(name)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.bind(alias.asname or alias.name.partition(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.bind(alias.asname or alias.name)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self.bind(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name is not None:
            self.bind(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name is not None:
            self.bind(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self.bind(node.rest)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        # `x: int` makes x local even without a value; in a function the annotation itself is not evaluated.
        if isinstance(node.target, ast.Name):
            if node.simple or node.value is not None:
                self.bind(node.target.id)
        else:
            self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)
        if self.annotations_are_evaluated and self.scope.kind in {Kind.CLASS, Kind.MODULE}:
            self.visit(node.annotation)
        if self.scope.kind is Kind.CLASS:
            self.scope.bound["__annotations__"] = None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.function(node)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.defaults(node.args)
        if self.annotations_are_evaluated:
            for _, annotation in annotations_in_order(node):
                self.visit(annotation)
        self.bind(node.name)
        self.enter(node, Kind.FUNCTION, node.name)
        self.parameters(node.args)
        for statement in node.body:
            self.visit(statement)
        self.leave()

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.defaults(node.args)
        self.enter(node, Kind.LAMBDA, "<lambda>")
        self.parameters(node.args)
        self.visit(node.body)
        self.leave()

    def defaults(self, arguments: ast.arguments) -> None:
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)

    def parameters(self, arguments: ast.arguments) -> None:
        for argument in parameters_in_order(arguments):
            self.bind(argument.arg)
        self.scope.parameters = list(self.scope.bound)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for expression in (*node.decorator_list, *node.bases):
            self.visit(expression)
        for keyword in node.keywords:
            self.visit(keyword.value)
        self.bind(node.name)
        self.enter(node, Kind.CLASS, node.name)
        self.scope.class_name = node.name
        for statement in node.body:
            self.visit(statement)
        self.leave()

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self.comprehension(node, "<listcomp>", node.elt)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self.comprehension(node, "<setcomp>", node.elt)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self.comprehension(node, "<genexpr>", node.elt)
        self.scope.children[node].is_generator = True

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self.comprehension(node, "<dictcomp>", node.key, node.value)

    def comprehension(self, node: ComprehensionNode, name: str, *elements: ast.expr) -> None:
        first = node.generators[0]
        self.visit(first.iter)  # evaluated outside
        self.enter(node, Kind.COMPREHENSION, name)
        self.scope.bound[FIRST_ITERATOR] = None
        self.scope.parameters = [FIRST_ITERATOR]
        for generator in node.generators:
            if generator is not first:
                self.visit(generator.iter)
            self.visit(generator.target)
            for condition in generator.ifs:
                self.visit(condition)
        for element in elements:
            self.visit(element)
        self.leave()

    def visit_Yield(self, node: ast.Yield) -> None:
        self.scope.is_generator = True
        self.generic_visit(node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self.scope.is_generator = True
        self.generic_visit(node)

    def enter(self, node: ast.AST, kind: Kind, name: str) -> None:
        outer = self.scope
        prefix = ""
        if outer.kind is not Kind.MODULE:
            prefix = f"{outer.qualname}." if outer.kind is Kind.CLASS else f"{outer.qualname}.<locals>."
        if outer.mangle(name) in outer.global_names:
            prefix = ""
        scope = Scope(kind, name, node, outer, outer.class_name, qualname=prefix + name)
        outer.children[node] = scope
        self.scope = scope

    def leave(self) -> None:
        assert self.scope.parent is not None
        self.scope = self.scope.parent


def parameters_in_order(arguments: ast.arguments) -> list[ast.arg]:
    """Positional, keyword-only, *args, **kwargs."""
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return found + [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]


def annotations_in_order(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[tuple[str, ast.expr]]:
    """With their names, as CPython 3.11 evaluates them when the function is defined."""
    arguments = node.args
    ordered = [
        *arguments.args,
        *arguments.posonlyargs,
        arguments.vararg,
        *arguments.kwonlyargs,
        arguments.kwarg,
    ]
    found = [(argument.arg, argument.annotation) for argument in ordered if argument is not None]
    every = [*found, ("return", node.returns)]
    return [(name, annotation) for name, annotation in every if annotation is not None]


def evaluates_annotations(tree: ast.Module) -> bool:
    """Whether annotations are expressions like any other, which may raise.

    They are before Python 3.14, unless the module imports `annotations` from the future.
    """
    is_future = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in tree.body
    )
    return sys.version_info < (3, 14) and not is_future


def resolve(scope: Scope) -> None:
    """The second pass: which variables need cells, and who passes them on."""
    if scope.kind is not Kind.MODULE:
        for name in (*scope.used, *scope.nonlocal_names):
            own = name in scope.bound and name not in scope.nonlocal_names
            if not own and name not in scope.global_names:
                find_binding(scope, name)
    for child in scope.children.values():
        resolve(child)


def find_binding(scope: Scope, name: str) -> None:
    passed = [scope]
    outer = scope.parent
    while outer is not None and outer.kind is not Kind.MODULE:
        if outer.kind is Kind.CLASS:
            if name == CLASS_CELL and scope.is_function:
                break
        elif name in outer.global_names:
            return
        elif name in outer.bound and name not in outer.nonlocal_names:
            break
        passed.append(outer)
        outer = outer.parent
    if outer is None or outer.kind is Kind.MODULE:
        return
    outer.cells[name] = None
    for inner in passed:
        inner.free[name] = None


def analyse(tree: ast.Module) -> Scope:
    """The scope of a module, with all scopes inside of it."""
    module = Scope(Kind.MODULE, "<module>", tree, None, None, qualname="<module>")
    collector = Collector(module, annotations_are_evaluated=evaluates_annotations(tree))
    # Declarations count for the whole scope, wherever they stand; syntax errors were found before.
    for statement in tree.body:
        collector.visit(statement)
    resolve(module)
    return module


def all_scopes(scope: Scope) -> list[Scope]:
    found = [scope]
    for child in scope.children.values():
        found.extend(all_scopes(child))
    return found
