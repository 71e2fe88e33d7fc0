"""Texts and bytes in memory. Streams of files are absent: see `_files` for those that belong to packages.

CPython has these in C, so nobody comes in while one of their methods runs.
"""

import _assay
from _files import open

SEEK_SET = 0
SEEK_CUR = 1
SEEK_END = 2
DEFAULT_BUFFER_SIZE = 8192


class UnsupportedOperation(OSError, ValueError):
    pass


def text_encoding(encoding, stacklevel=2, /):
    return "locale" if encoding is None else encoding


class _InMemory:
    def __new__(cls, *arguments, **keywords):
        if not issubclass(cls, (StringIO, BytesIO)):
            _assay.unsupported(
                "a stream of the program's own, derived from io, is not modelled; use io.StringIO or io.BytesIO"
            )
        return super().__new__(cls)

    def _refuse_change(self, *more):
        raise UnsupportedOperation("not supported")

    fileno = detach = _refuse_change

    def isatty(self):
        self._require_open()
        return False

    def flush(self):
        self._require_open()

    def close(self):
        self._io_content = None

    @property
    def closed(self):
        return self._io_content is None

    def _require_open(self):
        if self._io_content is None:
            raise ValueError("I/O operation on closed file")

    def readable(self):
        self._require_open()
        return True

    seekable = writable = readable

    def __enter__(self):
        self._require_open()
        return self

    def __exit__(self, *exception):
        self.close()

    def __iter__(self):
        self._require_open()
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def getvalue(self):
        self._require_open()
        return self._io_content

    def tell(self):
        self._require_open()
        return self._io_place

    def read(self, size=-1, /):
        self._require_open()
        start = min(self._io_place, len(self._io_content))
        stop = len(self._io_content) if size is None or size < 0 else start + size
        found = self._io_content[start:stop]
        self._io_place = max(self._io_place, start + len(found))
        return found

    def readline(self, size=-1, /):
        self._require_open()
        start = self._io_place
        end = self._io_content.find(self._io_newline, start)
        stop = len(self._io_content) if end < 0 else end + 1
        if size is not None and size >= 0:
            stop = min(stop, start + size)
        found = self._io_content[start:stop]
        self._io_place = start + len(found)
        return found

    def readlines(self, hint=-1, /):
        lines = []
        length = 0
        line = self.readline()
        while line:
            lines.append(line)
            length += len(line)
            if hint is not None and 0 < hint <= length:
                break
            line = self.readline()
        return lines

    def truncate(self, size=None, /):
        self._require_open()
        size = self._io_place if size is None else size
        if size < 0:
            raise ValueError("negative size value " + str(size))
        self._io_content = self._io_content[:size]
        return size

    def _put(self, piece):
        content = self._io_content
        place = self._io_place
        if place > len(content):
            content = content + self._io_nothing * (place - len(content))
        self._io_content = content[:place] + piece + content[place + len(piece) :]
        self._io_place = place + len(piece)

    def __reduce_ex__(self, *protocol):
        _assay.unsupported("copies of streams are not modelled; make a new one of getvalue()")


class IOBase(_InMemory):
    pass


class TextIOBase(IOBase):
    pass


class BufferedIOBase(IOBase):
    pass


class RawIOBase(IOBase):
    pass


class StringIO(TextIOBase):
    encoding = errors = newlines = None
    line_buffering = False
    _io_newline = "\n"
    _io_nothing = "\0"

    def __init__(self, initial_value="", newline="\n"):
        if newline not in ("\n", "", None):
            _assay.unsupported(
                "io.StringIO that translates the ends of lines is not modelled; leave that out"
            )
        if initial_value is not None and not isinstance(initial_value, str):
            raise TypeError("initial_value must be str or None, not " + type(initial_value).__name__)
        self._io_content = ""
        self._io_place = 0
        self._io_translates = newline != "\n"
        if newline != "\n" and initial_value and "\r" in initial_value:
            _assay.unsupported(
                "io.StringIO that translates the ends of lines is not modelled; leave that out"
            )
        if initial_value:
            self._io_content = initial_value

    def write(self, text, /):
        self._require_open()
        if not isinstance(text, str):
            raise TypeError("string argument expected, got '" + type(text).__name__ + "'")
        if self._io_translates and "\r" in text:
            _assay.unsupported(
                "io.StringIO that translates the ends of lines is not modelled; leave that out"
            )
        if text:
            self._put(text)
        return len(text)

    def writelines(self, lines, /):
        self._require_open()
        for line in lines:
            self.write(line)

    def seek(self, offset, whence=0, /):
        self._require_open()
        if whence not in (0, 1, 2):
            raise ValueError("Invalid whence (" + str(whence) + ", should be 0, 1 or 2)")
        if whence == 0 and offset < 0:
            raise ValueError("Negative seek position " + str(offset))
        if whence != 0 and offset != 0:
            raise OSError("Can't do nonzero cur-relative seeks")
        if whence == 0:
            self._io_place = offset
        elif whence == 2:
            self._io_place = len(self._io_content)
        return self._io_place


class BytesIO(BufferedIOBase):
    _io_newline = b"\n"
    _io_nothing = b"\0"

    def __init__(self, initial_bytes=b""):
        if initial_bytes is None:
            initial_bytes = b""
        if not isinstance(initial_bytes, (bytes, bytearray, memoryview)):
            raise TypeError("a bytes-like object is required, not '" + type(initial_bytes).__name__ + "'")
        self._io_content = bytes(initial_bytes)
        self._io_place = 0

    def write(self, data, /):
        self._require_open()
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError("a bytes-like object is required, not '" + type(data).__name__ + "'")
        piece = bytes(data)
        if piece:
            self._put(piece)
        return len(piece)

    def writelines(self, lines, /):
        self._require_open()
        for line in lines:
            self.write(line)

    def seek(self, offset, whence=0, /):
        self._require_open()
        if whence == 0:
            if offset < 0:
                raise ValueError("negative seek value " + str(offset))
            self._io_place = offset
        elif whence == 1:
            self._io_place = max(0, self._io_place + offset)
        elif whence == 2:
            self._io_place = max(0, len(self._io_content) + offset)
        else:
            raise ValueError("invalid whence (" + str(whence) + ", should be 0, 1 or 2)")
        return self._io_place

    read1 = _InMemory.read

    def readinto(self, buffer, /):
        _assay.unsupported("io.BytesIO.readinto is not modelled; use read")

    def getbuffer(self):
        _assay.unsupported("io.BytesIO.getbuffer is not modelled; use getvalue")
