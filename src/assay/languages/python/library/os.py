"""The little of `os` that does not depend on the machine a program is checked on."""

from types import GenericAlias as _GenericAlias

import _assay
from _files import access, stat

name = "posix"
sep = "/"
linesep = "\n"
pathsep = ":"
curdir = "."
pardir = ".."
extsep = "."
altsep = None
defpath = "/bin:/usr/bin"
devnull = "/dev/null"
F_OK, X_OK, W_OK, R_OK = 0, 1, 2, 4
if _assay.mentions("path"):
    import posixpath as path

if _assay.mentions("PathLike"):
    import abc

    class PathLike(abc.ABC):
        __class_getitem__ = classmethod(_GenericAlias)

        @abc.abstractmethod
        def __fspath__(self):
            raise NotImplementedError

        @classmethod
        def __subclasshook__(cls, subclass):
            if cls is PathLike:
                return hasattr(subclass, "__fspath__") or NotImplemented
            return NotImplemented


def fspath(path):
    if isinstance(path, (str, bytes)):
        return path
    kind = type(path)
    if not hasattr(kind, "__fspath__"):
        raise TypeError("expected str, bytes or os.PathLike object, not " + kind.__name__)
    answer = kind.__fspath__(path)
    if isinstance(answer, (str, bytes)):
        return answer
    raise TypeError(
        "expected " + kind.__name__ + ".__fspath__() to return str or bytes, not " + type(answer).__name__
    )


def fsencode(filename):
    filename = fspath(filename)
    return filename.encode("utf-8", "surrogateescape") if isinstance(filename, str) else filename


def fsdecode(filename):
    filename = fspath(filename)
    return filename.decode("utf-8", "surrogateescape") if isinstance(filename, bytes) else filename


def cpu_count():
    """How many there are where the check runs must not decide what a program does."""
    _assay.remark("the program asks for the number of processors, which is taken for 4 in every run")
    return 4


process_cpu_count = cpu_count


def getcwd():
    """Where a program is run must not decide what it does."""
    _assay.remark("the program asks for the current folder, which is taken for '/' in every run")
    return "/"


def getpid():
    _assay.remark("the program asks for the number of its process, which is taken for 1 in every run")
    return 1


def getppid():
    _assay.remark("the program asks for the number of its parent process, which is taken for 0 in every run")
    return 0


class _Environment:
    """No variable is set: a program that is checked must not depend on who checks it."""

    def get(self, key, default=None):
        return default

    def __getitem__(self, key):
        raise KeyError(key)

    def __contains__(self, key):
        return False

    def __iter__(self):
        return iter(())

    def keys(self):
        return {}.keys()

    def values(self):
        return {}.values()

    def items(self):
        return {}.items()

    def copy(self):
        return {}

    def pop(self, key, *default):
        if default:
            return default[0]
        raise KeyError(key)

    def __len__(self):
        return 0

    def __repr__(self):
        return "environ({})"

    def setdefault(self, key, default=None):
        self._refuse()

    def __setitem__(self, key, value):
        self._refuse()

    def _refuse(self):
        _assay.unsupported(
            "setting variables of the environment is not modelled; use a variable of the program"
        )


environ = _Environment()


def getenv(key, default=None):
    return default


lstat = stat


def _exit(status):
    _assay.fail("exit", "os._exit(" + str(status) + ") ends the program without waiting for its threads")


def register_at_fork(*, before=None, after_in_parent=None, after_in_child=None):
    """Programs under the machine do not fork."""


_drawn = [0]


@_assay.atomic
def _number_drawn():
    _drawn[0] += 1
    return _drawn[0]


def urandom(size, /):
    """Bytes that differ each time, as those of CPython do; all else about them is taken for granted."""
    if size < 0:
        raise ValueError("negative argument not allowed")
    if 0 < size < 4:
        _assay.unsupported(
            "os.urandom() of so few bytes is not modelled; let assay.choose(...) pick from the values that matter"
        )
    _assay.remark("random bytes are taken for ones that differ from each other, and for nothing else")
    return _number_drawn().to_bytes(size, "little") if size else b""
