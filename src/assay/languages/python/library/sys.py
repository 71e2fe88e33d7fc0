"""The part of `sys` that programs under the machine may use."""

from enum import sys as _interpreter

import _assay

maxsize = _interpreter.maxsize
maxunicode = _interpreter.maxunicode
version_info = _interpreter.version_info
version = _interpreter.version
hexversion = _interpreter.hexversion
byteorder = _interpreter.byteorder
platform = _interpreter.platform
argv = ["program"]


class _Output:
    """What is written is shown to the user and is no part of a state."""

    def __init__(self, name):
        self.name = name
        self.encoding = "utf-8"

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("write() argument must be str, not " + type(text).__name__)
        _assay.write(text)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def isatty(self):
        return False


stdout = _Output("<stdout>")
stderr = _Output("<stderr>")
__stdout__ = stdout
__stderr__ = stderr


def exit(status=None, /):
    raise SystemExit(status)


def getrecursionlimit():
    return 1000


def setrecursionlimit(limit, /):
    if limit > 1000:
        _assay.unsupported(
            "sys.setrecursionlimit() above 1000 is not modelled: frames are part of every state"
        )


def getswitchinterval():
    return 0.005


def setswitchinterval(interval, /):
    """Threads may switch anywhere anyway."""


def gettrace():
    return None


def settrace(function, /):
    """Tracing has no meaning here."""


def setprofile(function, /):
    """Profiling has no meaning here."""


def is_finalizing():
    return False


def intern(string, /):
    return string


def getsizeof(object, *default):
    _assay.unsupported("sys.getsizeof() is not modelled: objects have no size in a state")


def exc_info():
    """There are no objects for tracebacks: the third is None."""
    exception = _assay.handled()
    return (None, None, None) if exception is None else (type(exception), exception, None)


def exception():
    return _assay.handled()


def excepthook(kind, value, traceback, /):
    """Not called: an exception that leaves a thread ends the run, and the machine reports it."""


__excepthook__ = excepthook
