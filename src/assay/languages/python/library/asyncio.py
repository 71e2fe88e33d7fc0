"""What synchronous programs ask `asyncio`: whether something is a coroutine, and whether a loop runs, which
none does. All else is refused where it is used."""

import inspect

iscoroutinefunction = inspect.iscoroutinefunction
iscoroutine = inspect.iscoroutine


def _get_running_loop():
    """There is none: no coroutine runs."""


def get_running_loop():
    raise RuntimeError("no running event loop")


def isfuture(obj):
    """Futures of asyncio are absent: none is ever made."""
    return hasattr(type(obj), "_asyncio_future_blocking") and obj._asyncio_future_blocking is not None


def current_task(loop=None):
    if loop is None:
        get_running_loop()
    return None
