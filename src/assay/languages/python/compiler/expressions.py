"""Expressions: each leaves its value on the stack."""

# ruff: noqa: N802 -- methods are named after the nodes of `ast`

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from assay.languages.python.code import COMPARISONS, OPERATORS, Code
from assay.languages.python.compiler.assembler import Assembler, Label
from assay.languages.python.compiler.context import BUILTINS_MODULE, Context
from assay.languages.python.compiler.native_modules import (
    COMPILING_MODULE,
    FILES_MODULE,
    REFUSED_BUILTINS,
    REFUSED_GLOBALS,
)
from assay.languages.python.compiler.scopes import CLASS_CELL, Access, ComprehensionNode, Kind, Scope

UNARY = {"USub": 0, "UAdd": 1, "Invert": 2, "Not": 3}
CONVERSIONS = {-1: 0, ord("s"): 1, ord("r"): 2, ord("a"): 3}
MOST_BEFORE_STAR, MOST_AFTER_STAR = 255, 65535  # see UNPACK_EX; CPython allows as many before


class ExpressionCompiler:
    """Compiles the expressions of one code. Statements are added by a class built on this one."""

    def __init__(self, context: Context, scope: Scope) -> None:
        self.context = context
        self.scope = scope
        self.out = Assembler(context.budget)

    # --- names ----------------------------------------------------------------------------------------------

    def load_name(self, node: ast.expr, name: str) -> None:
        name = self.scope.mangle(name)
        if name == "__debug__":
            self.out.constant(value=True)
            return
        match self.scope.access(name):
            case Access.FAST:
                self.out.emit("LOAD_FAST", self.local_index(name))
            case Access.CELL:
                self.out.emit("LOAD_DEREF", self.cell_index(name))
            case Access.CLASS_CELL:
                self.out.emit("LOAD_CLASSDEREF", self.cell_index(name))
            case Access.CLASS_BODY:
                if name not in self.scope.bound:
                    self.refuse_name(node, name)
                if name in self.context.bound_globals or (
                    name not in self.scope.bound and not self.context.is_builtin(name)
                ):
                    self.context.global_index(name)  # it is looked for there after the namespace of the class
                self.out.named("LOAD_NAME", name)
            case Access.GLOBAL:
                if self.context.is_compiling_builtin(name):
                    self.out.emit(
                        "IMPORT", self.context.imports.find(self.context.module, COMPILING_MODULE).index
                    )
                    self.out.named("LOAD_ATTR", name)
                    return
                if self.context.is_open(name) or self.context.is_import(name):
                    home = FILES_MODULE if name == "open" else "importlib"
                    self.out.emit("IMPORT", self.context.imports.find(self.context.module, home).index)
                    self.out.named("LOAD_ATTR", name)
                    return
                if self.context.is_refused_builtin(name) and self.context.is_lenient:
                    # Packages name what they do not call.
                    problem = f"the built-in '{name}' is not modelled; {REFUSED_BUILTINS[name]}"
                    self.out.load_absent(name, problem, "")
                    return
                self.refuse_name(node, name)
                if name == "__package__" and name not in self.context.bound_globals:
                    self.out.constant(self.context.package)
                elif self.context.is_builtin(name):
                    self.out.named("LOAD_BUILTIN", name)
                else:
                    self.out.emit("LOAD_GLOBAL", self.context.global_index(name))

    def refuse_name(self, node: ast.AST, name: str) -> None:
        if self.context.is_refused_builtin(name):
            self.unsupported(node, f"the built-in '{name}' is not modelled", REFUSED_BUILTINS[name])
        elif name in REFUSED_GLOBALS and name not in self.context.bound_globals:
            self.unsupported(node, f"the variable '{name}' is not modelled", "leave it out")

    def refuse_part(self, node: ast.AST, name: str) -> None:
        module = self.context.refused_attributes.get(name)
        if module is not None:
            self.unsupported(
                node, f"'{name}' of the module {module} is not modelled", "pass values explicitly"
            )

    def unsupported(self, node: ast.AST, what: str, hint: str) -> None:
        """Refuses the program, or, in a module of CPython's own, fails when this place is reached."""
        if not self.context.is_lenient:
            raise self.context.unsupported(node, what, hint)
        self.out.at(node)
        text = f"{self.context.place(node)}: {what}; {hint}"
        self.out.emit("FAIL", self.out.constant_index(text))

    def store_name(self, name: str) -> None:
        self.change_name("STORE", name)

    def delete_name(self, name: str) -> None:
        self.change_name("DELETE", name)

    def change_name(self, verb: str, name: str) -> None:
        name = self.scope.mangle(name)
        match self.scope.access(name):
            case Access.FAST:
                self.out.emit(f"{verb}_FAST", self.local_index(name))
            case Access.CELL | Access.CLASS_CELL:
                self.out.emit(f"{verb}_DEREF", self.cell_index(name))
            case Access.CLASS_BODY:
                self.out.named(f"{verb}_NAME", name)
            case Access.GLOBAL:
                self.out.emit(f"{verb}_GLOBAL", self.context.global_index(name))

    def local_index(self, name: str) -> int:
        raise NotImplementedError

    def cell_index(self, name: str) -> int:
        """Own cells first, then free ones."""
        cells = list(self.scope.cells)
        if name in self.scope.cells:
            return cells.index(name)
        return len(cells) + list(self.scope.free).index(name)

    # --- the codes inside of this one -----------------------------------------------------------------------

    def closure_of(self, inner: Scope) -> bool:
        """Pushes the cells that an inner code needs, as a tuple; nothing if it needs none."""
        if not inner.free:
            return False
        for name in inner.free:
            self.out.emit("LOAD_CLOSURE", self.cell_index(name))
        self.out.emit("BUILD_TUPLE", len(inner.free))
        return True

    def function_code(self, node: ast.AST, inner: Scope) -> Code:
        raise NotImplementedError

    def make_function(self, node: ast.AST, inner: Scope, flags: int = 0) -> None:
        if self.closure_of(inner):
            flags |= 4
        self.out.constant(self.function_code(node, inner))
        self.out.emit("MAKE_FUNCTION", flags)

    def defaults(self, arguments: ast.arguments) -> int:
        """Pushes default values; answers the flags for MAKE_FUNCTION."""
        flags = 0
        if arguments.defaults:
            self.sequence("BUILD_TUPLE", arguments.defaults)
            flags |= 1
        named = [
            (argument.arg, default)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        ]
        if named:
            for name, default in named:
                self.out.constant(self.scope.mangle(name))
                self.expression(default)
            self.out.emit("BUILD_MAP", len(named))
            flags |= 2
        return flags

    # --- dispatch -------------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> None:
        value = constant_value(node)
        self.out.at(node)
        if value is not None:
            self.out.constant(value[0])
            return
        method: Callable[[ast.expr], None] | None = getattr(self, f"expression_{type(node).__name__}", None)
        if method is None:
            self.unsupported(node, f"{type(node).__name__} is not modelled", "write it in another way")
            self.out.constant(None)
            return
        method(node)

    def expressions(self, nodes: Sequence[ast.expr]) -> None:
        for node in nodes:
            self.expression(node)

    def expression_Name(self, node: ast.Name) -> None:
        self.load_name(node, node.id)

    def expression_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.expression(node.value)
        self.out.at(node)
        self.out.emit("COPY", 1)
        self.store_name(node.target.id)

    def expression_Attribute(self, node: ast.Attribute) -> None:
        self.refuse_part(node, node.attr)
        self.expression(node.value)
        self.out.at(node)
        self.out.named("LOAD_ATTR", self.scope.mangle(node.attr))

    def expression_Subscript(self, node: ast.Subscript) -> None:
        self.expression(node.value)
        self.expression(node.slice)
        self.out.at(node)
        self.out.emit("LOAD_SUBSCR")

    def expression_Slice(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper):
            if bound is None:
                self.out.constant(None)
            else:
                self.expression(bound)
        if node.step is not None:
            self.expression(node.step)
        self.out.at(node)
        self.out.emit("BUILD_SLICE", 2 if node.step is None else 3)

    def expression_BinOp(self, node: ast.BinOp) -> None:
        self.expression(node.left)
        self.expression(node.right)
        self.out.at(node)
        self.out.emit("BINARY", OPERATORS.index(type(node.op).__name__))

    def expression_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.expression(node.operand)
        self.out.at(node)
        self.out.emit("UNARY", UNARY[type(node.op).__name__])

    def expression_BoolOp(self, node: ast.BoolOp) -> None:
        end = Label()
        operation = "JUMP_IF_FALSE_OR_POP" if isinstance(node.op, ast.And) else "JUMP_IF_TRUE_OR_POP"
        for value in node.values[:-1]:
            self.expression(value)
            self.out.jump(operation, end)
        self.expression(node.values[-1])
        self.out.place(end)

    def expression_IfExp(self, node: ast.IfExp) -> None:
        otherwise, end = Label(), Label()
        self.jump_if(node.test, otherwise, when=False)
        self.expression(node.body)
        self.out.jump("JUMP", end)
        self.out.place(otherwise)
        self.expression(node.orelse)
        self.out.place(end)

    def expression_Compare(self, node: ast.Compare) -> None:
        self.expression(node.left)
        if len(node.ops) == 1:
            self.expression(node.comparators[0])
            self.out.at(node)
            self.out.emit("COMPARE", COMPARISONS.index(type(node.ops[0]).__name__))
            return
        clean_up, end = Label(), Label()
        for operator, comparator in zip(node.ops[:-1], node.comparators[:-1], strict=True):
            self.keep_right_and_compare(node, operator, comparator)
            self.out.jump("JUMP_IF_FALSE_OR_POP", clean_up)
        self.expression(node.comparators[-1])
        self.out.at(node)
        self.out.emit("COMPARE", COMPARISONS.index(type(node.ops[-1]).__name__))
        self.out.jump("JUMP", end)
        self.out.place(clean_up)
        self.out.emit("SWAP", 2)
        self.out.emit("POP_TOP")
        self.out.place(end)

    def keep_right_and_compare(self, node: ast.Compare, operator: ast.cmpop, comparator: ast.expr) -> None:
        """From `a` to `b, a op b`."""
        self.expression(comparator)
        self.out.at(node)
        self.out.emit("SWAP", 2)
        self.out.emit("COPY", 2)
        self.out.emit("COMPARE", COMPARISONS.index(type(operator).__name__))

    def jump_if(self, test: ast.expr, label: Label, *, when: bool) -> None:
        """Evaluates a condition and jumps if its truth is `when`."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.jump_if(test.operand, label, when=not when)
            return
        if isinstance(test, ast.BoolOp):
            stops_when = isinstance(test.op, ast.Or)  # the truth that decides early
            skip = Label()
            for value in test.values[:-1]:
                self.jump_if(value, label if stops_when == when else skip, when=stops_when)
            self.jump_if(test.values[-1], label, when=when)
            self.out.place(skip)
            return
        if isinstance(test, ast.Constant):
            if bool(test.value) == when:
                self.out.jump("JUMP", label)
            return
        if isinstance(test, ast.Compare) and len(test.ops) > 1:
            clean_up, end = Label(), Label()
            self.expression(test.left)
            for operator, comparator in zip(test.ops[:-1], test.comparators[:-1], strict=True):
                self.keep_right_and_compare(test, operator, comparator)
                self.out.jump("POP_JUMP_IF_FALSE", clean_up)
            self.expression(test.comparators[-1])
            self.out.at(test)
            self.out.emit("COMPARE", COMPARISONS.index(type(test.ops[-1]).__name__))
            self.out.jump(f"POP_JUMP_IF_{'TRUE' if when else 'FALSE'}", label)
            self.out.jump("JUMP", end)
            self.out.place(clean_up)
            self.out.emit("POP_TOP")
            if not when:
                self.out.jump("JUMP", label)
            self.out.place(end)
            return
        self.expression(test)
        self.out.jump(f"POP_JUMP_IF_{'TRUE' if when else 'FALSE'}", label)

    # --- displays -------------------------------------------------------------------------------------------

    def sequence(self, build: str, items: Sequence[ast.expr]) -> None:
        """Builds a tuple, list or set from expressions, some of which may be starred."""
        add = ("SET_ADD", "SET_UPDATE") if build == "BUILD_SET" else ("LIST_APPEND", "LIST_EXTEND")
        constants = [constant_value(item) for item in items]
        if build != "BUILD_TUPLE" and len(items) > 2 and all(value is not None for value in constants):
            self.out.emit(build, 0)
            self.out.constant(tuple(value[0] for value in constants if value is not None))
            self.out.emit(add[1], 1)
            return
        if not any(isinstance(item, ast.Starred) for item in items):
            self.expressions(items)
            self.out.emit(build, len(items))
            return
        first = next(i for i, item in enumerate(items) if isinstance(item, ast.Starred))
        self.expressions(items[:first])
        self.out.emit("BUILD_SET" if build == "BUILD_SET" else "BUILD_LIST", first)
        for item in items[first:]:
            if isinstance(item, ast.Starred):
                self.expression(item.value)
                self.out.at(item)
                self.out.emit(add[1], 1)
            else:
                self.expression(item)
                self.out.emit(add[0], 1)
        if build == "BUILD_TUPLE":
            self.out.emit("LIST_TO_TUPLE")

    def expression_Tuple(self, node: ast.Tuple) -> None:
        self.sequence("BUILD_TUPLE", node.elts)

    def expression_List(self, node: ast.List) -> None:
        self.sequence("BUILD_LIST", node.elts)

    def expression_Set(self, node: ast.Set) -> None:
        self.sequence("BUILD_SET", node.elts)

    def expression_Dict(self, node: ast.Dict) -> None:
        pairs = 0
        has_dict = False

        def flush() -> None:
            nonlocal pairs, has_dict
            if pairs or not has_dict:
                self.out.emit("BUILD_MAP", pairs)
                if has_dict:
                    self.out.emit("DICT_UPDATE", 1)
            pairs, has_dict = 0, True

        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                flush()
                self.expression(value)
                self.out.at(value)
                self.out.emit("DICT_UPDATE", 1)
            else:
                self.expression(key)
                self.expression(value)
                pairs += 1
        self.out.at(node)
        flush()

    def expression_JoinedStr(self, node: ast.JoinedStr) -> None:
        for part in node.values:
            self.expression(part)
        self.out.at(node)
        if not node.values:
            self.out.constant("")
        elif len(node.values) > 1:
            self.out.emit("BUILD_STRING", len(node.values))

    def expression_FormattedValue(self, node: ast.FormattedValue) -> None:
        self.expression(node.value)
        flags = CONVERSIONS[node.conversion]
        if node.format_spec is not None:
            self.expression(node.format_spec)
            flags |= 4
        self.out.at(node)
        self.out.emit("FORMAT_VALUE", flags)

    # --- calls ----------------------------------------------------------------------------------------------

    def expression_Call(self, node: ast.Call) -> None:
        if self.is_bare_super(node):
            self.bare_super(node)
            return
        name = self.context.name_asked_for(node)
        if name is not None:
            self.out.constant(self.context.imports.mentions(name))
            return
        if self.context.is_answered_no(node):
            self.out.constant(None)
            return
        if self.names_module_dict(node):
            index = self.context.imports.find(self.context.module, BUILTINS_MODULE).index
            self.out.emit("IMPORT", index)
            self.out.named("LOAD_ATTR", "module_dict")
            self.out.emit("IMPORT", self.context.module.index)
            self.out.at(node)
            self.out.emit("CALL", 1)
            return
        match node:
            case ast.Call(func=ast.Name(id="vars"), args=[given], keywords=[]) if self.is_built_in("vars"):
                there = Label()
                self.expression(given)
                self.out.at(node)
                self.out.emit("COPY", 1)
                self.out.named("LOAD_BUILTIN", "hasattr")
                self.out.emit("SWAP", 2)
                self.out.constant("__dict__")
                self.out.emit("CALL", 2)
                self.out.jump("POP_JUMP_IF_TRUE", there)
                self.out.named("LOAD_BUILTIN", "TypeError")
                self.out.constant("vars() argument must have __dict__ attribute")
                self.out.emit("CALL", 1)
                self.out.emit("RAISE", 1)
                self.out.place(there)
                self.out.named("LOAD_ATTR", "__dict__")
                return
        self.expression(node.func)
        self.arguments(node, node.args, node.keywords)

    def is_built_in(self, name: str) -> bool:
        return self.scope.access(name) is Access.GLOBAL and name not in self.context.bound_globals

    def names_module_dict(self, node: ast.Call) -> bool:
        """`globals()`, or `locals()` in the body of a module, in a package."""
        match node:
            case ast.Call(func=ast.Name(id="globals" | "locals" | "vars" as name), args=[], keywords=[]):
                is_module = name == "globals" or self.scope.kind is Kind.MODULE
                return is_module and self.context.is_lenient and self.is_built_in(name)
        return False

    def arguments(self, node: ast.expr, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> None:
        """Pushes arguments on top of a callable and calls it."""
        starred = any(isinstance(item, ast.Starred) for item in args)
        if not starred and all(keyword.arg is not None for keyword in keywords):
            self.expressions(args)
            for keyword in keywords:
                self.expression(keyword.value)
            self.out.at(node)
            if keywords:
                self.out.constant(tuple(keyword.arg for keyword in keywords))
                self.out.emit("CALL_KW", len(args) + len(keywords))
            else:
                self.out.emit("CALL", len(args))
            return
        self.sequence("BUILD_LIST" if starred else "BUILD_TUPLE", args)
        if keywords:
            self.keyword_dict(keywords)
        self.out.at(node)
        self.out.emit("CALL_EX", 1 if keywords else 0)

    def keyword_dict(self, keywords: Sequence[ast.keyword]) -> None:
        """Keyword arguments as a dict; one that is given twice is an error."""
        pairs = 0
        has_dict = False
        for keyword in (*keywords, None):
            if keyword is not None and keyword.arg is not None:
                self.out.constant(keyword.arg)
                self.expression(keyword.value)
                pairs += 1
                continue
            if pairs or not has_dict:
                self.out.emit("BUILD_MAP", pairs)
                if has_dict:
                    self.out.emit("DICT_MERGE", 1)
                pairs, has_dict = 0, True
            if keyword is not None:
                self.expression(keyword.value)
                self.out.emit("DICT_MERGE", 1)

    def is_bare_super(self, node: ast.Call) -> bool:
        return (
            isinstance(node.func, ast.Name)
            and node.func.id == "super"
            and not node.args
            and not node.keywords
            and self.scope.access("super") is Access.GLOBAL
            and self.context.is_builtin("super")
            and CLASS_CELL in self.scope.free
        )

    def bare_super(self, node: ast.Call) -> None:
        """`super()` means `super(__class__, first parameter)`."""
        if self.scope.kind is Kind.COMPREHENSION or not self.scope.parameters:
            self.unsupported(
                node, "super() without arguments is only modelled in methods", "write super(Class, self)"
            )
            self.out.constant(None)
            return
        self.out.named("LOAD_BUILTIN", "super")
        self.out.emit("LOAD_DEREF", self.cell_index(CLASS_CELL))
        first = self.scope.parameters[0]
        if self.scope.access(first) is Access.CELL:
            self.out.emit("LOAD_DEREF", self.cell_index(first))
        else:
            self.out.emit("LOAD_FAST", self.local_index(first))
        self.out.emit("CALL", 2)

    # --- functions in expressions ---------------------------------------------------------------------------

    def expression_Lambda(self, node: ast.Lambda) -> None:
        flags = self.defaults(node.args)
        self.out.at(node)
        self.make_function(node, self.scope.children[node], flags)

    def expression_ListComp(self, node: ast.ListComp) -> None:
        self.comprehension(node)

    def expression_SetComp(self, node: ast.SetComp) -> None:
        self.comprehension(node)

    def expression_DictComp(self, node: ast.DictComp) -> None:
        self.comprehension(node)

    def expression_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self.comprehension(node)

    def comprehension(self, node: ComprehensionNode) -> None:
        if any(generator.is_async for generator in node.generators):
            self.unsupported(node, "asynchronous comprehensions are not modelled", "use threads")
            self.out.constant(None)
            return
        self.make_function(node, self.scope.children[node])
        self.expression(node.generators[0].iter)
        self.out.at(node.generators[0].iter)
        self.out.emit("GET_ITER")
        self.out.at(node)
        self.out.emit("CALL", 1)

    def expression_Yield(self, node: ast.Yield) -> None:
        if node.value is None:
            self.out.constant(None)
        else:
            self.expression(node.value)
        self.out.at(node)
        self.out.emit("YIELD_VALUE")

    def expression_YieldFrom(self, node: ast.YieldFrom) -> None:
        self.expression(node.value)
        self.out.at(node)
        self.out.emit("GET_YIELD_FROM_ITER")
        self.out.constant(None)
        self.out.emit("YIELD_FROM")

    def expression_Await(self, node: ast.Await) -> None:
        self.unsupported(node, "await is not modelled", "use threads")
        self.out.constant(None)

    # --- targets --------------------------------------------------------------------------------------------

    def store(self, target: ast.expr) -> None:
        """Takes the value on top of the stack into a target of an assignment."""
        self.out.at(target)
        match target:
            case ast.Name(id=name):
                self.store_name(name)
            case ast.Attribute(value=value, attr=attribute):
                self.expression(value)
                self.out.at(target)
                self.out.named("STORE_ATTR", self.scope.mangle(attribute))
            case ast.Subscript(value=value, slice=index):
                self.expression(value)
                self.expression(index)
                self.out.at(target)
                self.out.emit("STORE_SUBSCR")
            case ast.Starred(value=value):
                self.store(value)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                self.unpack(target, items)
            case _:
                raise AssertionError(type(target).__name__)

    def unpack(self, target: ast.expr, items: Sequence[ast.expr]) -> None:
        starred = [i for i, item in enumerate(items) if isinstance(item, ast.Starred)]
        if starred:
            before, after = starred[0], len(items) - starred[0] - 1
            if before > MOST_BEFORE_STAR or after > MOST_AFTER_STAR:
                raise self.context.unsupported(
                    target, "unpacking into so many targets beside a starred one", "slice the sequence"
                )
            self.out.emit("UNPACK_EX", before | after << 8)
        else:
            self.out.emit("UNPACK_SEQUENCE", len(items))
        for item in items:
            self.store(item)


def constant_value(node: ast.expr) -> tuple[object] | None:
    """The value of a constant expression, in a tuple; None if it is not constant."""
    if isinstance(node, ast.Constant):
        return (node.value,)
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
        values = [constant_value(item) for item in node.elts]
        if all(value is not None for value in values):
            return (tuple(value[0] for value in values if value is not None),)
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and type(node.operand.value) in {int, float}
    ):
        return (-node.operand.value,)  # type: ignore[operator]
    return None
