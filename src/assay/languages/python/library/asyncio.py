"""What synchronous programs ask `asyncio`: whether something is a coroutine, and whether a loop runs, which
none does. All else is refused where it is used."""

import inspect

import _assay

iscoroutinefunction = inspect.iscoroutinefunction
iscoroutine = inspect.iscoroutine


def _get_running_loop():
    """There is none: no coroutine runs."""


def get_running_loop():
    raise RuntimeError("no running event loop")


def isfuture(obj):
    """Futures of asyncio are absent: none is ever made."""
    return hasattr(type(obj), "_asyncio_future_blocking") and obj._asyncio_future_blocking is not None


class _OfCoroutines:
    """Can be made where none runs; only coroutines can use it."""

    def __init__(self, *arguments, **keywords):
        """What it is given matters only to them."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        _assay.unsupported("the " + name + " of an object for coroutines is not modelled; use threads")


class Lock(_OfCoroutines):
    pass


class Event(_OfCoroutines):
    pass


class Condition(_OfCoroutines):
    pass


class Semaphore(_OfCoroutines):
    pass


class BoundedSemaphore(Semaphore):
    pass


class Queue(_OfCoroutines):
    pass


def current_task(loop=None):
    if loop is None:
        get_running_loop()
    return None
