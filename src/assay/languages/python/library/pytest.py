"""What a file of tests needs of pytest while one of its tests is explored: markers do nothing."""

import re


class Failed(BaseException):
    pass


class Skipped(BaseException):
    pass


class _Marker:
    def __call__(self, *arguments, **options):
        if len(arguments) == 1 and callable(arguments[0]) and not options:
            return arguments[0]
        return self


_marker = _Marker()


class _Markers:
    assay = parametrize = skip = skipif = xfail = usefixtures = filterwarnings = timeout = _marker

    def __getattr__(self, name):
        return _marker


mark = _Markers()


def fixture(*arguments, **options):
    return _marker(*arguments, **options)


def param(*values, **options):
    return values


def fail(reason="", pytrace=True):
    raise Failed(reason)


def skip(reason=""):
    raise Skipped(reason)


class _Raises:
    def __init__(self, expected, match):
        self.expected = expected
        self.match = match
        self.value = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            raise Failed(f"DID NOT RAISE {self.expected!r}")
        if not issubclass(kind, self.expected):
            return False
        if self.match is not None and re.search(self.match, str(value)) is None:
            raise AssertionError(f"{str(value)!r} does not match {self.match!r}")
        self.value = value
        return True


def raises(expected, *, match=None):
    return _Raises(expected, match)
