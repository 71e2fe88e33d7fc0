"""The module `time`: sleeping is a chance for others to run, and no clock says anything certain.

A thread may be left out of the schedule for any time, so `sleep` needs no length.
"""

import _assay
from _unknown import Unknown


def sleep(seconds, /):
    if isinstance(seconds, (int, float)):
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
    elif not isinstance(seconds, Unknown):
        raise TypeError("'" + type(seconds).__name__ + "' object cannot be interpreted as an integer")
    _assay.pause()


def time():
    return Unknown("time.time()", 0)


def monotonic():
    return Unknown("time.monotonic()", 0)


def perf_counter():
    return Unknown("time.perf_counter()", 0)


def process_time():
    return Unknown("time.process_time()", 0)


def thread_time():
    return Unknown("time.thread_time()", 0)


def time_ns():
    return Unknown("time.time_ns()", 0)


def monotonic_ns():
    return Unknown("time.monotonic_ns()", 0)


def perf_counter_ns():
    return Unknown("time.perf_counter_ns()", 0)


def process_time_ns():
    return Unknown("time.process_time_ns()", 0)


class _Date(Unknown):
    """A point in time, taken apart: every field is a number that nobody knows."""

    def __getattr__(self, name):
        if name.startswith("tm_"):
            return Unknown(self.unknown_origin + "." + name, 0)
        raise AttributeError("'time.struct_time' object has no attribute " + repr(name))


def ctime(seconds=None, /):
    return str(Unknown("time.ctime()"))


def asctime(when=None, /):
    return str(Unknown("time.asctime()"))


def strftime(format, when=None, /):
    return str(Unknown("time.strftime()"))


def localtime(seconds=None, /):
    return _Date("time.localtime()")


def gmtime(seconds=None, /):
    return _Date("time.gmtime()")
