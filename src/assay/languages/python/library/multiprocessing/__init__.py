"""The package `multiprocessing`: pools of threads are in it; processes are refused where they are made."""

import _assay
from multiprocessing.context import AuthenticationError, BufferTooShort, ProcessError, TimeoutError
from os import cpu_count


def _refuse_process(*arguments, **keywords):
    _assay.unsupported("processes are not modelled; use threading, or ThreadPool of multiprocessing.pool")


Pool = Process = _refuse_process
