"""What synchronous programs ask `asyncio`: whether something is a coroutine, and whether a loop runs, which
none does. All else is refused where it is used."""

import inspect
import sys
import threading

import _assay

iscoroutinefunction = inspect.iscoroutinefunction
iscoroutine = inspect.iscoroutine


def _get_running_loop():
    """There is none: no coroutine runs."""


def get_running_loop():
    raise RuntimeError("no running event loop")


class _Loop:
    """One that is made and never runs."""

    def is_running(self):
        return False

    def is_closed(self):
        return False

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        _assay.unsupported("the " + name + " of a loop for coroutines is not modelled; use threads")

    def __repr__(self):
        _assay.unsupported("the text of a loop for coroutines is not modelled; use threads")


_loops = []  # at most the one of the main thread


@_assay.atomic
def get_event_loop():
    """The main thread gets one when it asks first, the others have none."""
    thread = threading.current_thread()
    if thread is not threading.main_thread() or sys.version_info >= (3, 14):
        raise RuntimeError("There is no current event loop in thread %r." % thread.name)
    if not _loops:
        _loops.append(_Loop())
    return _loops[0]


def isfuture(obj):
    """Futures of asyncio are absent: none is ever made."""
    return hasattr(type(obj), "_asyncio_future_blocking") and obj._asyncio_future_blocking is not None


class _OfCoroutines:
    """Can be made where none runs; only coroutines can use it."""

    _takes_a_number = False

    def __init__(self, *arguments, **keywords):
        """A number matters only to them; whatever else is given may be refused by CPython."""
        is_number = len(arguments) == 1 and type(arguments[0]) is int and arguments[0] >= 0
        if keywords or (arguments and not (self._takes_a_number and is_number)):
            _assay.unsupported("what an object for coroutines is given here is not modelled; use threads")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        _assay.unsupported("the " + name + " of an object for coroutines is not modelled; use threads")

    def _refuse(self, *arguments):
        _assay.unsupported("what only coroutines do with an object is not modelled; use threads")

    __aenter__ = __aexit__ = __repr__ = _refuse


class Lock(_OfCoroutines):
    pass


class Event(_OfCoroutines):
    pass


class Condition(_OfCoroutines):
    pass


class Semaphore(_OfCoroutines):
    _takes_a_number = True


class BoundedSemaphore(Semaphore):
    pass


class Queue(_OfCoroutines):
    _takes_a_number = True


def current_task(loop=None):
    if loop is None:
        get_running_loop()
    return None
