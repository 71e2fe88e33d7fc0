"""Runs threaded Python by walking its syntax tree; every thread is a generator.

A generator yields wherever another thread may take over. Where that is depends on the granularity:

- `bytecode`: before every access to a variable, attribute or container that another thread can reach, and
  before every operation of a synchronisation object;
- `gil`: where CPython 3.10 and later poll for other threads, namely on entry of a Python function, at the
  end of a loop's body, between the repeated test of a `while` loop and its body (CPython 3.10 to 3.13 test
  again at the end of the body and poll at the jump back), after the call of something built in, and before
  and after each operation of a synchronisation object, which may give up the interpreter lock. What is
  written in Python in CPython (all but Lock and RLock) polls also before it raises;
- `sync`: before every operation of a synchronisation object, and nowhere else.

The end of a thread is a step of its own in all three.

A rule for whoever edits this: `yield` and `yield from` stand alone on the right of an assignment, in a
`return` or as a statement, and never inside a `for` or `with` of this module. Then everything a suspended
generator remembers is in its local variables, and `canonical.py` can compare states by looking at those.
"""

from __future__ import annotations

import ast
import builtins
import operator
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.python.oracle import synchronisation as sync
from tests.python.oracle.scopes import Scope, ScopeReader, parameters_of
from tests.python.oracle.synchronisation import (
    SWITCH,
    Choice,
    Exit,
    Label,
    Pending,
    Steps,
    SynchronisationObject,
    Thread,
)
from tests.python.oracle.values import (
    BoundMethod,
    Class,
    Frame,
    Function,
    Instance,
    Module,
    NativeMethod,
    Raised,
    Super,
    Unsupported,
    holds_only_plain_values,
    is_shared_container,
    iterate,
)

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
IN_PLACE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.iadd,
    ast.Mult: operator.imul,
    ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior,
    ast.BitXor: operator.ixor,
    ast.Sub: operator.isub,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}
CONVERSIONS: dict[int, Callable[[object], str]] = {115: str, 114: repr, 97: ascii}
SPECIAL_METHODS = frozenset({"__init__", "__enter__", "__exit__"})
FUNCTION_NAMES = "len range min max sum abs sorted list dict tuple set str int bool float repr any all divmod"
HOST_FUNCTIONS = {name: getattr(builtins, name) for name in FUNCTION_NAMES.split()}
EXCEPTIONS = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
PRINT, SLEEP, CHOOSE, LABEL, CURRENT_THREAD, ISINSTANCE, OBJECT = (
    "print sleep choose label current isinstance object".split()
)


@dataclass(frozen=True)
class Intrinsic:
    """A function of the language that the interpreter runs itself."""

    name: str


INTRINSICS = {name: Intrinsic(name) for name in (PRINT, SLEEP, CHOOSE, LABEL, CURRENT_THREAD, ISINSTANCE)}
SYNCHRONISATION_TYPES: dict[str, type[SynchronisationObject]] = {
    "Thread": sync.Thread,
    "Lock": sync.Lock,
    "RLock": sync.RLock,
    "Condition": sync.Condition,
    "Semaphore": sync.Semaphore,
    "BoundedSemaphore": sync.BoundedSemaphore,
    "Event": sync.Event,
    "Barrier": sync.Barrier,
}
MODULES = {
    "threading": Module(
        "threading",
        {
            **SYNCHRONISATION_TYPES,
            "current_thread": INTRINSICS[CURRENT_THREAD],
            "BrokenBarrierError": threading.BrokenBarrierError,
        },
    ),
    "queue": Module("queue", {"Queue": sync.Queue, "Empty": queue.Empty, "Full": queue.Full}),
    "time": Module("time", {"sleep": INTRINSICS[SLEEP]}),
    "assay": Module("assay", {"choose": INTRINSICS[CHOOSE], "label": INTRINSICS[LABEL]}),
}


@dataclass(frozen=True)
class Signal:
    """How a block ended, when it did not come to its end."""

    kind: str
    value: Any = None


BREAK, CONTINUE = Signal("break"), Signal("continue")


class TooLong(Exception):
    """One run has more statements than the oracle is willing to execute."""


class UncaughtException(Exception):
    """Nobody in the thread caught it: the run is over when the oracle stops at the first one."""

    def __init__(self, value: BaseException) -> None:
        super().__init__()
        self.value = value


def perform(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """An operation of CPython on values of the program; what it raises, the program raises."""
    try:
        return function(*arguments, **keywords)
    except Exception as problem:
        problem.__traceback__ = None
        problem.__context__ = None
        raise Raised(problem) from None


class Program:
    """A parsed program; one for all runs."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self.scopes = ScopeReader(self.tree).scopes


class Interpreter:
    """One run of a program."""

    def __init__(
        self,
        program: Program,
        granularity: str,
        *,
        goes_on_after_exceptions: bool = False,
        most_statements: int = 20_000,
    ) -> None:
        self.program = program
        self.bytecode = granularity == "bytecode"
        self.gil = granularity == "gil"
        self.goes_on_after_exceptions = goes_on_after_exceptions
        self.statements_left = most_statements
        self.uncaught: list[BaseException] = []
        self.main = Thread(given_name="MainThread", started=True)
        self.threads = [self.main]
        self.module = Frame(program.scopes[program.tree], self.main)
        self.main.steps = self._run_module()

    # Threads

    def _run_module(self) -> Steps:
        try:
            yield from self.block(self.program.tree.body, self.module)
        except Raised as raised:
            self._uncaught(raised.value)
        yield Exit(self.threads)
        self.main.finished = True

    def _run_thread(self, thread: Thread) -> Steps:
        try:
            yield from self._run_target(thread)
        except Raised as raised:
            self._uncaught(raised.value)
        yield SWITCH
        thread.finished = True

    def _run_target(self, thread: Thread) -> Steps:
        if thread.face is not None:
            found, method = thread.face.of.lookup("run")
            if found:
                yield from self.call(BoundMethod(method, thread.face), [], {}, thread)
                return
        if thread.target is not None:
            yield from self.call(thread.target, list(thread.arguments), dict(thread.keywords), thread)

    def _uncaught(self, problem: BaseException) -> None:
        if not isinstance(problem, Exception):
            raise Unsupported(f"{type(problem).__name__} that nobody catches")
        self.uncaught.append(problem)
        if not self.goes_on_after_exceptions:
            raise UncaughtException(problem)

    def start(self, thread: Thread) -> Steps:
        yield SWITCH
        if thread.started:
            raise Raised(RuntimeError("threads can only be started once"))
        thread.started = True
        thread.steps = self._run_thread(thread)
        self.threads.append(thread)

    # Statements

    def block(self, body: list[ast.stmt], frame: Frame) -> Steps:
        index = 0
        while index < len(body):
            signal = yield from self.execute(body[index], frame)
            if signal is not None:
                return signal
            index += 1
        return None

    def execute(self, node: ast.stmt, frame: Frame) -> Steps:
        self.statements_left -= 1
        if self.statements_left < 0:
            raise TooLong
        run = getattr(self, f"execute_{type(node).__name__.lower()}", None)
        if run is None:
            raise Unsupported(f"line {node.lineno}: {type(node).__name__}")
        steps: Steps = run(node, frame)
        return steps

    def execute_expr(self, node: ast.Expr, frame: Frame) -> Steps:
        yield from self.evaluate(node.value, frame)

    def execute_pass(self, node: ast.Pass, frame: Frame) -> Steps:
        yield from ()

    execute_global = execute_nonlocal = execute_pass

    def execute_break(self, node: ast.Break, frame: Frame) -> Steps:
        yield from ()
        return BREAK

    def execute_continue(self, node: ast.Continue, frame: Frame) -> Steps:
        yield from ()
        return CONTINUE

    def execute_return(self, node: ast.Return, frame: Frame) -> Steps:
        value = None
        if node.value is not None:
            value = yield from self.evaluate(node.value, frame)
        return Signal("return", value)

    def execute_import(self, node: ast.Import, frame: Frame) -> Steps:
        index = 0
        while index < len(node.names):
            alias = node.names[index]
            yield from self.store(alias.asname or alias.name, self._imported(alias.name), frame)
            index += 1

    def execute_importfrom(self, node: ast.ImportFrom, frame: Frame) -> Steps:
        module = self._imported(node.module or "")
        index = 0
        while index < len(node.names):
            alias = node.names[index]
            if alias.name not in module.members:
                raise Unsupported(f"{node.module}.{alias.name}")
            yield from self.store(alias.asname or alias.name, module.members[alias.name], frame)
            index += 1

    @staticmethod
    def _imported(name: str) -> Module:
        if name not in MODULES:
            raise Unsupported(f"import {name}")
        return MODULES[name]

    def execute_functiondef(self, node: ast.FunctionDef, frame: Frame) -> Steps:
        if node.decorator_list:
            raise Unsupported(f"line {node.lineno}: a decorator")
        function = yield from self._make_function(node, node.name, frame)
        yield from self.store(node.name, function, frame)

    def _make_function(self, node: ast.FunctionDef | ast.Lambda, name: str, frame: Frame) -> Steps:
        defaults = yield from self.evaluate_all(node.args.defaults, frame)
        keyword_defaults: dict[str, Any] = {}
        index = 0
        while index < len(node.args.kwonlyargs):
            default = node.args.kw_defaults[index]
            if default is not None:
                value = yield from self.evaluate(default, frame)
                keyword_defaults[node.args.kwonlyargs[index].arg] = value
            index += 1
        return Function(node, name, self.program.scopes[node], frame, defaults, keyword_defaults)

    def execute_classdef(self, node: ast.ClassDef, frame: Frame) -> Steps:
        if node.decorator_list or node.keywords or len(node.bases) > 1:
            raise Unsupported(f"line {node.lineno}: this kind of class")
        bases = yield from self.evaluate_all(node.bases, frame)
        base = bases[0] if bases else None
        body = Frame(self.program.scopes[node], frame.thread, frame)
        yield from self.block(node.body, body)
        if isinstance(base, type) and issubclass(base, BaseException):
            if body.variables:
                raise Unsupported(f"line {node.lineno}: an exception with a body")
            yield from self.store(node.name, type(node.name, (base,), {}), frame)
            return
        if not (base is None or isinstance(base, Class) or base is Thread):
            raise Unsupported(f"line {node.lineno}: this base class")
        strange = {n for n in body.variables if n.startswith("__")} - SPECIAL_METHODS
        if strange:
            raise Unsupported(f"line {node.lineno}: {', '.join(sorted(strange))}")
        made = Class(node.name, base, body.variables)
        for member in body.variables.values():
            if isinstance(member, Function) and member.owner is None:
                member.owner = made
        yield from self.store(node.name, made, frame)

    def execute_assign(self, node: ast.Assign, frame: Frame) -> Steps:
        value = yield from self.evaluate(node.value, frame)
        index = 0
        while index < len(node.targets):
            yield from self.assign(node.targets[index], value, frame)
            index += 1

    def execute_annassign(self, node: ast.AnnAssign, frame: Frame) -> Steps:
        if node.value is None or not isinstance(node.target, ast.Name):
            raise Unsupported(f"line {node.lineno}: this annotation")
        value = yield from self.evaluate(node.value, frame)
        yield from self.assign(node.target, value, frame)

    def assign(self, target: ast.expr, value: Any, frame: Frame) -> Steps:
        if isinstance(target, ast.Name):
            yield from self.store(target.id, value, frame)
        elif isinstance(target, ast.Attribute):
            receiver = yield from self.evaluate(target.value, frame)
            yield from self.store_attribute(receiver, target.attr, value)
        elif isinstance(target, ast.Subscript):
            container = yield from self.evaluate(target.value, frame)
            index = yield from self.evaluate(target.slice, frame)
            yield from self.store_item(container, index, value)
        elif isinstance(target, ast.Tuple | ast.List):
            if self.bytecode and is_shared_container(value):
                yield SWITCH
            parts = self._unpacked(target.elts, value)
            place = 0
            while place < len(parts):
                yield from self.assign(target.elts[place], parts[place], frame)
                place += 1
        else:
            raise Unsupported(f"line {target.lineno}: {type(target).__name__} on the left")

    @staticmethod
    def _unpacked(targets: list[ast.expr], value: Any) -> list[Any]:
        if any(isinstance(target, ast.Starred) for target in targets):
            raise Unsupported("a star on the left")
        if not isinstance(value, tuple | list | str | range):
            perform(iter, value)
            raise Unsupported("unpacking this")
        if len(value) < len(targets):
            expected = f"not enough values to unpack (expected {len(targets)}, got {len(value)})"
            raise Raised(ValueError(expected))
        if len(value) > len(targets):
            raise Raised(ValueError(f"too many values to unpack (expected {len(targets)})"))
        return list(value)

    def execute_augassign(self, node: ast.AugAssign, frame: Frame) -> Steps:
        target = node.target
        if isinstance(target, ast.Name):
            old = yield from self.load(target.id, frame)
            new = yield from self._operate_in_place(node, old, frame)
            yield from self.store(target.id, new, frame)
        elif isinstance(target, ast.Attribute):
            receiver = yield from self.evaluate(target.value, frame)
            old = yield from self.load_attribute(receiver, target.attr)
            new = yield from self._operate_in_place(node, old, frame)
            yield from self.store_attribute(receiver, target.attr, new)
        else:
            container = yield from self.evaluate(target.value, frame)
            index = yield from self.evaluate(target.slice, frame)
            old = yield from self.load_item(container, index)
            new = yield from self._operate_in_place(node, old, frame)
            yield from self.store_item(container, index, new)

    def _operate_in_place(self, node: ast.AugAssign, old: Any, frame: Frame) -> Steps:
        right = yield from self.evaluate(node.value, frame)
        if self.bytecode and (is_shared_container(old) or is_shared_container(right)):
            yield SWITCH
        operate = IN_PLACE.get(type(node.op)) or BINARY.get(type(node.op))
        if operate is None:
            raise Unsupported(f"line {node.lineno}: {type(node.op).__name__}")
        return perform(operate, old, right)

    def execute_delete(self, node: ast.Delete, frame: Frame) -> Steps:
        index = 0
        while index < len(node.targets):
            target = node.targets[index]
            if isinstance(target, ast.Name):
                variables, _ = self._home(target.id, frame)
                if self.bytecode:
                    yield SWITCH
                if target.id not in variables:
                    raise Unsupported("deleting a name that is not bound")
                del variables[target.id]
            elif isinstance(target, ast.Subscript):
                container = yield from self.evaluate(target.value, frame)
                key = yield from self.evaluate(target.slice, frame)
                if self.bytecode:
                    yield SWITCH
                perform(operator.delitem, container, key)
            elif isinstance(target, ast.Attribute):
                receiver = yield from self.evaluate(target.value, frame)
                if self.bytecode:
                    yield SWITCH
                if not isinstance(receiver, Instance):
                    raise Unsupported("deleting this attribute")
                if target.attr not in receiver.fields:
                    raise Raised(
                        AttributeError(f"'{receiver.of.name}' object has no attribute '{target.attr}'")
                    )
                del receiver.fields[target.attr]
            else:
                raise Unsupported("deleting this")
            index += 1

    def execute_if(self, node: ast.If, frame: Frame) -> Steps:
        chosen = yield from self.truth(node.test, frame)
        return (yield from self.block(node.body if chosen else node.orelse, frame))

    def execute_while(self, node: ast.While, frame: Frame) -> Steps:
        repeated = False
        while True:
            goes_on = yield from self.truth(node.test, frame)
            if not goes_on:
                return (yield from self.block(node.orelse, frame))
            if self.gil and repeated:
                yield SWITCH  # the jump back comes after the repeated test
            signal = yield from self.block(node.body, frame)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
            if self.gil or self.bytecode:  # with `bytecode` for loops that touch nothing and never end
                yield SWITCH
            repeated = True
            self._count_a_round()

    def execute_for(self, node: ast.For, frame: Frame) -> Steps:
        iterable = yield from self.evaluate(node.iter, frame)
        position = perform(iterate, iterable)
        while True:
            if self.bytecode and position.is_shared:
                yield SWITCH
            found, item = perform(position.advance)
            if not found:
                return (yield from self.block(node.orelse, frame))
            yield from self.assign(node.target, item, frame)
            signal = yield from self.block(node.body, frame)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
            if self.gil:
                yield SWITCH
            self._count_a_round()

    def _count_a_round(self) -> None:
        self.statements_left -= 1
        if self.statements_left < 0:
            raise TooLong

    def execute_assert(self, node: ast.Assert, frame: Frame) -> Steps:
        holds = yield from self.truth(node.test, frame)
        if not holds:
            if node.msg is None:
                raise Raised(AssertionError())
            message = yield from self.evaluate(node.msg, frame)
            raise Raised(AssertionError(message))

    def execute_raise(self, node: ast.Raise, frame: Frame) -> Steps:
        if node.cause is not None:
            raise Unsupported("raise from")
        if node.exc is None:
            if not frame.thread.handling:
                raise Raised(RuntimeError("No active exception to reraise"))
            raise Raised(frame.thread.handling[-1])
        value = yield from self.evaluate(node.exc, frame)
        if isinstance(value, type) and issubclass(value, BaseException):
            value = value()
        if not isinstance(value, BaseException):
            raise Raised(TypeError("exceptions must derive from BaseException"))
        raise Raised(value)

    def execute_try(self, node: ast.Try, frame: Frame) -> Steps:
        problem: BaseException | None = None
        signal = None
        try:
            signal = yield from self.block(node.body, frame)
        except Raised as raised:
            problem = raised.value
        if problem is None and signal is None:
            try:
                signal = yield from self.block(node.orelse, frame)
            except Raised as raised:
                problem = raised.value
        elif problem is not None:
            try:
                signal = yield from self._handle(node, problem, frame)
                problem = None
            except Raised as raised:
                problem = raised.value
        if node.finalbody:
            depth = len(frame.thread.handling)
            if problem is not None:
                frame.thread.handling.append(problem)
            try:
                last = yield from self.block(node.finalbody, frame)
            finally:
                del frame.thread.handling[depth:]
            if last is not None:
                return last
        if problem is not None:
            raise Raised(problem)
        return signal

    def _handle(self, node: ast.Try, problem: BaseException, frame: Frame) -> Steps:
        index = 0
        while index < len(node.handlers):
            handler = node.handlers[index]
            fits = True
            if handler.type is not None:
                kinds = yield from self.evaluate(handler.type, frame)
                fits = self._is_kind_of(problem, kinds)
            if fits:
                break
            index += 1
        else:
            raise Raised(problem)
        if handler.name:
            yield from self.store(handler.name, problem, frame)
        depth = len(frame.thread.handling)
        frame.thread.handling.append(problem)
        try:
            signal = yield from self.block(handler.body, frame)
        finally:
            del frame.thread.handling[depth:]
            if handler.name:
                self._home(handler.name, frame)[0].pop(handler.name, None)
        return signal

    @staticmethod
    def _is_kind_of(problem: BaseException, kinds: Any) -> bool:
        every = kinds if isinstance(kinds, tuple) else (kinds,)
        if not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in every):
            raise Unsupported("catching this")
        return isinstance(problem, every)

    def execute_with(self, node: ast.With, frame: Frame) -> Steps:
        return (yield from self._with(node, 0, frame))

    def _with(self, node: ast.With, index: int, frame: Frame) -> Steps:
        if index == len(node.items):
            return (yield from self.block(node.body, frame))
        manager = yield from self.evaluate(node.items[index].context_expr, frame)
        value = yield from self._enter(manager, frame)
        names = node.items[index].optional_vars
        problem: BaseException | None = None
        signal = None
        try:
            if names is not None:
                yield from self.assign(names, value, frame)
            signal = yield from self._with(node, index + 1, frame)
        except Raised as raised:
            problem = raised.value
        swallowed = yield from self._leave(manager, problem, frame)
        if problem is not None and not swallowed:
            raise Raised(problem)
        return signal

    def _enter(self, manager: Any, frame: Frame) -> Steps:
        if isinstance(manager, sync.Lock | sync.Condition | sync.Semaphore):
            return (yield from self._synchronise(manager, "acquire", [], {}, frame.thread))
        if isinstance(manager, Instance):
            method = yield from self.load_attribute(manager, "__enter__")
            return (yield from self.call(method, [], {}, frame.thread))
        raise Unsupported("with this")

    def _leave(self, manager: Any, problem: BaseException | None, frame: Frame) -> Steps:
        if isinstance(manager, SynchronisationObject):
            yield from self._synchronise(manager, "release", [], {}, frame.thread)
            return False
        method = yield from self.load_attribute(manager, "__exit__")
        arguments = [None, None, None] if problem is None else [type(problem), problem, None]
        answer = yield from self.call(method, arguments, {}, frame.thread)
        return bool(answer)

    # Names, attributes, items

    def _home(self, name: str, frame: Frame) -> tuple[dict[str, Any], Scope]:
        """The variables a name lives among, and their scope."""
        owner = frame.scope.owner_of(name)
        at: Frame | None = frame
        while at is not None and at.scope is not owner:
            at = at.outer
        if at is None:
            at = self.module
        return at.variables, at.scope

    def load(self, name: str, frame: Frame) -> Steps:
        variables, scope = self._home(name, frame)
        if scope.kind == "class" and name not in variables:
            variables, scope = self.module.variables, self.module.scope
        if self.bytecode and self._may_change(name, scope, variables):
            yield SWITCH
        if name in variables:
            return variables[name]
        if scope.kind == "module":
            return self._built_in(name)
        if scope is not frame.scope:
            message = f"cannot access free variable '{name}' where it is not associated with a value"
            raise Raised(NameError(message + " in enclosing scope"))
        message = f"cannot access local variable '{name}' where it is not associated with a value"
        raise Raised(UnboundLocalError(message))

    @staticmethod
    def _may_change(name: str, scope: Scope, variables: dict[str, Any]) -> bool:
        if not scope.bindings[name]:
            return False  # built in
        if name not in scope.captured:
            return False  # private to the thread that runs this
        return not (scope.is_bound_once(name) and name in variables)

    def _built_in(self, name: str) -> Any:
        found: Any = INTRINSICS.get(name) if name in {PRINT, ISINSTANCE} else None
        found = found or HOST_FUNCTIONS.get(name) or EXCEPTIONS.get(name)
        if found is not None:
            return found
        if name == "__name__":
            return "__main__"
        if name == "object":
            return None
        if hasattr(builtins, name):
            raise Unsupported(f"the built-in {name}")
        raise Raised(NameError(f"name '{name}' is not defined"))

    def store(self, name: str, value: Any, frame: Frame) -> Steps:
        variables, scope = self._home(name, frame)
        if self.bytecode and name in scope.captured:
            yield SWITCH
        variables[name] = value

    def load_attribute(self, receiver: Any, name: str) -> Steps:
        if self.bytecode and isinstance(receiver, Instance | Class | Super):
            yield SWITCH
        if isinstance(receiver, Instance):
            if name in receiver.fields:
                return receiver.fields[name]
            found, value = receiver.of.lookup(name)
            if found:
                return BoundMethod(value, receiver) if isinstance(value, Function) else value
            if receiver.thread is not None:
                receiver = receiver.thread
            elif name.startswith("__"):
                raise Unsupported(name)
            else:
                raise Raised(AttributeError(f"'{receiver.of.name}' object has no attribute '{name}'"))
        if isinstance(receiver, Class):
            found, value = receiver.lookup(name)
            if found:
                return value
            raise Raised(AttributeError(f"type object '{receiver.name}' has no attribute '{name}'"))
        if isinstance(receiver, Super):
            return self._above(receiver, name)
        if isinstance(receiver, Module):
            if name not in receiver.members:
                raise Unsupported(f"{receiver.name}.{name}")
            return receiver.members[name]
        if isinstance(receiver, SynchronisationObject):
            if name in receiver.attributes:
                if self.bytecode:
                    yield SWITCH
                return getattr(receiver, name)
            if name in receiver.methods:
                return NativeMethod(receiver, name)
            raise Unsupported(f"{type(receiver).__name__}.{name}")
        if isinstance(receiver, BaseException) and name == "args":
            return receiver.args
        if type(receiver) in {list, dict, set, str, tuple, int} and not name.startswith("_"):
            perform(getattr, receiver, name)
            return NativeMethod(receiver, name)
        raise Unsupported(f"attribute {name} of a {type(receiver).__name__}")

    @staticmethod
    def _above(seen: Super, name: str) -> Any:
        if isinstance(seen.above, Class):
            found, value = seen.above.lookup(name)
            if found:
                return BoundMethod(value, seen.receiver) if isinstance(value, Function) else value
        return NativeMethod(seen, name)

    def store_attribute(self, receiver: Any, name: str, value: Any) -> Steps:
        if self.bytecode:
            yield SWITCH
        if isinstance(receiver, Instance) and not (receiver.thread and name in {"name", "daemon"}):
            receiver.fields[name] = value
        elif isinstance(receiver, Class):
            receiver.namespace[name] = value
        elif isinstance(receiver, Instance | Thread):
            thread = receiver if isinstance(receiver, Thread) else receiver.thread
            assert thread is not None
            if name == "daemon" and not thread.started:
                thread.daemon = bool(value)
            elif name == "name":
                thread.given_name = str(value)
            else:
                raise Unsupported(f"setting {name} of a thread")
        else:
            raise Unsupported(f"setting {name} of a {type(receiver).__name__}")

    def load_item(self, container: Any, index: Any) -> Steps:
        if self.bytecode and is_shared_container(container):
            yield SWITCH
        if not isinstance(container, list | dict | tuple | str | range):
            raise Unsupported("an item of this")
        return perform(operator.getitem, container, index)

    def store_item(self, container: Any, index: Any, value: Any) -> Steps:
        if self.bytecode and is_shared_container(container):
            yield SWITCH
        perform(operator.setitem, container, index, value)

    # Expressions

    def evaluate(self, node: ast.expr, frame: Frame) -> Steps:
        run = getattr(self, f"evaluate_{type(node).__name__.lower()}", None)
        if run is None:
            raise Unsupported(f"line {node.lineno}: {type(node).__name__}")
        steps: Steps = run(node, frame)
        return steps

    def evaluate_all(self, nodes: list[ast.expr], frame: Frame) -> Steps:
        values: list[Any] = []
        while len(values) < len(nodes):
            value = yield from self.evaluate(nodes[len(values)], frame)
            values.append(value)
        return values

    def truth(self, node: ast.expr, frame: Frame) -> Steps:
        value = yield from self.evaluate(node, frame)
        return (yield from self.is_true(value))

    def is_true(self, value: Any) -> Steps:
        if self.bytecode and isinstance(value, list | dict | set):
            yield SWITCH
        if isinstance(
            value, SynchronisationObject | Instance | Function | Class | BoundMethod | NativeMethod
        ):
            return True
        return perform(bool, value)

    def evaluate_constant(self, node: ast.Constant, frame: Frame) -> Steps:
        yield from ()
        return node.value

    def evaluate_name(self, node: ast.Name, frame: Frame) -> Steps:
        return self.load(node.id, frame)

    def evaluate_attribute(self, node: ast.Attribute, frame: Frame) -> Steps:
        receiver = yield from self.evaluate(node.value, frame)
        return (yield from self.load_attribute(receiver, node.attr))

    def evaluate_subscript(self, node: ast.Subscript, frame: Frame) -> Steps:
        container = yield from self.evaluate(node.value, frame)
        index = yield from self.evaluate(node.slice, frame)
        return (yield from self.load_item(container, index))

    def evaluate_slice(self, node: ast.Slice, frame: Frame) -> Steps:
        parts: list[Any] = []
        while len(parts) < 3:
            part = (node.lower, node.upper, node.step)[len(parts)]
            value = None
            if part is not None:
                value = yield from self.evaluate(part, frame)
            parts.append(value)
        return slice(*parts)

    def evaluate_tuple(self, node: ast.Tuple, frame: Frame) -> Steps:
        values = yield from self.evaluate_all(node.elts, frame)
        return tuple(values)

    def evaluate_list(self, node: ast.List, frame: Frame) -> Steps:
        values = yield from self.evaluate_all(node.elts, frame)
        return list(values)

    def evaluate_set(self, node: ast.Set, frame: Frame) -> Steps:
        values = yield from self.evaluate_all(node.elts, frame)
        return perform(set, values)

    def evaluate_dict(self, node: ast.Dict, frame: Frame) -> Steps:
        made: dict[Any, Any] = {}
        index = 0
        while index < len(node.values):
            key_node = node.keys[index]
            if key_node is None:
                raise Unsupported("** in a dictionary")
            key = yield from self.evaluate(key_node, frame)
            value = yield from self.evaluate(node.values[index], frame)
            perform(operator.setitem, made, key, value)
            index += 1
        return made

    def evaluate_listcomp(self, node: ast.ListComp, frame: Frame) -> Steps:
        if len(node.generators) != 1 or node.generators[0].is_async:
            raise Unsupported("this comprehension")
        generator = node.generators[0]
        iterable = yield from self.evaluate(generator.iter, frame)
        position = perform(iterate, iterable)
        inside = Frame(self.program.scopes[node], frame.thread, frame, {}, frame.function)
        if self.gil:
            yield SWITCH
        made: list[Any] = []
        while True:
            if self.bytecode and position.is_shared:
                yield SWITCH
            found, item = perform(position.advance)
            if not found:
                return made
            yield from self.assign(generator.target, item, inside)
            index = 0
            wanted = True
            while wanted and index < len(generator.ifs):
                wanted = yield from self.truth(generator.ifs[index], inside)
                index += 1
            if wanted:
                value = yield from self.evaluate(node.elt, inside)
                made.append(value)
            if self.gil:
                yield SWITCH
            self._count_a_round()

    def evaluate_boolop(self, node: ast.BoolOp, frame: Frame) -> Steps:
        stops_at = isinstance(node.op, ast.Or)
        index = 0
        while True:
            value = yield from self.evaluate(node.values[index], frame)
            index += 1
            if index == len(node.values):
                return value
            decided = yield from self.is_true(value)
            if decided == stops_at:
                return value

    def evaluate_binop(self, node: ast.BinOp, frame: Frame) -> Steps:
        left = yield from self.evaluate(node.left, frame)
        right = yield from self.evaluate(node.right, frame)
        if self.bytecode and (is_shared_container(left) or is_shared_container(right)):
            yield SWITCH
        if type(node.op) not in BINARY:
            raise Unsupported(f"line {node.lineno}: {type(node.op).__name__}")
        return perform(BINARY[type(node.op)], left, right)

    def evaluate_unaryop(self, node: ast.UnaryOp, frame: Frame) -> Steps:
        value = yield from self.evaluate(node.operand, frame)
        if isinstance(node.op, ast.Not):
            truth = yield from self.is_true(value)
            return not truth
        return perform(UNARY[type(node.op)], value)

    def evaluate_compare(self, node: ast.Compare, frame: Frame) -> Steps:
        left = yield from self.evaluate(node.left, frame)
        index = 0
        while True:
            right = yield from self.evaluate(node.comparators[index], frame)
            kind = type(node.ops[index])
            looks_inside = kind not in {ast.Is, ast.IsNot}
            if self.bytecode and looks_inside and (is_shared_container(left) or is_shared_container(right)):
                yield SWITCH
            answer = perform(COMPARE[kind], left, right)
            index += 1
            if index == len(node.ops) or not answer:
                return answer
            left = right

    def evaluate_ifexp(self, node: ast.IfExp, frame: Frame) -> Steps:
        chosen = yield from self.truth(node.test, frame)
        return (yield from self.evaluate(node.body if chosen else node.orelse, frame))

    def evaluate_lambda(self, node: ast.Lambda, frame: Frame) -> Steps:
        return (yield from self._make_function(node, "<lambda>", frame))

    def evaluate_joinedstr(self, node: ast.JoinedStr, frame: Frame) -> Steps:
        parts = yield from self.evaluate_all(node.values, frame)
        return "".join(parts)

    def evaluate_formattedvalue(self, node: ast.FormattedValue, frame: Frame) -> Steps:
        value = yield from self.evaluate(node.value, frame)
        specification = ""
        if node.format_spec is not None:
            specification = yield from self.evaluate(node.format_spec, frame)
        if self.bytecode and is_shared_container(value):
            yield SWITCH
        convert = CONVERSIONS.get(node.conversion)
        return perform(format, perform(convert, value) if convert else value, specification)

    # Calls

    def evaluate_call(self, node: ast.Call, frame: Frame) -> Steps:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            return self._super(frame)
        function = yield from self.evaluate(node.func, frame)
        arguments: list[Any] = []
        index = 0
        while index < len(node.args):
            argument = node.args[index]
            if isinstance(argument, ast.Starred):
                several = yield from self.evaluate(argument.value, frame)
                if not isinstance(several, list | tuple):
                    raise Unsupported("this after a star")
                if self.bytecode and is_shared_container(several):
                    yield SWITCH
                arguments.extend(several)
            else:
                value = yield from self.evaluate(argument, frame)
                arguments.append(value)
            index += 1
        keywords: dict[str, Any] = {}
        index = 0
        while index < len(node.keywords):
            keyword = node.keywords[index]
            if keyword.arg is None:
                raise Unsupported("** in a call")
            value = yield from self.evaluate(keyword.value, frame)
            keywords[keyword.arg] = value
            index += 1
        return (yield from self.call(function, arguments, keywords, frame.thread))

    @staticmethod
    def _super(frame: Frame) -> Super:
        function = frame.function
        if function is None or function.owner is None:
            raise Unsupported("super() outside a method")
        receiver = frame.variables[parameters_of(function.node.args)[0]]
        return Super(function.owner.base, receiver)

    def call(self, function: Any, arguments: list[Any], keywords: dict[str, Any], thread: Thread) -> Steps:
        if isinstance(function, Function):
            return self._call_function(function, arguments, keywords, thread)
        if isinstance(function, BoundMethod):
            return self._call_function(function.function, [function.receiver, *arguments], keywords, thread)
        return self._call_built_in(function, arguments, keywords, thread)

    def _call_function(
        self, function: Function, arguments: list[Any], keywords: dict[str, Any], thread: Thread
    ) -> Steps:
        variables = self._bound_arguments(function, arguments, keywords)
        frame = Frame(function.scope, thread, function.outer, variables, function)
        self._count_a_round()
        if self.gil:
            yield SWITCH
        if isinstance(function.node, ast.Lambda):
            return (yield from self.evaluate(function.node.body, frame))
        signal = yield from self.block(function.node.body, frame)
        return signal.value if signal is not None else None

    @staticmethod
    def _bound_arguments(function: Function, given: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        arguments = function.node.args
        positional = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]]
        bound = dict(zip(positional, given, strict=False))
        if arguments.vararg:
            bound[arguments.vararg.arg] = tuple(given[len(positional) :])
        elif len(given) > len(positional):
            raise Unsupported(f"too many arguments for {function.name}")
        allowed = {argument.arg for argument in [*arguments.args, *arguments.kwonlyargs]}
        if arguments.kwarg or keywords.keys() - allowed or keywords.keys() & bound.keys():
            raise Unsupported(f"these keyword arguments for {function.name}")
        bound.update(keywords)
        defaults = dict(zip(reversed(positional), reversed(function.defaults), strict=False))
        for name, value in [*defaults.items(), *function.keyword_defaults.items()]:
            bound.setdefault(name, value)
        if set(parameters_of(arguments)) - bound.keys():
            raise Unsupported(f"too few arguments for {function.name}")
        return bound

    def _call_built_in(
        self, function: Any, arguments: list[Any], keywords: dict[str, Any], thread: Thread
    ) -> Steps:
        if isinstance(function, NativeMethod) and isinstance(function.receiver, SynchronisationObject):
            return (
                yield from self._synchronise(function.receiver, function.name, arguments, keywords, thread)
            )
        if isinstance(function, Class):
            value = yield from self._instantiate(function, arguments, keywords, thread)
        elif isinstance(function, Intrinsic):
            value = yield from self._intrinsic(function.name, arguments, keywords, thread)
        elif isinstance(function, type) and issubclass(function, SynchronisationObject):
            value = self._make(function, arguments, keywords, thread)
        elif isinstance(function, NativeMethod) and isinstance(function.receiver, Super):
            self._initialise_above(function, arguments, keywords)
            value = None
        elif isinstance(function, NativeMethod):
            if self.bytecode and (
                is_shared_container(function.receiver) or any(map(is_shared_container, arguments))
            ):
                yield SWITCH
            value = self._native_call(getattr(function.receiver, function.name), arguments, keywords)
        elif function in HOST_FUNCTIONS.values() or self._is_exception_type(function):
            if self.bytecode and any(map(is_shared_container, arguments)):
                yield SWITCH
            value = self._native_call(function, arguments, keywords)
        else:
            raise Unsupported("calling this")
        if self.gil:
            yield SWITCH
        return value

    @staticmethod
    def _is_exception_type(value: Any) -> bool:
        return isinstance(value, type) and issubclass(value, BaseException)

    @staticmethod
    def _native_call(function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if "key" in keywords or any(isinstance(value, Function | BoundMethod) for value in arguments):
            raise Unsupported("a function that calls back")
        return perform(function, *arguments, **keywords)

    def _synchronise(
        self,
        target: SynchronisationObject,
        name: str,
        arguments: list[Any],
        keywords: dict[str, Any],
        thread: Thread,
    ) -> Steps:
        problem: Raised | None = None
        value = None
        try:
            if isinstance(target, Thread) and name == "start":
                yield from self.start(target)
            elif isinstance(target, Thread) and name == "run":
                yield from self._run_target(target)
            elif name == "wait_for":
                value = yield from self._wait_for(target, thread, *arguments, **keywords)
            else:
                value = yield from target.call(name, thread, arguments, keywords)
        except Raised as raised:
            problem = raised
        if self.gil and (problem is None or target.written_in_python):
            yield SWITCH
        if problem is not None:
            raise problem
        return value

    def _wait_for(
        self, target: SynchronisationObject, thread: Thread, predicate: Any, timeout: float | None = None
    ) -> Steps:
        expired = False
        while True:
            result = yield from self.call(predicate, [], {}, thread)
            done = yield from self.is_true(result)
            if done or expired:
                return result
            arguments = [] if timeout is None else [timeout]
            notified = yield from target.call("wait", thread, arguments, {})
            expired = not notified
            self._count_a_round()

    def _instantiate(
        self, made: Class, arguments: list[Any], keywords: dict[str, Any], thread: Thread
    ) -> Steps:
        instance = Instance(made)
        if made.native_base() is Thread:
            instance.thread = self._make(Thread, [], {}, thread)
            instance.thread.face = instance
        found, initialise = made.lookup("__init__")
        if found:
            yield from self.call(BoundMethod(initialise, instance), arguments, keywords, thread)
        elif instance.thread is not None:
            self._initialise_above(NativeMethod(Super(Thread, instance), "__init__"), arguments, keywords)
        elif arguments or keywords:
            raise Raised(TypeError(f"{made.name}() takes no arguments"))
        return instance

    def _initialise_above(
        self, function: NativeMethod, arguments: list[Any], keywords: dict[str, Any]
    ) -> None:
        thread = function.receiver.receiver.thread
        if function.name != "__init__":
            raise Unsupported(f"super().{function.name}")
        if thread is None:
            if arguments or keywords:
                raise Unsupported("arguments for object()")
            return
        self._initialise_thread(thread, arguments, keywords)

    @staticmethod
    def _initialise_thread(thread: Thread, arguments: list[Any], keywords: dict[str, Any]) -> None:
        if arguments or keywords.keys() - {"target", "args", "kwargs", "name", "daemon"}:
            raise Unsupported("these arguments for Thread")
        thread.target = keywords.get("target")
        thread.arguments = tuple(keywords.get("args", ()))
        thread.keywords = dict(keywords.get("kwargs") or {})
        thread.given_name = keywords.get("name")
        if keywords.get("daemon") is not None:
            thread.daemon = bool(keywords["daemon"])

    def _make(
        self,
        kind: type[SynchronisationObject],
        arguments: list[Any],
        keywords: dict[str, Any],
        creator: Thread,
    ) -> Any:
        if kind is Thread:
            thread = Thread(path=(*creator.path, creator.children), daemon=creator.daemon)
            creator.children += 1
            self._initialise_thread(thread, arguments, keywords)
            return thread
        if kind is sync.Condition:
            lock = arguments[0] if arguments else keywords.get("lock")
            return sync.Condition() if lock is None else sync.Condition(lock)
        wanted = {"Semaphore": "value", "BoundedSemaphore": "value", "Barrier": "parties", "Queue": "maxsize"}
        parameter = wanted.get(kind.__name__)
        if parameter is None and (arguments or keywords):
            raise Unsupported(f"arguments for {kind.__name__}")
        if len(arguments) > 1 or keywords.keys() - {parameter}:
            raise Unsupported(f"these arguments for {kind.__name__}")
        return perform(kind, *arguments, **keywords)

    def _intrinsic(self, name: str, arguments: list[Any], keywords: dict[str, Any], thread: Thread) -> Steps:
        if name == ISINSTANCE:
            value, kinds = arguments
            every = kinds if isinstance(kinds, tuple) else (kinds,)
            return any(self._is_instance(value, kind) for kind in every)
        if name == SLEEP:
            yield SWITCH
            return None
        if name == LABEL:
            yield Label(arguments[0])
            return None
        if name == CURRENT_THREAD:
            return thread.face or thread
        if name == CHOOSE:
            options = arguments
            if len(options) == 1:  # one iterable stands for its elements
                if not isinstance(arguments[0], list | tuple | range):
                    raise Unsupported("choosing among the elements of this")
                options = list(arguments[0])
            if not options:
                raise Unsupported("choose among nothing")
            chosen = yield Choice(len(options))
            return options[int(chosen)]
        if keywords.keys() - {"sep", "end", "flush"} or keywords.get("end", "\n") != "\n":
            raise Unsupported("print with these arguments")
        if self.bytecode and any(map(is_shared_container, arguments)):
            yield SWITCH
        if not holds_only_plain_values(arguments):
            raise Unsupported("printing an object")
        separator = keywords.get("sep", " ")
        thread.lines.append(separator.join(perform(str, argument) for argument in arguments))
        return None

    @staticmethod
    def _is_instance(value: Any, kind: Any) -> bool:
        if isinstance(kind, Class):
            return isinstance(value, Instance) and value.of.descends_from(kind)
        if isinstance(kind, type) and (kind in HOST_FUNCTIONS.values() or issubclass(kind, BaseException)):
            return isinstance(value, kind)
        raise Unsupported("isinstance with this")


__all__ = ["Interpreter", "Pending", "Program", "TooLong", "UncaughtException"]
