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
copyright = _interpreter.copyright
api_version = _interpreter.api_version
float_info = _interpreter.float_info
int_info = _interpreter.int_info
dont_write_bytecode = False
float_repr_style = _interpreter.float_repr_style
hash_info = _interpreter.hash_info
builtin_module_names = _interpreter.builtin_module_names
stdlib_module_names = _interpreter.stdlib_module_names


def getdefaultencoding():
    return "utf-8"


def getfilesystemencoding():
    return "utf-8"


def getfilesystemencodeerrors():
    return "surrogateescape"


def get_int_max_str_digits():
    return _interpreter.int_info.default_max_str_digits


class _Implementation:
    def __init__(self):
        self.name = "cpython"
        self.cache_tag = _interpreter.implementation.cache_tag
        self.version = _interpreter.version_info
        self.hexversion = _interpreter.hexversion


implementation = _Implementation()


class _Flags:
    """Those of an interpreter that was started without any; the hashes of texts are fixed."""

    def __init__(self):
        self.debug = self.inspect = self.interactive = self.optimize = self.dont_write_bytecode = 0
        self.no_user_site = self.no_site = self.ignore_environment = self.verbose = self.bytes_warning = 0
        self.quiet = self.hash_randomization = self.isolated = self.utf8_mode = 0
        self.warn_default_encoding = 0
        self.dev_mode = self.safe_path = False
        self.int_max_str_digits = -1


flags = _Flags()


_FOUND = {}  # by name: whether there is such a module; put in when a program is compiled


def _imported(name):
    """A module of the program that is imported; None if there is none, and could not be."""
    found = _assay.module(name)
    if found is not NotImplemented:
        return found
    top = name.partition(".")[0]
    if top.isidentifier() and top not in stdlib_module_names:
        if top not in _FOUND:
            _assay.observes("find " + top)
        if not _FOUND[top]:
            return None
    _assay.unsupported(
        "whether CPython has imported the module '" + name + "' is not modelled; import it where it is needed"
    )


class _Modules:
    """The modules of the program, as far as they are imported. Which others CPython has is not modelled."""

    def __getitem__(self, name):
        found = _imported(name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name, default=None):
        found = _imported(name)
        return default if found is None else found

    def __contains__(self, name):
        return _imported(name) is not None

    def _refuse(self, *more):
        _assay.unsupported(
            "sys.modules is not modelled but for finding a module of the program; import the module"
        )

    __iter__ = __len__ = __setitem__ = __delitem__ = __eq__ = __repr__ = __or__ = __ior__ = _refuse
    keys = values = items = copy = pop = popitem = setdefault = update = clear = _refuse
    __hash__ = None


modules = _Modules()


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
    if limit != 1000:
        _assay.unsupported(
            "sys.setrecursionlimit() of anything but 1000 is not modelled; leave it out, or use a loop"
        )


_switch_interval = [0.005]


@_assay.atomic
def getswitchinterval():
    return _switch_interval[0]


@_assay.atomic
def setswitchinterval(interval, /):
    """Threads may switch anywhere anyway; the number is kept for who asks."""
    if interval <= 0:
        raise ValueError("switch interval must be strictly positive")
    _switch_interval[0] = float(interval)


def gettrace():
    return None


def getprofile():
    return None


def settrace(function, /):
    if function is not None:
        _assay.unsupported(
            "a function that traces is not modelled: it runs between any two lines; leave it out"
        )


def setprofile(function, /):
    if function is not None:
        _assay.unsupported("a function that profiles is not modelled: it runs at each call; leave it out")


class _Frame:
    """Of the frame of a caller nothing is known but the module."""

    def __init__(self, module):
        self._frame_module = module

    @property
    def f_globals(self):
        module = _assay.module(self._frame_module)
        return {"__name__": self._frame_module} if module is None else module.__dict__

    def __getattr__(self, name):
        _assay.unsupported(
            "the " + name + " of a frame is not modelled; give the function what it looks for as an argument"
        )


def _getframe(depth=0, /):
    return _Frame(_assay.module_of_caller(depth))


def _getframemodulename(depth=0):
    return _assay.module_of_caller(depth)


def audit(event, /, *args):
    """Tells the hooks, of which there are none: `addaudithook` is refused."""


def is_finalizing():
    return False


def intern(string, /):
    return string


def getsizeof(object, *default):
    _assay.unsupported("sys.getsizeof() is not modelled: objects have no size in a state")


def exc_info():
    """The third is an object into which nobody can look."""
    exception = _assay.handled()
    return (None, None, None) if exception is None else (type(exception), exception, _assay.traceback())


def exception():
    return _assay.handled()


def excepthook(kind, value, traceback, /):
    """Not called: an exception that leaves a thread ends the run, and the machine reports it."""


__excepthook__ = excepthook
