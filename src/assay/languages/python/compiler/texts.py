"""Texts that packages compile while they run (`exec`, `eval`), as functions of a module of their own.

Which texts these are is found out by running the program: the first run that comes to one is no run of the
program, and the program is compiled again with the text in it. A text is what an assumption says, so every
claim has it in full.

CPython runs a text with two dicts, in which it finds and stores its variables, and so do the functions in it
later. Here each of these accesses is written out: `x` of the text becomes a lookup in the dict that the text
was run with, then among the built-ins, and a store becomes a store there. The dicts are the program's own, so
their content is part of its states.
"""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from assay.languages.python.code import Code
from assay.languages.python.compiler.scopes import COMPREHENSIONS, Access, Kind, Scope, analyse

MODULE = "_texts"
FILE = "<text>/_texts.py"  # neither the user's nor a library
ASSUMPTION = "texts "  # that the program compiles no others; see `require_texts` of the machine
BETWEEN = "\x1f"
BINDING = (ast.NamedExpr, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)
MODES = {"x": "exec", "v": "eval"}
RUN = re.compile(r"^_run_\d+\.<locals>\.")
GLOBALS, LOCALS, CHANGED = "__globals__", "__locals__", "__changed__"
LOAD, LOAD_LOCAL, DELETE = "__load__", "__load_local__", "__delete__"
RESERVED = {GLOBALS, LOCALS, CHANGED, LOAD, LOAD_LOCAL, DELETE}
NAME_OF_BUILTINS = "builtins"  # what `__name__` is where the dict of a text has none


def texts_in(assumptions: Iterable[str]) -> list[str]:
    """Each text once, with a letter for its mode before it."""
    found = {
        text
        for assumed in assumptions
        if assumed.startswith(ASSUMPTION)
        for text in assumed.removeprefix(ASSUMPTION).split(BETWEEN)
    }
    return sorted(found)


def module_of_texts(texts: Iterable[str]) -> str:
    """The source of the module: a function for each text, and which is for which."""
    lines = ["from __future__ import annotations", f"from _compiling import {LOAD}, {LOAD_LOCAL}, {DELETE}"]
    table = []
    for number, text in enumerate(texts):
        name = f"_run_{number}"
        try:
            lines.append(function_of(name, MODES[text[:1]], text[1:]))
        except NotModelled as problem:
            lines.append(f"{name} = {problem.args[0]!r}")
        except RecursionError:
            lines.append(f"{name} = 'is nested too deeply'")
        table.append(f"{text!r}: {name}")
    return "\n".join([*lines, f"TEXTS = {{{', '.join(table)}}}", ""])


class NotModelled(Exception):
    """Of a text: what is not modelled in it."""


def function_of(name: str, mode: str, text: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            compile(text, FILE, mode, dont_inherit=True)  # knows more mistakes than the parser: a return, say
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotModelled("CPython does not compile") from None
    written = Written(analyse(tree))
    body: list[ast.stmt] = []
    if mode == "exec" and (documentation := ast.get_docstring(tree, clean=False)) is not None:
        body.append(ast.Assign([written.place("__doc__", ast.Store())], ast.Constant(documentation)))
    for statement in tree.body:
        if mode == "eval":
            assert isinstance(statement, ast.Expr)
            body.append(ast.Return(written.visit(statement.value)))
        else:
            changed = written.visit(statement)
            body += changed if isinstance(changed, list) else [changed]
    parameters = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(GLOBALS), ast.arg(LOCALS)],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    function = ast.FunctionDef(name, parameters, body or [ast.Pass()], decorator_list=[])
    return ast.unparse(ast.fix_missing_locations(ast.Module([function], type_ignores=[])))


class Written(ast.NodeTransformer):
    """Writes accesses to variables of the text out."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.certain: set[str] = set()  # what the class body around has surely bound

    @property
    def is_outside(self) -> bool:
        return self.scope.kind is Kind.MODULE

    def is_of_text(self, name: str) -> bool:
        """Whether a name means a variable in one of the dicts."""
        if self.is_outside:
            return True
        access = self.scope.access(name)
        is_found_outside = access is Access.CLASS_BODY and name not in self.scope.bound
        return access is Access.GLOBAL or is_found_outside

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, COMPREHENSIONS):
            return self.comprehension(node)
        if isinstance(node, BINDING):
            self.refuse_binding(node)
        return super().visit(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in RESERVED:
            raise NotModelled(f"has a variable {node.id}")
        name = self.scope.mangle(node.id)
        if not self.is_of_text(name):
            is_read = isinstance(node.ctx, ast.Load)
            if is_read and self.scope.access(name) is Access.CLASS_BODY and name not in self.certain:
                raise NotModelled(f"reads {name} in a class that may not have it yet")
            return node
        if isinstance(node.ctx, ast.Store):
            return self.place(name, node.ctx)
        if isinstance(node.ctx, ast.Del):
            raise NotModelled("deletes variables in a way that is not modelled")
        if name == "super" and self.scope.is_function:
            return node  # the compiler has to see it; nobody else may call something so: see `_run`
        return self.load(name)

    def is_in_locals(self, name: str) -> bool:
        return self.is_outside and name not in self.scope.global_names

    def place(self, name: str, context: ast.expr_context) -> ast.Subscript:
        dictionary = LOCALS if self.is_in_locals(name) else GLOBALS
        return ast.Subscript(ast.Name(dictionary, ast.Load()), ast.Constant(name), context)

    def load(self, name: str) -> ast.expr:
        is_local = self.is_in_locals(name)
        given: list[ast.expr] = [ast.Name(LOCALS, ast.Load())] if is_local else []
        given += [ast.Name(GLOBALS, ast.Load()), ast.Constant(name)]
        if name == "__name__":
            given.append(ast.Constant(NAME_OF_BUILTINS))
        elif name in vars(builtins):
            if name.startswith("__") and name != "__debug__":
                raise NotModelled(f"reads {name}")
            given.append(ast.Name(name, ast.Load()))
        return ast.Call(ast.Name(LOAD_LOCAL if is_local else LOAD, ast.Load()), given, [])

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        """What is read may lie elsewhere than where it is stored."""
        if not isinstance(node.target, ast.Name):
            return self.generic_visit(node)  # type: ignore[return-value]
        name = self.scope.mangle(node.target.id)
        if self.scope.kind is Kind.CLASS:
            if self.is_of_text(name) or name not in self.certain:
                raise NotModelled(f"changes {name} in a class")
        elif self.is_of_text(name):
            return [
                ast.Assign([ast.Name(CHANGED, ast.Store())], self.load(name)),
                ast.AugAssign(ast.Name(CHANGED, ast.Store()), node.op, self.visit(node.value)),
                ast.Assign([self.place(name, ast.Store())], ast.Name(CHANGED, ast.Load())),
            ]
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        return [self.deleted(target) for target in node.targets]

    def deleted(self, target: ast.expr) -> ast.stmt:
        if not isinstance(target, ast.Name) or not self.is_of_text(self.scope.mangle(target.id)):
            if self.scope.kind is Kind.CLASS:
                raise NotModelled("deletes variables of a class")
            return ast.Delete([self.visit(target)])
        name = self.scope.mangle(target.id)
        dictionary = LOCALS if self.is_in_locals(name) else GLOBALS
        given: list[ast.expr] = [ast.Name(dictionary, ast.Load()), ast.Constant(name)]
        return ast.Expr(ast.Call(ast.Name(DELETE, ast.Load()), given, []))

    def inside(self, node: ast.AST, parts: list[ast.stmt]) -> list[ast.stmt]:
        outer, self.scope = self.scope, self.scope.children[node]
        try:
            changed = [self.visit(part) for part in parts]
        finally:
            self.scope = outer
        return [one for part in changed for one in (part if isinstance(part, list) else [part])]

    def stored(self, node: ast.stmt, *names: str) -> list[ast.stmt]:
        """What a statement binds without a name of its own in the tree is stored after it."""
        bound = [self.scope.mangle(name) for name in names]
        if not RESERVED.isdisjoint(bound):
            raise NotModelled("binds a name that is not modelled")
        if self.is_outside and (of_builtins := [name for name in bound if name in vars(builtins)]):
            raise NotModelled(f"defines {of_builtins[0]}, which is a built-in, too")
        if self.is_outside:
            return [
                node,
                *(ast.Assign([self.place(name, ast.Store())], ast.Name(name, ast.Load())) for name in bound),
            ]
        if any(self.is_of_text(name) for name in bound):
            raise NotModelled("has a global variable that a function defines")
        return [node]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        self.arguments(node.args)
        node.returns = None
        node.body = self.inside(node, node.body)
        return self.stored(node, node.name)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> list[ast.stmt]:
        raise NotModelled(f"has an asynchronous function {node.name}")

    def arguments(self, given: ast.arguments) -> None:
        given.defaults = [self.visit(one) for one in given.defaults]
        given.kw_defaults = [one and self.visit(one) for one in given.kw_defaults]
        for one in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]:
            if one is not None:
                one.annotation = None
                if one.arg in RESERVED:
                    raise NotModelled(f"has a variable {one.arg}")

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self.arguments(node.args)
        outer, self.scope = self.scope, self.scope.children[node]
        node.body = self.visit(node.body)
        self.scope = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.bases = [self.visit(one) for one in node.bases]
        for given in node.keywords:
            given.value = self.visit(given.value)
        node.body = self.class_body(node)
        return self.stored(node, node.name)

    def class_body(self, node: ast.ClassDef) -> list[ast.stmt]:
        outer, self.certain = self.certain, {"__module__", "__qualname__"}
        body: list[ast.stmt] = []
        try:
            for statement in node.body:
                body += self.inside(node, [statement])
                self.certain |= {self.scope.children[node].mangle(name) for name in bound_by(statement)}
        finally:
            self.certain = outer
        module = ast.Assign(
            [ast.Name("__module__", ast.Store())],
            ast.Call(
                ast.Name(LOAD, ast.Load()),
                [ast.Name(GLOBALS, ast.Load()), ast.Constant("__name__"), ast.Constant(NAME_OF_BUILTINS)],
                [],
            ),
        )
        body.insert(1 if ast.get_docstring(node, clean=False) is not None else 0, module)
        return body

    def comprehension(self, node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
        first = self.visit(node.generators[0].iter)
        node.generators[0].iter = ast.Constant(None)
        outer, self.scope = self.scope, self.scope.children[node]
        self.generic_visit(node)
        self.scope = outer
        node.generators[0].iter = first
        return node

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        return self.stored(node, *(alias.asname or alias.name.partition(".")[0] for alias in node.names))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | list[ast.stmt]:
        if node.module == "__future__":
            return ast.Pass()
        if node.level or node.names[0].name == "*":
            raise NotModelled("imports all, or from its own package")
        return self.stored(node, *(alias.asname or alias.name for alias in node.names))

    def visit_Global(self, node: ast.Global) -> ast.stmt:
        return ast.copy_location(ast.Pass(), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if not self.scope.is_function or node.value is None:
            raise NotModelled("annotates variables")
        return ast.Assign([self.visit(node.target)], self.visit(node.value))

    def refuse_binding(self, node: ast.AST) -> None:
        """Names that are no nodes of the tree, or that stand where only a name can."""
        for field in ("name", "rest", "target"):
            bound = getattr(node, field, None)
            name = bound.id if isinstance(bound, ast.Name) else bound
            if isinstance(name, str) and self.is_of_text(self.scope.mangle(name)):
                raise NotModelled("binds variables in a way that is not modelled")


def bound_by(statement: ast.stmt) -> set[str]:
    """What a statement surely binds; not all of it."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
    return set()


def as_in_text(code: Code) -> Code:
    """Functions of a text are not inside of another one."""
    return replace(
        code,
        qualname=RUN.sub("", code.qualname),
        constants=tuple(as_in_text(one) if isinstance(one, Code) else one for one in code.constants),
    )
