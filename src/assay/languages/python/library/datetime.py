"""The module `datetime`: durations and dates that are written down are CPython's own, the present is not known.

`now()` and `today()` answer a moment that nobody knows (`_unknown`): comparing it follows both answers, and a text of it
is the same in every run.
"""

from _datetime import MAXYEAR, MINYEAR, time, timedelta, timezone
from _datetime import date as _date
from _datetime import datetime as _datetime

import _assay
from _unknown import Unknown

UTC = timezone.utc


class _Duration(Unknown):
    """How long something took."""

    def total_seconds(self):
        return Unknown(self.unknown_origin + ".total_seconds()", None, True)

    @property
    def days(self):
        return Unknown(self.unknown_origin + ".days", None, True)

    @property
    def seconds(self):
        return Unknown(self.unknown_origin + ".seconds", 0, True)

    @property
    def microseconds(self):
        return Unknown(self.unknown_origin + ".microseconds", 0, True)

    def __add__(self, other):
        return _Moment(self.unknown_origin) if isinstance(other, _Moment) else _Duration(self.unknown_origin)

    def __sub__(self, other):
        return _Duration(self.unknown_origin)

    __radd__ = __add__


class _Moment(Unknown):
    """The present, or what was computed from it."""

    def __add__(self, other):
        return _Moment(self.unknown_origin)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, (timedelta, _Duration)):
            return _Moment(self.unknown_origin)
        return _Duration(self.unknown_origin)

    def __rsub__(self, other):
        return _Duration(self.unknown_origin)

    def _text(self, *arguments, **keywords):
        return str(self)

    isoformat = ctime = strftime = _text

    def timestamp(self):
        return Unknown(self.unknown_origin + ".timestamp()", 0)

    def _another(self, *arguments, **keywords):
        return _Moment(self.unknown_origin)

    date = time = timetz = astimezone = replace = _another

    def weekday(self):
        return Unknown(self.unknown_origin + ".weekday()", 0)

    def _number(self):
        return Unknown(self.unknown_origin, 0)

    year = month = day = hour = minute = second = microsecond = property(_number)


class _KindOfMoment(type):
    """What is written down is CPython's own, and an instance all the same; so is the present."""

    def __instancecheck__(cls, value):
        return issubclass(type(value), cls)

    def __subclasscheck__(cls, kind):
        if kind in (date, datetime, _Moment):
            return cls is date or kind is not date
        return issubclass(kind, _date if cls is date else _datetime)


class datetime(metaclass=_KindOfMoment):
    """Calling it makes one of CPython's own."""

    min = _datetime.min
    max = _datetime.max

    def __new__(cls, *arguments, **keywords):
        return _datetime(*arguments, **keywords)

    @classmethod
    def now(cls, tz=None):
        return _Moment("datetime.now()")

    @classmethod
    def today(cls):
        return _Moment("datetime.today()")

    @classmethod
    def utcnow(cls):
        return _Moment("datetime.utcnow()")

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        if isinstance(timestamp, Unknown):
            return _Moment("datetime.fromtimestamp()")
        if tz is None:
            _assay.unsupported("datetime.fromtimestamp without a time zone is not modelled; give one")
        return _datetime.fromtimestamp(timestamp, tz)

    @classmethod
    def fromisoformat(cls, text):
        return _datetime.fromisoformat(text)

    @classmethod
    def combine(cls, *arguments, **keywords):
        return _datetime.combine(*arguments, **keywords)

    @classmethod
    def strptime(cls, text, format):
        _assay.unsupported("datetime.strptime is not modelled; use datetime.fromisoformat")


class date(metaclass=_KindOfMoment):
    """Calling it makes one of CPython's own."""

    min = _date.min
    max = _date.max

    def __new__(cls, *arguments, **keywords):
        return _date(*arguments, **keywords)

    @classmethod
    def today(cls):
        return _Moment("date.today()")

    @classmethod
    def fromisoformat(cls, text):
        return _date.fromisoformat(text)
