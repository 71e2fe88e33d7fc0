"""The instruction set of the Python machine, in plain Python: one method for each operation.

Runs a compiled program with one thread (docs/python/machine.md). It is the readable reference of what the
operations mean and the compiler's test oracle; states cannot be captured here, so calls of the program's
functions may simply recurse. Functions, generators, cells and modules of the program are CPython's own.
"""

# ruff: noqa: N802, N815 -- methods are named after operations

import builtins
import contextlib
import importlib
import io
import operator
import sys
import threading
import traceback
import types
from dataclasses import dataclass, field

from assay.languages.python.code import OPERATIONS, Code, Program
from assay.languages.python.helpers import HELPERS
from tests.python.library_stand_in import TRACEBACK, own_attribute

MOST_FRAMES = 950
OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, pow,
    operator.lshift, operator.rshift, operator.or_, operator.xor, operator.and_, operator.matmul,
]  # fmt: skip
INPLACE = [
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod,
    operator.ipow,
    operator.ilshift, operator.irshift, operator.ior, operator.ixor, operator.iand, operator.imatmul,
]  # fmt: skip
COMPARISONS = [
    operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge,
    lambda a, b: a in b, lambda a, b: a not in b, operator.is_, operator.is_not,
]  # fmt: skip
UNARY = [operator.neg, operator.pos, operator.invert, operator.not_]
CONVERSIONS = [None, str, repr, ascii]
UNSET = object()
ENTER = "__enter_the_plain_machine__"  # no parameter is called so


class Unsupported(BaseException):
    """FAIL was reached; no program can catch it."""


@dataclass(eq=False)
class Frame:
    code: Code
    cells: list = field(default_factory=list)
    locals: list = field(default_factory=list)
    stack: list = field(default_factory=list)
    names: dict | None = None  # of a class body
    pc: int = 0
    handled: BaseException | None = None
    delegates: bool = False  # waits at YIELD_FROM

    def take(self, count):
        """Pops values; the first one was the deepest."""
        if count == 0:
            return []
        values = self.stack[-count:]
        del self.stack[-count:]
        return values


class Yielded(Exception):
    """Leaves `run` of a generator's frame; never seen by programs."""


class PlainMachine:
    def __init__(self, program: Program):
        self.program = program
        self.modules = [types.ModuleType(module.name) for module in program.modules]
        for module in self.modules:
            for name in list(vars(module)):
                delattr(module, name)
        self.started = [False] * len(self.modules)
        self.frames: list[Frame] = []
        self.in_flight: BaseException | None = None  # its context is set already
        self.templates: dict[int, types.CodeType] = {}
        self.operations = [getattr(self, f"op_{name}") for name in OPERATIONS]
        self.machine_module = single_threaded_assay()

    def run_program(self):
        self.op_IMPORT(Frame(self.program.modules[0].code), 0)

    # --- frames ---------------------------------------------------------------------------------------------

    def enter(self, code, values, closure, names=None):
        """A frame at its first instruction; `values` are those of the parameters."""
        frame = Frame(code, names=names)
        frame.locals = [*values, *[UNSET] * (len(code.local_names) - len(values))]
        frame.cells = [types.CellType() for _ in code.cell_names] + list(closure)
        for cell, local in code.cell_parameters:
            frame.cells[cell].cell_contents = frame.locals[local]
            frame.locals[local] = UNSET
        return frame

    def run(self, frame, thrown=None):
        """Executes a frame until it returns; a generator's frame also ends with Yielded."""
        if len(self.frames) > MOST_FRAMES:
            raise RecursionError("maximum recursion depth exceeded")
        self.frames.append(frame)
        instructions = frame.code.instructions
        try:
            while True:
                try:
                    if thrown is not None:
                        error, thrown = thrown, None
                        self.throw_into(frame, error)
                    instruction = instructions[frame.pc]
                    frame.pc += 1
                    if instruction & 255 == RETURN_VALUE:
                        return frame.stack.pop()
                    self.operations[instruction & 255](frame, instruction >> 8)
                    continue
                except (Yielded, Unsupported):
                    raise
                except BaseException as raised:
                    problem = raised
                if not self.handle(frame, problem):
                    raise problem
        finally:
            self.frames.pop()

    def throw_into(self, frame, error):
        """An exception arrives where a generator waits: in the one it delegates to, or here."""
        if not frame.delegates:
            raise error
        frame.delegates = False
        iterator = frame.stack[-1]
        frame.pc += 1  # as if YIELD_FROM had been executed
        if isinstance(error, GeneratorExit):
            if hasattr(iterator, "close"):
                iterator.close()
            raise error
        if not hasattr(iterator, "throw"):
            raise error
        try:
            value = iterator.throw(error)
        except StopIteration as stop:
            frame.stack[-1] = stop.value
            return
        self.delegate(frame, value)

    def delegate(self, frame, value):
        """Hands out what an inner generator yielded, and stays at YIELD_FROM."""
        frame.pc -= 1
        frame.delegates = True
        raise Yielded(value)

    def handle(self, frame, problem):
        """Goes to the innermost handler, if there is one."""
        if problem is not self.in_flight:
            self.set_context(problem)
            self.in_flight = problem
        problem.__traceback__ = None
        at = frame.pc - 1
        for start, end, target, depth in frame.code.handlers:
            if start <= at < end:
                del frame.stack[depth:]
                assert len(frame.stack) == depth
                frame.stack.append(problem)
                frame.pc = target
                self.in_flight = None
                return True
        return False

    def being_handled(self):
        return next((frame.handled for frame in reversed(self.frames) if frame.handled is not None), None)

    def set_context(self, problem):
        handled = self.being_handled()
        if handled is None or handled is problem or problem.__context__ is not None:
            return
        link = handled
        while link.__context__ is not None:  # no cycles
            if link.__context__ is problem:
                link.__context__ = None
                break
            link = link.__context__
        problem.__context__ = handled

    # --- functions ------------------------------------------------------------------------------------------

    def make_function(self, code, defaults, keyword_defaults, closure):
        """A function of CPython with the right signature, which hands its arguments to `run`."""
        if id(code) not in self.templates:
            self.templates[id(code)] = template_of(code)

        def enter(*values):
            frame = self.enter(code, values, closure)
            return self.generate(frame) if code.generator else self.run(frame)

        namespace = {ENTER: enter, "__name__": self.program.modules[code.module].name}
        function = types.FunctionType(self.templates[id(code)], namespace, code.name, defaults)
        function.__kwdefaults__ = keyword_defaults
        function.__qualname__ = code.qualname
        function.__doc__ = code.documentation
        return function

    def generate(self, frame):
        iterator = self.generator_of(frame)
        iterator.__name__, iterator.__qualname__ = frame.code.name, frame.code.qualname
        return iterator

    def generator_of(self, frame):
        thrown = None
        while True:
            try:
                value = self.run(frame, thrown)
            except Yielded as yielded:
                value = yielded.args[0]
            else:
                return value
            thrown = None
            try:
                frame.stack.append((yield value))
            except BaseException as problem:
                thrown = problem
                thrown.__context__ = None

    # --- operations, in the order of the documentation ------------------------------------------------------

    def op_NOP(self, frame, operand):
        pass

    def op_LOAD_CONST(self, frame, constant):
        frame.stack.append(frame.code.constants[constant])

    def op_LOAD_FAST(self, frame, local):
        value = frame.locals[local]
        if value is UNSET:
            self.unbound(frame.code.local_names[local])
        frame.stack.append(value)

    def op_STORE_FAST(self, frame, local):
        frame.locals[local] = frame.stack.pop()

    def op_DELETE_FAST(self, frame, local):
        if frame.locals[local] is UNSET:
            self.unbound(frame.code.local_names[local])
        frame.locals[local] = UNSET

    def unbound(self, name):
        raise UnboundLocalError(
            f"cannot access local variable '{name}' where it is not associated with a value"
        )

    def op_LOAD_DEREF(self, frame, cell):
        try:
            frame.stack.append(frame.cells[cell].cell_contents)
        except ValueError:
            self.empty_cell(frame, cell)

    def empty_cell(self, frame, cell):
        own = len(frame.code.cell_names)
        if cell < own:
            self.unbound(frame.code.cell_names[cell])
        name = frame.code.free_names[cell - own]
        raise NameError(
            f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
        ) from None

    def op_STORE_DEREF(self, frame, cell):
        frame.cells[cell].cell_contents = frame.stack.pop()

    def op_DELETE_DEREF(self, frame, cell):
        try:
            del frame.cells[cell].cell_contents
        except ValueError:
            self.empty_cell(frame, cell)

    def op_LOAD_CLOSURE(self, frame, cell):
        frame.stack.append(frame.cells[cell])

    def op_LOAD_CLASSDEREF(self, frame, cell):
        name = (*frame.code.cell_names, *frame.code.free_names)[cell]
        if name in frame.names:
            frame.stack.append(frame.names[name])
        else:
            self.op_LOAD_DEREF(frame, cell)

    def globals_of(self, frame):
        return vars(self.modules[frame.code.module])

    def global_name(self, frame, index):
        return self.program.modules[frame.code.module].global_names[index]

    def op_LOAD_GLOBAL(self, frame, index):
        name = self.global_name(frame, index)
        frame.stack.append(self.global_or_builtin(frame, name))

    def global_or_builtin(self, frame, name):
        variables = self.globals_of(frame)
        if name in variables:
            return variables[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(f"name '{name}' is not defined")

    def op_STORE_GLOBAL(self, frame, index):
        self.globals_of(frame)[self.global_name(frame, index)] = frame.stack.pop()

    def op_DELETE_GLOBAL(self, frame, index):
        name = self.global_name(frame, index)
        if name not in self.globals_of(frame):
            raise NameError(f"name '{name}' is not defined")
        del self.globals_of(frame)[name]

    def op_LOAD_NAME(self, frame, name):
        name = frame.code.names[name]
        if name in frame.names:
            frame.stack.append(frame.names[name])
        else:
            frame.stack.append(self.global_or_builtin(frame, name))

    def op_STORE_NAME(self, frame, name):
        frame.names[frame.code.names[name]] = frame.stack.pop()

    def op_DELETE_NAME(self, frame, name):
        if frame.code.names[name] not in frame.names:
            raise NameError(f"name '{frame.code.names[name]}' is not defined")
        del frame.names[frame.code.names[name]]

    def op_LOAD_BUILTIN(self, frame, name):
        name = frame.code.names[name]
        frame.stack.append(HELPERS[name] if name in HELPERS else getattr(builtins, name))

    def op_LOAD_ATTR(self, frame, name):
        frame.stack[-1] = getattr(frame.stack[-1], frame.code.names[name])

    def op_STORE_ATTR(self, frame, name):
        value, target = frame.take(2)
        setattr(target, frame.code.names[name], value)

    def op_DELETE_ATTR(self, frame, name):
        delattr(frame.stack.pop(), frame.code.names[name])

    def op_LOAD_SPECIAL(self, frame, name):
        name = frame.code.names[name]
        value = frame.stack.pop()
        for base in type(value).__mro__:
            if name in vars(base):
                found = vars(base)[name]
                bind = getattr(type(found), "__get__", None)
                frame.stack.append(found if bind is None else bind(found, value, type(value)))
                return
        missed = " (missed __exit__ method)" if name == "__exit__" else ""
        raise TypeError(
            f"'{type(value).__name__}' object does not support the context manager protocol{missed}"
        )

    def op_LOAD_SUBSCR(self, frame, _):
        container, key = frame.take(2)
        frame.stack.append(container[key])

    def op_STORE_SUBSCR(self, frame, _):
        value, container, key = frame.take(3)
        container[key] = value

    def op_DELETE_SUBSCR(self, frame, _):
        container, key = frame.take(2)
        del container[key]

    def op_BINARY(self, frame, number):
        left, right = frame.take(2)
        frame.stack.append(OPERATORS[number](left, right))

    def op_INPLACE(self, frame, number):
        left, right = frame.take(2)
        frame.stack.append(INPLACE[number](left, right))

    def op_UNARY(self, frame, number):
        frame.stack[-1] = UNARY[number](frame.stack[-1])

    def op_COMPARE(self, frame, number):
        left, right = frame.take(2)
        frame.stack.append(COMPARISONS[number](left, right))

    def op_BUILD_TUPLE(self, frame, count):
        frame.stack.append(tuple(frame.take(count)))

    def op_BUILD_LIST(self, frame, count):
        frame.stack.append(frame.take(count))

    def op_BUILD_SET(self, frame, count):
        frame.stack.append(set(frame.take(count)))

    def op_BUILD_STRING(self, frame, count):
        frame.stack.append("".join(frame.take(count)))

    def op_BUILD_SLICE(self, frame, count):
        frame.stack.append(slice(*frame.take(count)))

    def op_BUILD_MAP(self, frame, count):
        values = frame.take(2 * count)
        frame.stack.append(dict(zip(values[::2], values[1::2], strict=True)))

    def op_LIST_APPEND(self, frame, depth):
        value = frame.stack.pop()
        frame.stack[-depth].append(value)

    def op_SET_ADD(self, frame, depth):
        value = frame.stack.pop()
        frame.stack[-depth].add(value)

    def op_MAP_ADD(self, frame, depth):
        key, value = frame.take(2)
        frame.stack[-depth][key] = value

    def op_LIST_EXTEND(self, frame, depth):
        values = frame.stack.pop()
        if not hasattr(type(values), "__iter__") and not hasattr(type(values), "__getitem__"):
            raise TypeError(f"Value after * must be an iterable, not {type(values).__name__}")
        frame.stack[-depth].extend(values)

    def op_SET_UPDATE(self, frame, depth):
        values = frame.stack.pop()
        frame.stack[-depth].update(values)

    def op_DICT_UPDATE(self, frame, depth):
        values = frame.stack.pop()
        if not hasattr(values, "keys"):
            raise TypeError(f"'{type(values).__name__}' object is not a mapping")
        frame.stack[-depth].update(values)

    def op_DICT_MERGE(self, frame, depth):
        values = frame.stack.pop()
        target = frame.stack[-depth]
        called = getattr(frame.stack[-depth - 2], "__qualname__", "function")
        if not hasattr(values, "keys"):
            raise TypeError(f"{called}() argument after ** must be a mapping, not {type(values).__name__}")
        for key in values.keys():  # noqa: SIM118
            if key in target:
                module = getattr(frame.stack[-depth - 2], "__module__", "")
                raise TypeError(f"{module}.{called}() got multiple values for keyword argument '{key}'")
            target[key] = values[key]

    def op_LIST_TO_TUPLE(self, frame, _):
        frame.stack[-1] = tuple(frame.stack[-1])

    def op_FORMAT_VALUE(self, frame, flags):
        spec = frame.stack.pop() if flags & 4 else ""
        value = frame.stack.pop()
        convert = CONVERSIONS[flags & 3]
        frame.stack.append(format(value if convert is None else convert(value), spec))

    def op_UNPACK_SEQUENCE(self, frame, count):
        value = frame.stack.pop()
        frame.stack.extend(reversed(unpack(value, count)))

    def op_UNPACK_EX(self, frame, operand):
        before, after = operand & 255, operand >> 8
        value = frame.stack.pop()
        items = list(iterate_to_unpack(value))
        if len(items) < before + after:
            raise ValueError(
                f"not enough values to unpack (expected at least {before + after}, got {len(items)})"
            )
        end = len(items) - after
        frame.stack.extend(reversed([*items[:before], items[before:end], *items[end:]]))

    def op_GET_ITER(self, frame, _):
        frame.stack[-1] = iter(frame.stack[-1])

    def op_FOR_ITER(self, frame, target):
        try:
            frame.stack.append(next(frame.stack[-1]))
        except StopIteration:
            self.in_flight = None
            frame.stack.pop()
            frame.pc = target

    def op_JUMP(self, frame, target):
        frame.pc = target

    op_LOOP = op_JUMP

    def op_POP_JUMP_IF_FALSE(self, frame, target):
        if not frame.stack.pop():
            frame.pc = target

    def op_POP_JUMP_IF_TRUE(self, frame, target):
        if frame.stack.pop():
            frame.pc = target

    def op_JUMP_IF_FALSE_OR_POP(self, frame, target):
        if frame.stack[-1]:
            frame.stack.pop()
        else:
            frame.pc = target

    def op_JUMP_IF_TRUE_OR_POP(self, frame, target):
        if frame.stack[-1]:
            frame.pc = target
        else:
            frame.stack.pop()

    def op_CALL(self, frame, count):
        called, *arguments = frame.take(count + 1)
        frame.stack.append(called(*arguments))

    def op_CALL_KW(self, frame, count):
        names = frame.stack.pop()
        called, *arguments = frame.take(count + 1)
        split = count - len(names)
        named = dict(zip(names, arguments[split:], strict=True))
        frame.stack.append(called(*arguments[:split], **named))

    def op_CALL_EX(self, frame, with_keywords):
        named = frame.stack.pop() if with_keywords else {}
        called, arguments = frame.take(2)
        frame.stack.append(called(*arguments, **named))

    def op_MAKE_FUNCTION(self, frame, flags):
        code = frame.stack.pop()
        closure = frame.stack.pop() if flags & 4 else ()
        keyword_defaults = frame.stack.pop() if flags & 2 else None
        defaults = frame.stack.pop() if flags & 1 else None
        assert len(closure) == len(code.free_names)
        frame.stack.append(self.make_function(code, defaults, keyword_defaults, closure))

    def op_BUILD_CLASS(self, frame, with_keywords):
        keywords = frame.stack.pop() if with_keywords else {}
        closure, code, name, bases = frame.take(4)
        resolved = types.resolve_bases(bases)
        metaclass, namespace, keywords = types.prepare_class(name, resolved, keywords)
        body = self.enter(code, (), closure, names=namespace)
        cell = self.run(body)
        assert (cell is None) == ("__class__" not in code.cell_names)
        if cell is not None:
            namespace["__classcell__"] = cell
        if resolved is not bases:
            namespace["__orig_bases__"] = bases
        frame.stack.append(metaclass(name, resolved, namespace, **keywords))

    def op_RETURN_VALUE(self, frame, _):
        raise AssertionError("done by run")

    def op_YIELD_VALUE(self, frame, _):
        raise Yielded(frame.stack.pop())

    def op_GET_YIELD_FROM_ITER(self, frame, _):
        if not isinstance(frame.stack[-1], types.GeneratorType):
            frame.stack[-1] = iter(frame.stack[-1])

    def op_YIELD_FROM(self, frame, _):
        frame.delegates = False
        sent = frame.stack.pop()
        iterator = frame.stack[-1]
        try:
            value = next(iterator) if sent is None else iterator.send(sent)
        except StopIteration as stop:
            self.in_flight = None
            frame.stack[-1] = stop.value
            return
        self.delegate(frame, value)

    def op_RAISE(self, frame, count):
        if count == 0:
            handled = self.being_handled()
            if handled is None:
                raise RuntimeError("No active exception to reraise")
            self.in_flight = handled
            raise handled
        values = frame.take(count)
        problem = instance_of_exception(values[0], "exceptions must derive from BaseException")
        if count == 2:
            cause = values[1]
            problem.__cause__ = (
                None
                if cause is None
                else instance_of_exception(cause, "exception causes must derive from BaseException")
            )
        problem.__traceback__ = None
        self.set_context_again(problem)
        raise problem

    def set_context_again(self, problem):
        """A raise statement replaces the context that the exception had."""
        handled = self.being_handled()
        if handled is not None and handled is not problem:
            problem.__context__ = None
            self.set_context(problem)

    def op_PUSH_EXC_INFO(self, frame, _):
        problem = frame.stack.pop()
        frame.stack += [frame.handled, problem]
        frame.handled = problem

    def op_POP_EXCEPT(self, frame, _):
        frame.handled = frame.stack.pop()

    def op_RERAISE(self, frame, _):
        problem = frame.stack.pop()
        self.in_flight = problem
        raise problem

    def op_CHECK_EXC_MATCH(self, frame, _):
        wanted = frame.stack.pop()
        for item in wanted if isinstance(wanted, tuple) else (wanted,):
            if not (isinstance(item, type) and issubclass(item, BaseException)):
                raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        problem = frame.stack[-1]
        frame.stack.append(issubclass(type(problem), wanted))

    def op_PUSH_EXC_ARGS(self, frame, _):
        problem = frame.stack[-1]
        frame.stack += [type(problem), problem, None]

    def op_POP_TOP(self, frame, _):
        frame.stack.pop()

    def op_COPY(self, frame, position):
        frame.stack.append(frame.stack[-position])

    def op_SWAP(self, frame, position):
        stack = frame.stack
        stack[-1], stack[-position] = stack[-position], stack[-1]

    def op_IMPORT(self, frame, index):
        if not self.started[index]:
            self.started[index] = True
            try:
                self.run(self.enter(self.program.modules[index].code, (), ()))
            except BaseException:
                self.started[index] = False
                raise
        frame.stack.append(self.modules[index])

    def op_LOAD_ABSENT(self, frame, constant):
        name, problem, _ = frame.code.constants[constant]
        raise Unsupported(f"{name}: {problem}")

    def op_IMPORT_NATIVE(self, frame, name):
        name = frame.code.names[name]
        frame.stack.append(self.machine_module if name == "_assay" else importlib.import_module(name))

    def op_IMPORT_FROM(self, frame, name):
        name = frame.code.names[name]
        module = frame.stack[-1]
        try:
            frame.stack.append(getattr(module, name))
        except AttributeError:
            where = getattr(module, "__file__", None) or "unknown location"
            raise ImportError(f"cannot import name '{name}' from '{module.__name__}' ({where})") from None

    def op_FAIL(self, frame, constant):
        raise Unsupported(frame.code.constants[constant])


RETURN_VALUE = OPERATIONS.index("RETURN_VALUE")


def template_of(code):
    """A function of CPython with the parameters of a code, for its binding of arguments and its messages."""
    names = [name.replace(".", "_") for name in code.local_names]
    positional, rest = names[: code.positional], names[code.positional :]
    keyword_only, rest = rest[: code.keyword_only], rest[code.keyword_only :]
    parameters = list(positional)
    if code.positional_only:
        parameters.insert(code.positional_only, "/")
    values = [*positional, *keyword_only]
    if code.varargs:
        parameters.append(f"*{rest[0]}")
        values.append(rest.pop(0))
    elif keyword_only:
        parameters.append("*")
    parameters += keyword_only
    if code.varkw:
        parameters.append(f"**{rest[0]}")
        values.append(rest[0])
    namespace = {}
    exec(f"def template({', '.join(parameters)}): return {ENTER}({', '.join(values)})", namespace)
    return namespace["template"].__code__.replace(co_name=code.name, co_qualname=code.qualname)


def iterate_to_unpack(value):
    try:
        return iter(value)
    except TypeError:
        if hasattr(type(value), "__iter__"):
            raise
        raise TypeError(f"cannot unpack non-iterable {type(value).__name__} object") from None


def unpack(value, count):
    iterator = iterate_to_unpack(value)
    items = []
    for item in iterator:
        if len(items) == count:
            raise ValueError(f"too many values to unpack (expected {count})")
        items.append(item)
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    return items


def instance_of_exception(value, message):
    if isinstance(value, type) and issubclass(value, BaseException):
        return value()
    if not isinstance(value, BaseException):
        raise TypeError(message)
    return value


def single_threaded_assay():
    """The module `_assay` for a program with one thread."""
    module = types.ModuleType("_assay")
    identity = [None]

    def block():
        raise Unsupported("deadlock: the only thread waits")

    def start(*arguments):
        raise Unsupported("the plain machine has one thread")

    def fail(kind, message):
        raise Unsupported(f"{kind}: {message}")

    def unsupported(text):
        raise Unsupported(text)

    def adopt(thread):
        identity[0] = thread

    def assume(condition):
        if not condition:
            raise SystemExit

    module.block, module.start, module.fail, module.adopt, module.assume = block, start, fail, adopt, assume
    module.unsupported = unsupported
    module.remark = lambda text: None
    module.handled = sys.exception
    module.current = lambda: identity[0]
    module.choose = lambda count: 0
    module.pause = module.begin_atomic = module.end_atomic = lambda: None
    module.invariant = lambda function, name: None
    module.write = lambda text: print(text, end="")
    module.is_single = lambda: True
    module.observes = lambda assumption: None
    module.is_unchanged = lambda container, items: tuple(container) == items
    module.own_attribute = own_attribute
    module.traceback = lambda: TRACEBACK
    return module


@dataclass(frozen=True)
class Outcome:
    output: str
    error: str | None  # the last line of the traceback


def run_plainly(program: Program) -> Outcome:
    """Runs a program to its end, with enough stack for deep recursion."""
    outcome = []

    def work():
        output = io.StringIO()
        error = None
        with contextlib.redirect_stdout(output), modules_of(program):
            try:
                PlainMachine(program).run_program()
            except SystemExit:
                pass
            except BaseException as problem:
                error = traceback.format_exception_only(problem)[-1].strip()
        outcome.append(Outcome(output.getvalue(), error))

    limit, size = sys.getrecursionlimit(), threading.stack_size(256 << 20)
    sys.setrecursionlimit(40_000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    return outcome[0]


@contextlib.contextmanager
def modules_of(program):
    """Lets CPython's own dataclasses find the modules of classes."""
    added = [module.name for module in program.modules if module.name not in sys.modules]
    for name in added:
        sys.modules[name] = types.ModuleType(name)
    try:
        yield
    finally:
        for name in added:
            del sys.modules[name]
