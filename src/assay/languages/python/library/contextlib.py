"""The module `contextlib` for programs under the machine."""

from abc import ABC as _ABC
from abc import abstractmethod as _abstractmethod
from functools import wraps

import _assay

_GenericAlias = type(list[int])


class AbstractContextManager(_ABC):
    def __enter__(self):
        return self

    @_abstractmethod
    def __exit__(self, exc_type, exc_value, traceback):
        return None

    __class_getitem__ = classmethod(_GenericAlias)

    @classmethod
    def __subclasshook__(cls, C):
        if cls is not AbstractContextManager:
            return NotImplemented
        for name in ("__enter__", "__exit__"):
            if getattr(C, name, None) is None:
                return NotImplemented
        return True


class AbstractAsyncContextManager(_ABC):
    """Classes derive from it beside others; what is asynchronous of theirs is refused where it is called."""

    def __aenter__(self):
        _assay.unsupported("asynchronous context managers are not modelled; use contextmanager, and threads")

    @_abstractmethod
    def __aexit__(self, exc_type, exc_value, traceback):
        _assay.unsupported("asynchronous context managers are not modelled; use contextmanager, and threads")

    __class_getitem__ = classmethod(_GenericAlias)

    @classmethod
    def __subclasshook__(cls, C):
        if cls is not AbstractAsyncContextManager:
            return NotImplemented
        for name in ("__aenter__", "__aexit__"):
            if getattr(C, name, None) is None:
                return NotImplemented
        return True


class ContextDecorator:
    """A context manager that can also decorate functions."""

    def _recreate_cm(self):
        return self

    def __call__(self, func):
        @wraps(func)
        def inner(*args, **kwds):
            with self._recreate_cm():
                return func(*args, **kwds)

        return inner


class _GeneratorContextManager(AbstractContextManager, ContextDecorator):
    def __init__(self, func, args, kwds):
        self._context_call = (func, args, kwds)
        self.gen = func(*args, **kwds)

    def _recreate_cm(self):
        func, args, kwds = self._context_call
        return type(self)(func, args, kwds)

    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind, value, traceback):
        if kind is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            try:
                raise RuntimeError("generator didn't stop")
            finally:
                self.gen.close()
        if value is None:
            value = kind()
        try:
            self.gen.throw(value)
        except BaseException as raised:
            if raised is value:
                return False  # the exception went through, the `with` statement goes on raising it
            if isinstance(raised, StopIteration):
                return True  # the generator handled it and ended
            if (
                isinstance(raised, RuntimeError)
                and isinstance(value, StopIteration)
                and raised.__cause__ is value
            ):
                return False  # StopIteration cannot leave a generator as itself
            raise
        try:
            raise RuntimeError("generator didn't stop after throw()")
        finally:
            self.gen.close()


def contextmanager(func):
    @wraps(func)
    def helper(*args, **kwds):
        return _GeneratorContextManager(func, args, kwds)

    return helper


class closing(AbstractContextManager):
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exc_info):
        self.thing.close()


def asynccontextmanager(func):
    @wraps(func)
    def helper(*args, **kwds):
        _assay.unsupported("asynchronous context managers are not modelled; use contextmanager, and threads")

    return helper


class suppress(AbstractContextManager):
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        pass

    def __exit__(self, exctype, excinst, exctb):
        return exctype is not None and issubclass(exctype, self._exceptions)


class nullcontext(AbstractContextManager):
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *excinfo):
        pass


def _set_context(raised, before, outer):
    """What was raised in an exit call comes after the exception before, instead of the one outside of them all."""
    while True:
        context = raised.__context__
        if context is None or context is before:
            return
        if context is outer:
            break
        raised = context
    raised.__context__ = before


class ExitStack(AbstractContextManager):
    """Leaves what was entered, and calls what was registered, in reverse order."""

    def __init__(self):
        self._exit_calls_of_stack = []  # functions of (type, value, traceback)

    def enter_context(self, cm):
        kind = type(cm)
        if not hasattr(kind, "__enter__") or not hasattr(kind, "__exit__"):
            raise TypeError(
                "'"
                + kind.__module__
                + "."
                + kind.__qualname__
                + "' object does not support the context manager protocol"
            )
        result = cm.__enter__()
        self._exit_calls_of_stack.append(cm.__exit__)
        return result

    def push(self, exit):
        self._exit_calls_of_stack.append(exit.__exit__ if hasattr(type(exit), "__exit__") else exit)
        return exit

    def callback(self, callback, /, *args, **kwds):
        def call(kind, value, traceback):
            callback(*args, **kwds)

        self._exit_calls_of_stack.append(call)
        return callback

    def pop_all(self):
        other = type(self)()
        other._exit_calls_of_stack.extend(self._exit_calls_of_stack)
        self._exit_calls_of_stack.clear()
        return other

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, kind, value, traceback):
        pending = value
        outer = _assay.handled()
        raises = suppresses = False
        while self._exit_calls_of_stack:
            call = self._exit_calls_of_stack.pop()
            try:
                if call(
                    None if pending is None else type(pending),
                    pending,
                    None if pending is None else _assay.traceback(),
                ):
                    suppresses = True
                    raises = False
                    pending = None
            except BaseException as raised:
                _set_context(raised, pending, outer)
                raises = True
                pending = raised
        if raises:
            context = pending.__context__
            try:
                raise pending
            except BaseException:
                pending.__context__ = context
                raise
        return value is not None and suppresses


class redirect_stdout(AbstractContextManager):
    def __init__(self, new_target):
        _assay.unsupported("redirect_stdout is not modelled: what a program prints is no part of its states")


redirect_stderr = redirect_stdout
