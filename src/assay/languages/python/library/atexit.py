"""The module `atexit`: calls at the end of the program, when only daemon threads are left."""

import threading


def register(func, *args, **kwargs):
    if not callable(func):
        raise TypeError("the first argument must be callable")
    threading._atexit_calls.append((func, args, kwargs))
    return func


def unregister(func):
    kept = [call for call in threading._atexit_calls if call[0] != func]
    threading._atexit_calls[:] = kept
