"""The package `multiprocessing`: pools of threads are in it; processes are refused where they are made."""

import _assay
from multiprocessing.context import AuthenticationError, BufferTooShort, ProcessError, TimeoutError
from os import cpu_count


def _refuse_process(*arguments, **keywords):
    _assay.unsupported("processes are not modelled; use threading, or ThreadPool of multiprocessing.pool")


Pool = Process = _refuse_process


class _Context:
    """One of the ways to start processes, of which none is modelled."""

    Pool = Process = staticmethod(_refuse_process)

    def __init__(self, method):
        self._name = method

    def get_start_method(self, allow_none=False):
        return self._name

    def cpu_count(self):
        return cpu_count()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError("'_Context' object has no attribute '" + name + "'")
        _refuse_process()


def get_context(method=None):
    if method is None:
        method = "fork"  # on Linux, until Python 3.14
    if method not in ("fork", "spawn", "forkserver"):
        raise ValueError("cannot find context for " + repr(method))
    return _Context(method)


def get_all_start_methods():
    return ["fork", "spawn", "forkserver"]


def get_start_method(allow_none=False):
    return "fork"
