"""The module `time`: sleeping is a chance for others to run, and no clock says anything certain.

A thread may be left out of the schedule for any time, so `sleep` needs no length.
"""

import _assay
from _unknown import StandIn, Unknown

# The time zone is UTC, whoever runs the check.
timezone = altzone = daylight = 0
tzname = ("UTC", "UTC")
_END_OF_TIME = 253402300799  # the last second that a date of CPython can tell
_LONGEST_SLEEP = 9223372036.854775  # seconds: 64 bits of nanoseconds


def sleep(seconds, /):
    if not isinstance(seconds, (int, float, Unknown)):
        raise TypeError("'" + type(seconds).__name__ + "' object cannot be interpreted as an integer")
    if not isinstance(seconds, Unknown) and seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    if not isinstance(seconds, Unknown) and seconds > _LONGEST_SLEEP:
        raise OverflowError("timestamp too large to convert to C _PyTime_t")
    _assay.pause()


def time():
    return Unknown("time.time()", 0, False, _END_OF_TIME)


def monotonic():
    return Unknown("time.monotonic()", 0)


def perf_counter():
    return Unknown("time.perf_counter()", 0)


def process_time():
    return Unknown("time.process_time()", 0)


def thread_time():
    return Unknown("time.thread_time()", 0)


def time_ns():
    return Unknown("time.time_ns()", 0, False, _END_OF_TIME * 1000000000)


def monotonic_ns():
    return Unknown("time.monotonic_ns()", 0)


def perf_counter_ns():
    return Unknown("time.perf_counter_ns()", 0)


def process_time_ns():
    return Unknown("time.process_time_ns()", 0)


class _Date(StandIn):
    """A point in time, taken apart: every field is a number that nobody knows."""

    _stands_for = ("time.struct_time",)

    def __init__(self, origin):
        self.unknown_origin = origin

    def _from_zero(self):
        return Unknown(self.unknown_origin, 0)

    def _from_one(self):
        return Unknown(self.unknown_origin, 1)

    tm_year = tm_mon = tm_mday = tm_yday = property(_from_one)
    tm_gmtoff = tm_isdst = 0  # UTC, as above
    tm_zone = "UTC"
    tm_hour = tm_min = tm_sec = tm_wday = property(_from_zero)

    def _refuse_sequence(self, *arguments):
        _assay.unsupported(
            "a time as a tuple is not modelled; use its fields, as in time.localtime().tm_year"
        )

    __getitem__ = __len__ = __iter__ = __contains__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = (
        _refuse_sequence
    )
    __add__ = __radd__ = __mul__ = __rmul__ = _refuse_sequence
    __hash__ = StandIn.__hash__


def _require_seconds(seconds):
    if seconds is not None and not isinstance(seconds, (int, float, Unknown)):
        raise TypeError("'" + type(seconds).__name__ + "' object cannot be interpreted as an integer")


def thread_time_ns():
    return Unknown("time.thread_time_ns()", 0)


def ctime(seconds=None, /):
    _require_seconds(seconds)
    return str(Unknown("time.ctime()"))


def asctime(when=None, /):
    if when is not None and not isinstance(when, (_Date, tuple)):
        raise TypeError("Tuple or struct_time argument required")
    return str(Unknown("time.asctime()"))


def strftime(format, when=None, /):
    if not isinstance(format, str):
        raise TypeError("strftime() argument 1 must be str, not " + type(format).__name__)
    if when is not None and not isinstance(when, (_Date, tuple)):
        raise TypeError("Tuple or struct_time argument required")
    return str(Unknown("time.strftime()"))


def localtime(seconds=None, /):
    _require_seconds(seconds)
    return _Date("time.localtime()")


def gmtime(seconds=None, /):
    _require_seconds(seconds)
    return _Date("time.gmtime()")
