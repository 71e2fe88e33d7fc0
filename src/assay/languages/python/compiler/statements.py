"""Statements, and the codes of functions, classes, comprehensions and modules.

What leaves a block early (`return`, `break`, `continue`) first does what the blocks around it ask for: drops
the iterator of a loop, calls `__exit__`, runs a copy of the `finally` part. Those copies stand outside of the
handlers of the blocks that they leave.
"""

# ruff: noqa: N802 -- methods are named after the nodes of `ast`

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from pathlib import PurePosixPath

from assay.languages.python.code import COMPARISONS, OPERATORS, Code
from assay.languages.python.compiler.assembler import Label, Region
from assay.languages.python.compiler.context import (
    ANNOTATIONS_THAT_COUNT,
    PATH_OF_PACKAGE,
    SET_BY_THE_COMPILER,
    Context,
    Found,
    ModuleSource,
    Origin,
    Target,
)
from assay.languages.python.compiler.expressions import constant_value
from assay.languages.python.compiler.native_modules import REFUSED_PARTS
from assay.languages.python.compiler.nodes import catches_import_error
from assay.languages.python.compiler.patterns import Attempt, PatternCompiler
from assay.languages.python.compiler.scopes import (
    CLASS_CELL,
    COMPREHENSIONS,
    FIRST_ITERATOR,
    FUNCTIONS,
    FunctionNode,
    Kind,
    Scope,
    annotations_in_order,
    parameters_in_order,
)
from assay.records import dataclass


class BlockKind(Enum):
    WHILE = "while"
    FOR = "for"  # its iterator is on the stack
    TRY_EXCEPT = "try with except"
    TRY_FINALLY = "try with finally"
    HANDLER = "except"  # the exception handled before is on the stack
    FINALLY_RAISING = "finally, while an exception goes on"  # the same, and the exception
    WITH = "with"  # __exit__ is on the stack
    VALUE = "a value to be returned"


@dataclass(slots=True, eq=False)
class Block:
    kind: BlockKind
    region: Region | None = None
    exit: Label | None = None  # break
    head: Label | None = None  # continue
    final: Sequence[ast.stmt] = ()
    name: str | None = None  # of `except ... as name`
    node: ast.AST | None = None


LOOPS = {BlockKind.WHILE, BlockKind.FOR}


class StatementCompiler(PatternCompiler):
    def __init__(self, context: Context, scope: Scope) -> None:
        super().__init__(context, scope)
        self.blocks: list[Block] = []
        self.locals = {name: index for index, name in enumerate(scope.parameters)}

    def local_index(self, name: str) -> int:
        return self.locals.setdefault(name, len(self.locals))

    def statements(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        self.out.at(node)
        method: Callable[[ast.stmt], None] | None = getattr(self, f"statement_{type(node).__name__}", None)
        if method is None:
            name = {"TryStar": "except*", "TypeAlias": "the statement 'type'"}.get(type(node).__name__)
            self.unsupported(
                node, f"{name or type(node).__name__} is not modelled", "write it in another way"
            )
            return
        method(node)

    # --- simple statements ----------------------------------------------------------------------------------

    def statement_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring, or `...`
        self.expression(node.value)
        self.out.emit("POP_TOP")

    def statement_Pass(self, node: ast.Pass) -> None:
        pass

    def statement_Global(self, node: ast.Global) -> None:
        pass

    def statement_Nonlocal(self, node: ast.Nonlocal) -> None:
        pass

    def statement_Assign(self, node: ast.Assign) -> None:
        if self.exchange(node):
            return
        self.expression(node.value)
        self.out.at(node)
        for target in node.targets[:-1]:
            self.out.emit("COPY", 1)
            self.store(target)
        self.store(node.targets[-1])

    def exchange(self, node: ast.Assign) -> bool:
        """`a, b = b, a` without a tuple."""
        if len(node.targets) != 1:
            return False
        match node.targets[0], node.value:
            case (ast.Tuple(elts=targets), ast.Tuple(elts=values)) if len(targets) == len(values) in {2, 3}:
                if any(isinstance(item, ast.Starred) for item in (*targets, *values)):
                    return False
                self.expressions(values)
                self.out.emit("SWAP", len(values))
                for target in targets:
                    self.store(target)
                return True
        return False

    def statement_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        operator = OPERATORS.index(type(node.op).__name__)
        match target:
            case ast.Name(id=name):
                self.out.at(target)
                self.load_name(target, name)
                self.expression(node.value)
                self.out.at(node)
                self.out.emit("INPLACE", operator)
                self.store_name(name)
            case ast.Attribute(value=value, attr=attribute):
                self.expression(value)
                self.out.at(target)
                self.out.emit("COPY", 1)
                self.out.named("LOAD_ATTR", self.scope.mangle(attribute))
                self.expression(node.value)
                self.out.at(node)
                self.out.emit("INPLACE", operator)
                self.out.emit("SWAP", 2)
                self.out.named("STORE_ATTR", self.scope.mangle(attribute))
            case ast.Subscript(value=value, slice=index):
                self.expression(value)
                self.expression(index)
                self.out.at(target)
                self.out.emit("COPY", 2)
                self.out.emit("COPY", 2)
                self.out.emit("LOAD_SUBSCR")
                self.expression(node.value)
                self.out.at(node)
                self.out.emit("INPLACE", operator)
                self.out.emit("SWAP", 3)
                self.out.emit("SWAP", 2)
                self.out.emit("STORE_SUBSCR")

    def statement_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.expression(node.value)
            self.store(node.target)
        elif isinstance(node.target, ast.Attribute):
            self.evaluate(node.target.value)
        elif isinstance(node.target, ast.Subscript):
            self.evaluate(node.target.value)
            self.evaluate(node.target.slice)
        if self.scope.kind is Kind.MODULE or (
            self.scope.kind is Kind.CLASS and not self.context.keeps_annotations
        ):
            self.evaluate_annotation(node.annotation)
        if self.scope.kind is Kind.CLASS and node.simple and isinstance(node.target, ast.Name):
            self.out.at(node)
            self.annotation(node.annotation)
            self.out.named("LOAD_NAME", "__annotations__")
            self.out.constant(self.scope.mangle(node.target.id))
            self.out.emit("STORE_SUBSCR")

    def evaluate(self, node: ast.expr) -> None:
        self.expression(node)
        self.out.emit("POP_TOP")

    def evaluate_annotation(self, node: ast.expr) -> None:
        """What an annotation is has no meaning for the program, but it may raise, or do something."""
        if self.context.annotations_are_evaluated and not isinstance(node, ast.Constant):
            self.evaluate(node)

    def annotation(self, node: ast.expr) -> None:
        """Pushes an annotation; where nobody looks its text, but what a dataclass looks for."""
        if self.context.keeps_annotations and self.context.annotations_are_evaluated:
            self.expression(node)
            return
        special = self.context.annotation_that_counts(node)
        if special is not None:
            self.import_native(ANNOTATIONS_THAT_COUNT[special])
            self.out.named("LOAD_ATTR", special)
            return
        value = constant_value(node)
        if value is not None and isinstance(value[0], str) and not self.context.future_annotations:
            self.out.constant(value[0])
        else:
            self.out.constant(ast.unparse(node))

    def statement_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.delete(target)

    def delete(self, target: ast.expr) -> None:
        self.out.at(target)
        match target:
            case ast.Name(id=name):
                self.delete_name(name)
            case ast.Attribute(value=value, attr=attribute):
                self.expression(value)
                self.out.at(target)
                self.out.named("DELETE_ATTR", self.scope.mangle(attribute))
            case ast.Subscript(value=value, slice=index):
                self.expression(value)
                self.expression(index)
                self.out.at(target)
                self.out.emit("DELETE_SUBSCR")
            case ast.Tuple(elts=items) | ast.List(elts=items):
                for item in items:
                    self.delete(item)

    def statement_Assert(self, node: ast.Assert) -> None:
        end = Label()
        self.jump_if(node.test, end, when=True)
        self.out.at(node)
        self.out.named("LOAD_BUILTIN", "AssertionError")
        if node.msg is not None:
            self.expression(node.msg)
            self.out.at(node)
            self.out.emit("CALL", 1)
        self.out.emit("RAISE", 1)
        self.out.place(end)

    def statement_Raise(self, node: ast.Raise) -> None:
        values = [value for value in (node.exc, node.cause) if value is not None]
        self.expressions(values)
        self.out.at(node)
        self.out.emit("RAISE", len(values))

    # --- branches and loops ---------------------------------------------------------------------------------

    def statement_If(self, node: ast.If) -> None:
        if self.context.is_type_checking(node.test):
            self.statements(node.orelse)
            return
        if isinstance(node.test, ast.Call) and (name := self.context.name_asked_for(node.test)) is not None:
            self.statements(node.body if self.context.imports.mentions(name) else node.orelse)
            return
        otherwise, end = Label(), Label()
        self.jump_if(node.test, otherwise, when=False)
        self.statements(node.body)
        if node.orelse:
            self.out.jump("JUMP", end)
        self.out.place(otherwise)
        self.statements(node.orelse)
        self.out.place(end)

    def statement_While(self, node: ast.While) -> None:
        # The test stands at the end once more, as in CPython up to 3.13, which polls between it and the body;
        # later ones poll before the test. Both may happen, whatever runs us.
        body, again, test, otherwise, end = Label(), Label(), Label(), Label(), Label()
        self.jump_if(node.test, otherwise, when=False)
        self.out.place(body)
        with self.block(Block(BlockKind.WHILE, exit=end, head=again)):
            self.statements(node.body)
        self.out.place(again)
        self.out.at(node)
        self.out.jump("LOOP", test)
        self.out.place(test)
        self.jump_if(node.test, otherwise, when=False)
        self.out.at(node)
        self.out.jump("LOOP", body)
        self.out.place(otherwise)
        self.statements(node.orelse)
        self.out.place(end)

    def statement_For(self, node: ast.For) -> None:
        head, otherwise, end = Label(), Label(), Label()
        self.expression(node.iter)
        self.out.at(node.iter)
        self.out.emit("GET_ITER")
        self.out.place(head)
        self.out.at(node.iter)
        self.out.jump("FOR_ITER", otherwise)
        with self.block(Block(BlockKind.FOR, exit=end, head=head)):
            self.store(node.target)
            self.statements(node.body)
        self.out.at(node)
        self.out.jump("LOOP", head)
        self.out.place(otherwise)
        self.statements(node.orelse)
        self.out.place(end)

    def statement_Break(self, node: ast.Break) -> None:
        self.leave_loop(node, is_break=True)

    def statement_Continue(self, node: ast.Continue) -> None:
        self.leave_loop(node, is_break=False)

    def leave_loop(self, node: ast.stmt, *, is_break: bool) -> None:
        loop = next(i for i in range(len(self.blocks) - 1, -1, -1) if self.blocks[i].kind in LOOPS)
        with self.unwound(loop + 1, keeps_value=False):
            block = self.blocks[loop]
            assert block.exit is not None
            assert block.head is not None
            self.out.at(node)
            if is_break:
                if block.kind is BlockKind.FOR:
                    self.out.emit("POP_TOP")
                self.out.jump("JUMP", block.exit)
            else:
                self.out.jump("LOOP" if block.kind is BlockKind.FOR else "JUMP", block.head)

    def statement_Return(self, node: ast.Return) -> None:
        constant = (None,) if node.value is None else constant_value(node.value)
        if constant is None:
            assert node.value is not None
            self.expression(node.value)
        with self.unwound(0, keeps_value=constant is None):
            self.out.at(node)
            if constant is not None:
                self.out.constant(constant[0])
            self.out.emit("RETURN_VALUE")

    # --- blocks that must be left with care -----------------------------------------------------------------

    @contextmanager
    def block(self, block: Block) -> Iterator[Block]:
        self.blocks.append(block)
        yield block
        assert self.blocks.pop() is block

    @contextmanager
    def unwound(self, keep: int, *, keeps_value: bool) -> Iterator[None]:
        """Leaves all blocks but the outermost `keep`, for the code inside of this `with`."""
        saved, suspended = self.blocks, []
        self.blocks = list(saved)
        while len(self.blocks) > keep:
            block = self.blocks.pop()
            if block.region is not None and block.region.start is not None:
                self.out.suspend(block.region)
                suspended.append(block.region)
            self.unwind(block, keeps_value=keeps_value)
        yield
        self.blocks = saved
        for region in suspended:
            self.out.resume(region)

    def unwind(self, block: Block, *, keeps_value: bool) -> None:
        def below_value() -> None:
            if keeps_value:
                self.out.emit("SWAP", 2)

        match block.kind:
            case BlockKind.FOR | BlockKind.VALUE:
                below_value()
                self.out.emit("POP_TOP")
            case BlockKind.WITH:
                below_value()
                if block.node is not None:
                    self.out.at(block.node)
                self.call_exit()
            case BlockKind.TRY_FINALLY:
                if keeps_value:
                    with self.block(Block(BlockKind.VALUE)):
                        self.statements(block.final)
                else:
                    self.statements(block.final)
            case BlockKind.HANDLER:
                below_value()
                self.out.emit("POP_EXCEPT")
                if block.name is not None:
                    self.forget(block.name)
            case BlockKind.FINALLY_RAISING:
                below_value()
                self.out.emit("POP_TOP")
                below_value()
                self.out.emit("POP_EXCEPT")
            case BlockKind.WHILE | BlockKind.TRY_EXCEPT:
                pass

    def forget(self, name: str) -> None:
        """The name of an exception is unbound at the end of its handler, even if the handler unbound it."""
        self.out.constant(None)
        self.store_name(name)
        self.delete_name(name)

    def call_exit(self) -> None:
        for _ in range(3):
            self.out.constant(None)
        self.out.emit("CALL", 3)
        self.out.emit("POP_TOP")

    def statement_Try(self, node: ast.Try) -> None:
        if node.finalbody:
            self.try_finally(node)
        else:
            self.try_except(node)

    def try_finally(self, node: ast.Try) -> None:
        raised, end = Label(), Label()
        region = self.out.open_region(raised)
        with self.block(Block(BlockKind.TRY_FINALLY, region=region, final=node.finalbody)):
            if node.handlers:
                self.try_except(node)
            else:
                self.statements(node.body)
        self.out.close_region(region)
        self.statements(node.finalbody)
        self.out.jump("JUMP", end)
        self.out.place(raised)
        self.out.emit("PUSH_EXC_INFO")
        clean_up = Label()
        inner = self.region_below_exception(clean_up)
        with self.block(Block(BlockKind.FINALLY_RAISING, region=inner)):
            self.statements(node.finalbody)
        self.out.close_region(inner)
        self.raise_on(clean_up)
        self.out.place(end)

    def region_below_exception(self, clean_up: Label) -> Region:
        """After PUSH_EXC_INFO: an exception replaces the one on top, which it has as its context."""
        region = self.out.open_region(clean_up)
        region.depth = self.out.depth - 1
        return region

    def raise_on(self, clean_up: Label) -> None:
        """Ends a handler: the stack has the exception handled before, and one that goes on."""
        self.out.place(clean_up)
        self.out.emit("SWAP", 2)
        self.out.emit("POP_EXCEPT")
        self.out.emit("RERAISE")

    def try_except(self, node: ast.Try) -> None:
        raised, clean_up, end = Label(), Label(), Label()
        region = self.out.open_region(raised)
        with self.block(Block(BlockKind.TRY_EXCEPT, region=region, node=node)):
            self.statements(node.body)
        self.out.close_region(region)
        self.statements(node.orelse)
        self.out.jump("JUMP", end)
        self.out.place(raised)
        self.out.at(node)
        self.out.emit("PUSH_EXC_INFO")
        whole = self.region_below_exception(clean_up)
        for handler in node.handlers:
            self.handler(handler, whole, clean_up, end)
        self.out.close_region(whole)
        self.raise_on(clean_up)
        self.out.place(end)

    def handler(self, handler: ast.ExceptHandler, whole: Region, clean_up: Label, end: Label) -> None:
        following = Label()
        self.out.at(handler)
        if handler.type is not None:
            self.expression(handler.type)
            self.out.emit("CHECK_EXC_MATCH")
            self.out.jump("POP_JUMP_IF_FALSE", following)
        if handler.name is None:
            self.out.emit("POP_TOP")
            with self.block(Block(BlockKind.HANDLER, region=whole)):
                self.statements(handler.body)
            self.out.suspend(whole)
            self.out.emit("POP_EXCEPT")
            self.out.jump("JUMP", end)
            self.out.resume(whole)
        else:
            self.store_name(handler.name)
            raised = Label()
            named = self.out.open_region(raised)
            with (
                self.block(Block(BlockKind.HANDLER, region=whole, name=handler.name)),
                # The inner block only marks its region: leaving it suspends that region too.
                self.block(Block(BlockKind.TRY_EXCEPT, region=named)),
            ):
                self.statements(handler.body)
            self.out.close_region(named)
            self.out.suspend(whole)
            self.out.emit("POP_EXCEPT")
            self.forget(handler.name)
            self.out.jump("JUMP", end)
            self.out.resume(whole)
            self.out.place(raised)
            self.forget(handler.name)
            self.out.jump("JUMP", clean_up)
        self.out.place(following)

    def statement_With(self, node: ast.With) -> None:
        self.with_items(node, node.items)

    def with_items(self, node: ast.With, items: Sequence[ast.withitem]) -> None:
        if not items:
            self.statements(node.body)
            return
        item = items[0]
        raised, clean_up, suppressed, end = Label(), Label(), Label(), Label()
        self.expression(item.context_expr)
        self.out.at(item.context_expr)
        self.out.emit("COPY", 1)
        self.out.named("LOAD_SPECIAL", "__enter__")
        self.out.emit("SWAP", 2)
        self.out.named("LOAD_SPECIAL", "__exit__")
        self.out.emit("SWAP", 2)
        self.out.emit("CALL", 0)
        region = self.out.open_region(raised)
        region.depth = self.out.depth - 1
        with self.block(Block(BlockKind.WITH, region=region, node=item.context_expr)):
            if item.optional_vars is None:
                self.out.emit("POP_TOP")
            else:
                self.store(item.optional_vars)
            self.with_items(node, items[1:])
        self.out.close_region(region)
        self.out.at(item.context_expr)
        self.call_exit()
        self.out.jump("JUMP", end)
        self.out.place(raised)
        self.out.emit("PUSH_EXC_INFO")  # the stack: __exit__, handled before, exception
        inner = self.region_below_exception(clean_up)
        self.out.emit("PUSH_EXC_ARGS")
        self.out.emit("BUILD_TUPLE", 3)
        self.out.emit("COPY", 4)
        self.out.emit("SWAP", 2)
        self.out.emit("CALL_EX", 0)
        self.out.jump("POP_JUMP_IF_TRUE", suppressed)
        self.out.close_region(inner)
        self.raise_on(clean_up)
        self.out.place(suppressed)
        self.out.emit("POP_TOP")
        self.out.emit("POP_EXCEPT")
        self.out.emit("POP_TOP")
        self.out.place(end)

    def statement_Match(self, node: ast.Match) -> None:
        end = Label()
        self.expression(node.subject)
        for case in node.cases:
            attempt = Attempt()
            self.out.emit("COPY", 1)
            self.pattern(case.pattern, attempt)
            self.out.at(case.pattern)
            for name in attempt.captured:
                self.store_name(name)
            attempt.captured = []
            if case.guard is not None:
                if not attempt.failures:
                    attempt.failures.append(Label())
                self.jump_if(case.guard, attempt.failures[0], when=False)
            self.out.emit("POP_TOP")
            self.statements(case.body)
            self.out.jump("JUMP", end)
            self.place_failures(attempt)
        self.out.emit("POP_TOP")
        self.out.place(end)

    # --- functions and classes ------------------------------------------------------------------------------

    def statement_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.refuse_type_parameters(node)
        decorators = [item for item in node.decorator_list if not self.context.is_atomic_decorator(item)]
        self.expressions(decorators)
        flags = self.defaults(node.args)
        annotations = annotations_in_order(node)
        keeps = bool(annotations) and self.context.keeps_annotations
        if keeps:
            self.annotations(annotations)
            for depth in range(flags.bit_count() + 1, 1, -1):  # below what MAKE_FUNCTION takes
                self.out.emit("SWAP", depth)
        else:
            for _, annotation in annotations:
                self.evaluate_annotation(annotation)
        self.out.at(node)
        self.make_function(node, self.scope.children[node], flags)
        if keeps:
            self.out.emit("SWAP", 2)
            self.out.emit("COPY", 2)
            self.out.named("STORE_ATTR", "__annotations__")
        self.decorate(decorators)
        self.store_name(node.name)

    def annotations(self, annotations: Sequence[tuple[str, ast.expr]]) -> None:
        """Pushes the tuple of names and values that CPython makes of them."""
        for name, annotation in annotations:
            self.out.constant(self.scope.mangle(name))
            self.annotation(annotation)
        self.out.emit("BUILD_TUPLE", 2 * len(annotations))

    def decorate(self, decorators: Sequence[ast.expr]) -> None:
        for decorator in reversed(decorators):
            self.out.at(decorator)
            self.out.emit("CALL", 1)

    def statement_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        if not self.context.is_lenient:
            raise self.context.unsupported(node, "async functions are not modelled", "use threads")
        self.expressions(node.decorator_list)
        flags = self.defaults(node.args)
        self.make_function(node, self.scope.children[node], flags)
        self.decorate(node.decorator_list)
        self.store_name(node.name)

    def refuse_type_parameters(self, node: ast.stmt) -> None:
        if getattr(node, "type_params", None):
            raise self.context.unsupported(node, "type parameters are not modelled", "use typing.TypeVar")

    def statement_ClassDef(self, node: ast.ClassDef) -> None:
        self.refuse_type_parameters(node)
        self.expressions(node.decorator_list)
        self.out.at(node)
        inner = self.scope.children[node]
        if not self.closure_of(inner):
            self.out.emit("BUILD_TUPLE", 0)
        self.out.constant(self.class_code(node, inner))
        self.out.constant(node.name)
        self.sequence("BUILD_TUPLE", node.bases)
        if node.keywords:
            self.keyword_dict(node.keywords)
        self.out.at(node)
        self.out.emit("BUILD_CLASS", 1 if node.keywords else 0)
        self.decorate(node.decorator_list)
        self.store_name(node.name)

    def class_code(self, node: ast.ClassDef, inner: Scope) -> Code:
        compiler = StatementCompiler(self.context, inner)
        out = compiler.out
        out.at(node)
        out.constant(self.context.module.name)
        out.named("STORE_NAME", "__module__")
        out.constant(inner.qualname)
        out.named("STORE_NAME", "__qualname__")
        if "__annotations__" in inner.bound:
            out.emit("BUILD_MAP", 0)
            out.named("STORE_NAME", "__annotations__")
        documentation = ast.get_docstring(node, clean=False)
        if documentation is not None:
            out.constant(documentation)
            out.named("STORE_NAME", "__doc__")
        compiler.statements(node.body)
        if CLASS_CELL in inner.cells:
            out.emit("LOAD_CLOSURE", compiler.cell_index(CLASS_CELL))
        else:
            out.constant(None)
        out.emit("RETURN_VALUE")
        return compiler.code(first_line=first_line(node))

    def function_code(self, node: ast.AST, inner: Scope) -> Code:
        compiler = StatementCompiler(self.context, inner)
        if isinstance(node, COMPREHENSIONS):
            compiler.comprehension_body(node)
            return compiler.code(first_line=node.lineno)
        assert isinstance(node, FUNCTIONS)
        documentation = None
        is_atomic = is_early = False
        if isinstance(node, ast.Lambda):
            compiler.expression(node.body)
            compiler.out.emit("RETURN_VALUE")
        elif isinstance(node, ast.AsyncFunctionDef):
            compiler.unsupported(node, "async functions are not modelled", "use threads")
        else:
            documentation = ast.get_docstring(node, clean=False)
            is_atomic = any(self.context.is_atomic_decorator(item) for item in node.decorator_list)
            is_early = is_atomic and self.context.is_early(node.decorator_list)
            compiler.statements(node.body)
        compiler.out.constant(None)
        compiler.out.emit("RETURN_VALUE")
        return compiler.code(
            first_line=first_line(node),
            function=node,
            documentation=documentation,
            is_atomic=is_atomic,
            is_early=is_early,
        )

    def comprehension_body(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        out = self.out
        out.at(node)
        build = {ast.ListComp: "BUILD_LIST", ast.SetComp: "BUILD_SET", ast.DictComp: "BUILD_MAP"}.get(
            type(node)
        )
        if build is not None:
            out.emit(build, 0)
        heads = []
        for number, generator in enumerate(node.generators):
            head, following, end = Label(), Label(), Label()
            if number == 0:
                out.emit("LOAD_FAST", self.local_index(FIRST_ITERATOR))
            else:
                self.expression(generator.iter)
                out.at(generator.iter)
                out.emit("GET_ITER")
            out.place(head)
            out.jump("FOR_ITER", end)
            heads.append((head, following, end))
            self.store(generator.target)
            for condition in generator.ifs:
                self.jump_if(condition, following, when=False)
        depth = len(node.generators) + 1
        match node:
            case ast.DictComp():
                self.expression(node.key)
                self.expression(node.value)
                out.emit("MAP_ADD", depth)
            case ast.ListComp():
                self.expression(node.elt)
                out.emit("LIST_APPEND", depth)
            case ast.SetComp():
                self.expression(node.elt)
                out.emit("SET_ADD", depth)
            case ast.GeneratorExp():
                self.expression(node.elt)
                out.emit("YIELD_VALUE")
                out.emit("POP_TOP")
        out.at(node)
        for head, following, end in reversed(heads):
            out.place(following)
            out.jump("LOOP", head)
            out.place(end)
        if build is None:
            out.constant(None)
        out.emit("RETURN_VALUE")

    def code(
        self,
        *,
        first_line: int,
        function: FunctionNode | None = None,
        documentation: str | None = None,
        is_atomic: bool = False,
        is_early: bool = False,
    ) -> Code:
        """What has been collected, as a value."""
        scope, out = self.scope, self.out
        instructions, handlers = out.finish()
        arguments = None if function is None else function.args
        positional = positional_only = keyword_only = 0
        if arguments is not None:
            positional_only = len(arguments.posonlyargs)
            positional = positional_only + len(arguments.args)
            keyword_only = len(arguments.kwonlyargs)
            assert len(parameters_in_order(arguments)) == len(scope.parameters)
        elif scope.kind is Kind.COMPREHENSION:
            positional = 1
        cells = list(scope.cells)
        return Code(
            name=scope.name,
            qualname=scope.qualname,
            module=self.context.module.index,
            first_line=first_line,
            positional=positional,
            positional_only=positional_only,
            keyword_only=keyword_only,
            varargs=arguments is not None and arguments.vararg is not None,
            varkw=arguments is not None and arguments.kwarg is not None,
            generator=scope.is_generator,
            coroutine=isinstance(function, ast.AsyncFunctionDef),
            annotated=function is not None and is_annotated(function) and not self.context.keeps_annotations,
            native=self.context.native_code(scope.qualname, first_line) if function is not None else None,
            atomic=is_atomic,
            early=is_early,
            documentation=documentation,
            local_names=tuple(self.locals),
            cell_names=tuple(cells),
            free_names=tuple(scope.free),
            cell_parameters=tuple(
                (cells.index(name), index)
                for index, name in enumerate(scope.parameters)
                if name in scope.cells
            ),
            names=tuple(out.names),
            constants=tuple(out.constant_values),
            instructions=instructions,
            positions=tuple(out.positions),
            handlers=handlers,
        )

    # --- imports --------------------------------------------------------------------------------------------

    def import_native(self, name: str) -> None:
        self.context.natives[name] = None
        self.out.named("IMPORT_NATIVE", name)

    def push_module(self, node: ast.AST, name: str) -> bool:
        """Imports a module by its full name, its packages first; pushes it. False if that cannot be."""
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            prefix = ".".join(parts[:count])
            found = self.context.imports.find(self.context.module, prefix)
            if self.does_without(found):
                self.context.imports.note(
                    f"the module '{prefix}' is written in C; what was looked at is what a package does "
                    "without it"
                )
                found = replace(found, target=Target.MISSING)
            match found.target:
                case Target.PROGRAM:
                    self.out.emit("IMPORT", found.index)
                case Target.NATIVE:
                    self.import_native(prefix)
                case Target.MISSING if not self.context.is_lenient and not self.is_ready_for_import_error():
                    self.unsupported(
                        node,
                        f"there is no module {prefix!r} here, so nothing is known about the program",
                        "put it beside the program, or catch the ImportError",
                    )
                    return False
                case Target.ACCELERATOR if not self.is_ready_for_import_error():
                    self.out.load_absent(prefix, f"{found.problem}; {found.hint}", found.assumption)
                case Target.MISSING | Target.ACCELERATOR:
                    # One that nobody catches tells nothing about the program: see `is_missing_module`.
                    self.out.named("LOAD_BUILTIN", "ModuleNotFoundError")
                    self.out.constant(f"No module named {prefix!r}")
                    self.out.constant(prefix)
                    self.out.constant(("name",))
                    self.out.emit("CALL_KW", 2)
                    self.out.emit("RAISE", 1)
                    return False
                case Target.ABSENT:
                    self.out.load_absent(prefix, f"{found.problem}; {found.hint}", found.assumption)
                    package, _, last = prefix.rpartition(".")
                    home = self.context.imports.find(self.context.module, package) if package else None
                    if home is not None and home.target is Target.PROGRAM:
                        self.out.emit("COPY", 1)  # as any module, it becomes an attribute of its package
                        self.out.emit("IMPORT", home.index)
                        self.out.named("STORE_ATTR", last)
                case Target.REFUSED:
                    self.unsupported(node, found.problem, found.hint)
                    return False
            if count < len(parts):
                self.out.emit("POP_TOP")
        return True

    def does_without(self, found: Found) -> bool:
        """Whether a package goes on without a module in C, as it does where that was not built."""
        module = self.context.module
        if not found.is_in_c or module.origin is not Origin.PACKAGE:
            return False
        if self.is_ready_for_import_error():
            return True
        return self.scope.kind is Kind.MODULE and self.context.imports.is_optional(module)

    def is_ready_for_import_error(self) -> bool:
        """Whether this stands in a `try` that goes on without the module."""
        return any(
            block.kind is BlockKind.TRY_EXCEPT
            and isinstance(block.node, ast.Try)
            and catches_import_error(block.node)
            for block in self.blocks
        )

    def statement_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if self.push_module(node, alias.name):
                if alias.asname is None and "." in alias.name:
                    self.out.emit("POP_TOP")
                    self.push_module(node, alias.name.partition(".")[0])
                self.store_name(alias.asname or alias.name.partition(".")[0])

    def module_has(self, name: str) -> None:
        """Whether the module on the stack, which stays there, has an attribute."""
        self.out.emit("COPY", 1)
        self.out.named("LOAD_BUILTIN", "hasattr")
        self.out.emit("SWAP", 2)
        self.out.constant(name)
        self.out.emit("CALL", 2)

    def is_absent_part(self, package: str, name: str) -> bool:
        """Whether a package that is compiled has a module of that name which is not."""
        imports, importer = self.context.imports, self.context.module
        inner = imports.find(importer, f"{package}.{name}")
        is_compiled = imports.find(importer, package).target is Target.PROGRAM
        return is_compiled and inner.target is Target.ABSENT and not inner.is_in_c

    def statement_ImportFrom(self, node: ast.ImportFrom) -> None:
        imports, importer = self.context.imports, self.context.module
        name = imports.absolute(importer, node)
        if node.names[0].name == "*":
            found = imports.find(importer, name)
            if found.target is Target.ABSENT:
                self.unsupported(node, found.problem, found.hint)
            elif self.push_module(node, name):
                is_computed = imports.computes_all(importer, name)
                is_bound_later = imports.has_no_list(importer, name)
                for part in imports.starred_names(importer, name):
                    beside, taken = Label(), Label()
                    if is_computed:
                        self.module_has("__all__")
                        unlisted = Label()
                        self.out.jump("POP_JUMP_IF_FALSE", unlisted)
                        self.out.constant(part)
                        self.out.emit("COPY", 2)
                        self.out.named("LOAD_ATTR", "__all__")
                        self.out.emit("COMPARE", COMPARISONS.index("In"))
                        self.out.jump("POP_JUMP_IF_FALSE", beside)
                        self.out.jump("JUMP", taken)
                        self.out.place(unlisted)  # a module that is half made has no list yet
                    if part.startswith("_") and is_computed:
                        self.out.jump("JUMP", beside)
                    elif is_computed or is_bound_later:
                        self.module_has(part)
                        self.out.jump("POP_JUMP_IF_FALSE", beside)
                    self.out.place(taken)
                    self.out.named("IMPORT_FROM", part)
                    self.store_name(part)
                    self.out.place(beside)
                self.out.emit("POP_TOP")
            return
        for alias in node.names:
            inner = imports.find(importer, f"{name}.{alias.name}")
            if inner.is_in_c or imports.is_submodule(importer, name, alias.name):
                if not self.push_module(node, f"{name}.{alias.name}"):
                    return
                self.out.emit("POP_TOP")
            elif imports.may_be_submodule(importer, name, alias.name):
                beside = Label()
                self.out.named("LOAD_BUILTIN", "hasattr")
                if not self.push_module(node, name):
                    return
                self.out.constant(alias.name)
                self.out.emit("CALL", 2)
                self.out.jump("POP_JUMP_IF_TRUE", beside)
                if not self.push_module(node, f"{name}.{alias.name}"):
                    return
                self.out.emit("POP_TOP")
                self.out.place(beside)
        if not self.push_module(node, name):
            return
        for alias in node.names:
            if importer.origin is Origin.LIBRARY and name == "_assay" and alias.name == "atomic":
                continue
            if self.context.is_lenient and alias.name in REFUSED_PARTS.get(name, ()):
                problem = f"'{alias.name}' of the module {name} is not modelled; pass values explicitly"
                self.out.load_absent(f"{name}.{alias.name}", problem, "")
            elif self.is_absent_part(name, alias.name):
                if not self.push_module(node, f"{name}.{alias.name}"):
                    return
            else:
                self.refuse_part(node, alias.name)
                self.out.named("IMPORT_FROM", alias.name)
            self.store_name(alias.asname or alias.name)
        self.out.emit("POP_TOP")


def is_annotated(function: FunctionNode) -> bool:
    if getattr(function, "returns", None) is not None:
        return True
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return any(one is not None and one.annotation is not None for one in every)


def first_line(node: ast.AST) -> int:
    """Of a definition: with its decorators, as CPython counts."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([getattr(node, "lineno", 1), *(item.lineno for item in decorators)])


def module_code(
    context: Context, prelude: Sequence[int], parent: int | None, shutdown: int | None = None
) -> Code:
    """The body of a module.

    `prelude` are modules to import first; `parent` is the package it belongs to; `shutdown` is the module
    whose function `_shutdown` is called at the end, by whatever way but an error the program comes to it.
    """
    module: ModuleSource = context.module
    compiler = StatementCompiler(context, module.scope)
    out = compiler.out
    for index in prelude:
        out.emit("IMPORT", index)
        out.emit("POP_TOP")
    documentation = ast.get_docstring(module.tree, clean=False)
    for name, value in zip(SET_BY_THE_COMPILER, (module.name, module.file, documentation), strict=True):
        out.constant(value)
        out.emit("STORE_GLOBAL", context.global_index(name))
    if module.is_package and module.origin.is_users and context.imports.names_paths:
        out.constant(str(PurePosixPath(module.file).parent))
        out.emit("BUILD_LIST", 1)
        out.emit("STORE_GLOBAL", context.global_index(PATH_OF_PACKAGE))
    if shutdown is None:
        compiler.statements(module.tree.body)
    else:
        body_with_shutdown(compiler, module, shutdown)
    if parent is not None:
        # A module becomes an attribute of its package when its body has run.
        out.emit("IMPORT", module.index)
        out.emit("IMPORT", parent)
        out.named("STORE_ATTR", module.name.rpartition(".")[2])
    out.constant(None)
    out.emit("RETURN_VALUE")
    return compiler.code(first_line=1)


def body_with_shutdown(compiler: StatementCompiler, module: ModuleSource, shutdown: int) -> None:
    """The statements of the program; then, and after SystemExit, the call of `_shutdown`."""
    out = compiler.out

    def call() -> None:
        out.emit("IMPORT", shutdown)
        out.named("LOAD_ATTR", "_shutdown")
        out.emit("CALL", 0)
        out.emit("POP_TOP")

    raised, clean_up, end = Label(), Label(), Label()
    region = out.open_region(raised)
    compiler.statements(module.tree.body)
    out.close_region(region)
    call()
    out.jump("JUMP", end)
    out.place(raised)
    out.emit("PUSH_EXC_INFO")
    handling = compiler.region_below_exception(clean_up)
    out.named("LOAD_BUILTIN", "SystemExit")
    out.emit("CHECK_EXC_MATCH")
    out.jump("POP_JUMP_IF_FALSE", clean_up)
    call()
    out.close_region(handling)
    compiler.raise_on(clean_up)
    out.place(end)
