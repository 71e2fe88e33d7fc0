"""Which names belong to which function, class or module, and how often each is bound.

A name that is bound once, outside loops, keeps its value for ever after: reading it is no place where
another thread could make a difference.
"""

# ruff: noqa: N815 - the names of a NodeVisitor are those of the nodes

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

from tests.python.oracle.values import Unsupported

FUNCTIONS = (ast.FunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
OFTEN = 2  # stands for any number of bindings but one


@dataclass(eq=False)
class Scope:
    kind: str  # "module", "function" or "class"
    parent: Scope | None
    bindings: Counter[str] = field(default_factory=Counter)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)  # used by other functions than the one it belongs to
    is_comprehension: bool = False

    @property
    def module(self) -> Scope:
        return self if self.parent is None else self.parent.module

    def runs_within(self, owner: Scope) -> Scope:
        """The scope around class bodies and comprehensions: whoever runs that one runs this one."""
        at = self
        while at is not owner and at.parent is not None and (at.kind == "class" or at.is_comprehension):
            at = at.parent
        return at

    def owner_of(self, name: str) -> Scope:
        """The scope a name in this one stands for; the module's if it is nobody's."""
        if name in self.globals:
            return self.module
        if self.bindings[name] and name not in self.nonlocals:
            return self
        at = self.parent
        while at is not None:
            if at.kind == "function" and at.bindings[name] and name not in at.nonlocals | at.globals:
                return at
            at = at.parent
        if name in self.nonlocals:
            raise Unsupported(f"no binding for nonlocal '{name}'")
        return self.module

    def is_bound_once(self, name: str) -> bool:
        return self.bindings[name] == 1


class ScopeReader(ast.NodeVisitor):
    """Walks a module and gives every function, class and comprehension its scope."""

    def __init__(self, module: ast.Module) -> None:
        self.scopes: dict[ast.AST, Scope] = {}
        self._uses: list[tuple[Scope, str]] = []
        self._stores: list[tuple[Scope, str, int]] = []
        self._scope = self.scopes[module] = Scope("module", None)
        self._loops = 0
        self.generic_visit(module)
        for scope, name, times in self._stores:
            owner = scope.owner_of(name)
            if owner is not scope:  # bound from within a function that declares it
                owner.bindings[name] += OFTEN * times
        for scope, name in self._uses:
            owner = scope.owner_of(name)
            if owner is not scope.runs_within(owner):
                owner.captured.add(name)

    def _bind(self, name: str) -> None:
        times = OFTEN if self._loops else 1
        if name not in self._scope.globals | self._scope.nonlocals:
            self._scope.bindings[name] += times
        self._stores.append((self._scope, name, times))
        self._uses.append((self._scope, name))

    def _within(
        self,
        node: ast.AST,
        kind: str,
        parts: list[ast.AST],
        parameters: list[str],
        *,
        in_a_comprehension: bool = False,
    ) -> None:
        outside, loops = self._scope, self._loops
        self._scope = self.scopes[node] = Scope(kind, outside, is_comprehension=in_a_comprehension)
        self._loops = int(in_a_comprehension)
        declarations = [
            part for part in _own_statements(parts) if isinstance(part, ast.Global | ast.Nonlocal)
        ]
        for declaration in declarations:
            is_global = isinstance(declaration, ast.Global)
            (self._scope.globals if is_global else self._scope.nonlocals).update(declaration.names)
        for name in parameters:
            self._bind(name)
        for part in parts:
            self.visit(part)
        self._scope, self._loops = outside, loops

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._bind(node.name)
        self._visit_all([*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)])
        self._within(node, "function", [*node.body], parameters_of(node.args))

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_all([*node.args.defaults, *filter(None, node.args.kw_defaults)])
        self._within(node, "function", [node.body], parameters_of(node.args))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name)
        self._visit_all([*node.bases, *node.decorator_list])
        self._within(node, "class", [*node.body], [])

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> None:
        first, *rest = node.generators
        self.visit(first.iter)  # evaluated outside
        element = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        parts: list[ast.AST] = [first.target, *first.ifs, *rest, *element]
        self._within(node, "function", parts, [], in_a_comprehension=True)

    visit_ListComp = visit_SetComp = visit_DictComp = _comprehension

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self._loops += 1
        self._visit_all([node.target, *node.body])
        self._loops -= 1
        self._visit_all(node.orelse)

    def visit_While(self, node: ast.While) -> None:
        self._loops += 1
        self._visit_all([node.test, *node.body])
        self._loops -= 1
        self._visit_all(node.orelse)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._uses.append((self._scope, node.id))
        else:
            self._bind(node.id)
            if isinstance(node.ctx, ast.Del):
                self._bind(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            self._bind(node.target.id)  # changes what some other statement bound

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name)
            self._bind(node.name)  # it is deleted at the end
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name)

    visit_ImportFrom = visit_Import

    def _visit_all(self, nodes: list[ast.AST] | list[ast.stmt] | list[ast.expr]) -> None:
        for node in nodes:
            self.visit(node)


def _own_statements(parts: list[ast.AST]) -> list[ast.AST]:
    """The statements of a body, without those of functions and classes within it."""
    found: list[ast.AST] = []
    todo = list(parts)
    while todo:
        node = todo.pop()
        found.append(node)
        if not isinstance(node, (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(node))
    return found


def parameters_of(arguments: ast.arguments) -> list[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra]
    return [argument.arg for argument in every]
