"""Files that came with the packages of a program: they are part of it, and can be read.

Which ones a program reads is found out by running it: each is an assumption that nobody reads it, and the program starts again
with what is in it (`Modules.files`). All other files are refused.
"""

import _assay
from _unknown import Unknown

_FOLDERS = ()  # where packages are installed; put in when a program is compiled
_FILES = {}  # by path: what is in it; None: there is no such file; True: it is a folder


def look(path, what):
    """What is there under that path."""
    if not isinstance(path, (str, bytes)):
        path = path.__fspath__()
    if isinstance(path, bytes):
        path = path.decode()
    if not path.startswith(_FOLDERS) or "/../" in path:
        _assay.unsupported(
            what
            + " is given a path outside of the packages of the program, and files are not modelled; put the data into "
            "the program, or let assay.choose give it"
        )
    path = path.rstrip("/")
    if path not in _FILES:
        _assay.observes("file " + path)
    return _FILES[path]


def _missing(path):
    return FileNotFoundError(2, "No such file or directory", path)


def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    import io

    if isinstance(file, int) or opener is not None:
        _assay.unsupported("open() of a file descriptor is not modelled; put the data into the program")
    content = look(file, "open()")
    if mode not in ("r", "rt", "rb", "br", "tr"):
        _assay.unsupported("open() for writing is not modelled; let a dict stand for the files")
    if content is None:
        raise _missing(file)
    if content is True:
        raise IsADirectoryError(21, "Is a directory", file)
    if "b" in mode:
        return io.BytesIO(content)
    text = content.decode("utf-8" if encoding in (None, "locale") else encoding, errors or "strict")
    if newline is None:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return io.StringIO(text, newline="\n")


class stat_result:
    def __init__(self, mode, size):
        self.st_mode = mode
        if size is not None:
            self.st_size = size

    @property
    def st_mtime(self):
        return Unknown("the time of a file", 0)

    st_atime = st_ctime = st_mtime_ns = st_atime_ns = st_ctime_ns = st_mtime

    def __getattr__(self, name):
        _assay.unsupported(name + " of a file is not modelled; leave it out")


def stat(path, *, dir_fd=None, follow_symlinks=True):
    """Outside of packages there may be anything, and what is there may change: every question is answered anew."""
    name = path.__fspath__() if hasattr(path, "__fspath__") else path
    name = name.decode() if isinstance(name, bytes) else name
    if isinstance(name, str) and dir_fd is None and not name.startswith(_FOLDERS):
        if name.strip("/") in ("", "."):
            return stat_result(0o40755, 4096)
        _assay.remark(
            "the program looks for a file outside of its packages, which may be missing, a file or a folder, each time anew"
        )
        what = _assay.choose(3)
        if what == 0:
            raise _missing(path)
        return stat_result(0o100644 if what == 1 else 0o40755, None)
    content = look(path, "os.stat()")
    if content is None:
        raise _missing(path)
    return stat_result(0o40755, 4096) if content is True else stat_result(0o100644, len(content))


def access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    """Packages are installed for those who use them to read; folders can be entered."""
    try:
        found = stat(path, dir_fd=dir_fd)
    except FileNotFoundError:
        return False
    name = path.__fspath__() if hasattr(path, "__fspath__") else path
    name = name.decode() if isinstance(name, bytes) else name
    is_folder = found.st_mode == 0o40755
    if mode & 2 or (mode & 1 and not is_folder) or not name.startswith(_FOLDERS):
        _assay.remark("the program asks whether it may use a file, which it may or may not, each time anew")
        return mode == 0 or _assay.choose(2) == 1
    return True
