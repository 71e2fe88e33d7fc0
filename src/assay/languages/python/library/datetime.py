"""The module `datetime`: durations and dates that are written down are CPython's own, the present is not known.

`now()` and `today()` answer a moment that nobody knows (`_unknown`): comparing it follows both answers, and a text of it
is the same in every run.
"""

from _datetime import MAXYEAR, MINYEAR, time, timedelta, timezone, tzinfo
from _datetime import date as _date
from _datetime import datetime as _datetime

import _assay
from _unknown import StandIn, Unknown

UTC = timezone.utc


def _is_duration(value):
    return isinstance(value, (timedelta, _Duration))


def _awareness(value):
    """Whether a moment knows its time zone; None of what is no moment."""
    if isinstance(value, _Moment):
        return value.unknown_is_aware
    if isinstance(value, _datetime):
        return value.utcoffset() is not None
    return None


def _is_day(value):
    return isinstance(value, _Day) or (isinstance(value, _date) and not isinstance(value, _datetime))


def _require_zone(tz):
    if tz is not None and not isinstance(tz, tzinfo):
        raise TypeError(
            "tzinfo argument must be None or of a tzinfo subclass, not type " + repr(type(tz).__name__)
        )


def _is_aware(tz):
    """Whether what is in that zone knows how far it is from UTC; of a zone of the program, one day is asked about."""
    _require_zone(tz)
    return tz is not None and (
        isinstance(tz, timezone) or tz.utcoffset(_datetime(2001, 1, 1, tzinfo=tz)) is not None
    )


def _require_plain(cls, plain):
    if cls is not plain:
        _assay.unsupported(
            "classes derived from datetime." + plain.__name__ + " are not modelled; keep one in an attribute"
        )


def _require_timespec(timespec):
    if not isinstance(timespec, str):
        raise TypeError("isoformat() argument 2 must be str, not " + type(timespec).__name__)
    if timespec not in ("auto", "hours", "minutes", "seconds", "milliseconds", "microseconds"):
        raise ValueError("Unknown timespec value")


class _Compared(StandIn):
    """What is ordered among its kind, and differs from everything else."""

    def _is_comparable(self, other):
        """Whether both can be asked which is first; raises what CPython raises."""
        return False

    def _order(self, other):
        return self._either() if self._is_comparable(other) else NotImplemented

    __lt__ = __le__ = __gt__ = __ge__ = _order

    def __eq__(self, other):
        return self._either() if self._is_equatable(other) else NotImplemented

    def __ne__(self, other):
        return self._either() if self._is_equatable(other) else NotImplemented

    __hash__ = StandIn.__hash__

    def _is_equatable(self, other):
        return self._is_comparable(other)


class _Duration(_Compared):
    """How long something took."""

    _stands_for = ("datetime.timedelta",)

    def __init__(self, origin):
        self.unknown_origin = origin

    def _is_comparable(self, other):
        return _is_duration(other)

    def __bool__(self):
        return self._either()

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

    def _another(self):
        return _Duration(self.unknown_origin)

    __neg__ = __pos__ = __abs__ = _another

    def __add__(self, other):
        if _is_duration(other):
            return self._another()
        if _awareness(other) is not None:
            return _Moment(self.unknown_origin, _awareness(other))
        return _Day(self.unknown_origin) if _is_day(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        return self._another() if _is_duration(other) else NotImplemented

    def __rsub__(self, other):
        return self.__add__(other)

    def __mul__(self, other):
        return self._another() if isinstance(other, (int, float, Unknown)) else NotImplemented

    __rmul__ = __mul__

    def _divided(self, other):
        if _is_duration(other):
            if not other:
                raise ZeroDivisionError("division by zero")
            return Unknown(self.unknown_origin, None, True)
        if not isinstance(other, (int, float, Unknown)):
            return NotImplemented
        if other == 0:
            raise ZeroDivisionError("division by zero")
        return self._another()

    def _dividing(self, other):
        if not _is_duration(other):
            return NotImplemented
        if self._either():
            raise ZeroDivisionError("division by zero")
        return Unknown(self.unknown_origin, None, True)

    def _refuse_remainder(self, other):
        _assay.unsupported("the remainder of a duration that nobody knows is not modelled; compare it")

    __truediv__ = _divided
    __rtruediv__ = _dividing
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _refuse_remainder


class _Field(_Compared):
    """A part of the present that has a type of its own."""

    def __init__(self, origin):
        self.unknown_origin = origin

    def strftime(self, format):
        if not isinstance(format, str):
            raise TypeError("strftime() argument 1 must be str, not " + type(format).__name__)
        return str(self)

    def isoformat(self):
        return str(self)

    def _number(self):
        return Unknown(self.unknown_origin, 0)

    def _from_one(self):
        return Unknown(self.unknown_origin, 1)


class _Hour(_Field):
    """A time of day."""

    _stands_for = ("datetime.time",)

    def __init__(self, origin, is_aware=False):
        self.unknown_origin = origin
        self.unknown_is_aware = is_aware

    def _is_comparable(self, other):
        if not isinstance(other, (time, _Hour)):
            return False
        if self.unknown_is_aware or (isinstance(other, _Hour) and other.unknown_is_aware):
            _assay.unsupported("times of day in time zones are not modelled when they are compared")
        if isinstance(other, time) and other.utcoffset() is not None:
            raise TypeError("can't compare offset-naive and offset-aware times")
        return True

    def _is_equatable(self, other):
        if isinstance(other, time) and other.utcoffset() is not None and not self.unknown_is_aware:
            return False
        return self._is_comparable(other)

    def isoformat(self, timespec="auto"):
        _require_timespec(timespec)
        return str(self)

    hour = minute = second = microsecond = property(_Field._number)


class _Day(_Field):
    """Today, or what was computed from it."""

    _stands_for = ("datetime.date",)

    def _is_comparable(self, other):
        if _awareness(other) is not None:
            raise TypeError("can't compare datetime.datetime to datetime.date")
        return _is_day(other)

    def _is_equatable(self, other):
        return _is_day(other)

    def _another(self):
        return _Day(self.unknown_origin)

    def __add__(self, other):
        return self._another() if _is_duration(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if _is_duration(other):
            return self._another()
        return _Duration(self.unknown_origin) if _is_day(other) else NotImplemented

    def __rsub__(self, other):
        return _Duration(self.unknown_origin) if _is_day(other) else NotImplemented

    def ctime(self):
        return str(self)

    def weekday(self):
        return self._number()

    isoweekday = toordinal = _Field._from_one
    year = month = day = property(_Field._from_one)


class _Moment(_Day):
    """The present, or what was computed from it."""

    _stands_for = ("datetime.datetime",)

    def __init__(self, origin, is_aware=False):
        self.unknown_origin = origin
        self.unknown_is_aware = is_aware

    def _is_comparable(self, other):
        awareness = _awareness(other)
        if awareness is None:
            if _is_day(other):
                raise TypeError("can't compare datetime.datetime to datetime.date")
            return False
        if awareness != self.unknown_is_aware:
            raise TypeError("can't compare offset-naive and offset-aware datetimes")
        return True

    def _is_equatable(self, other):
        return _awareness(other) == self.unknown_is_aware

    def _another(self):
        return _Moment(self.unknown_origin, self.unknown_is_aware)

    def _since(self, other):
        awareness = _awareness(other)
        if awareness is None:
            return NotImplemented
        if awareness != self.unknown_is_aware:
            raise TypeError("can't subtract offset-naive and offset-aware datetimes")
        return _Duration(self.unknown_origin)

    def __sub__(self, other):
        return self._another() if _is_duration(other) else self._since(other)

    def __rsub__(self, other):
        return self._since(other)

    def isoformat(self, sep="T", timespec="auto"):
        if not isinstance(sep, str) or len(sep) != 1:
            raise TypeError("isoformat() argument 1 must be a unicode character")
        _require_timespec(timespec)
        return str(self)

    def timestamp(self):
        return Unknown(self.unknown_origin + ".timestamp()", 0)

    def date(self):
        return _Day(self.unknown_origin)

    def time(self):
        return _Hour(self.unknown_origin)

    def timetz(self):
        return _Hour(self.unknown_origin, self.unknown_is_aware)

    def astimezone(self, tz=None):
        return _Moment(self.unknown_origin, tz is None or _is_aware(tz))

    def replace(self, **fields):
        is_aware = _is_aware(fields["tzinfo"]) if "tzinfo" in fields else self.unknown_is_aware
        for name in fields:
            if name not in ("tzinfo", "microsecond", "fold"):
                _assay.unsupported(
                    "datetime.replace("
                    + name
                    + "=...) of the present is not modelled: CPython refuses some values"
                )
        return _Moment(self.unknown_origin, is_aware)

    hour = minute = second = microsecond = property(_Field._number)


class _KindOfMoment(type):
    """What is written down is CPython's own, and an instance all the same; so is the present."""

    def __instancecheck__(cls, value):
        return issubclass(type(value), cls)

    def __subclasscheck__(cls, kind):
        if kind in (date, datetime, _Day, _Moment):
            return cls is date or kind in (datetime, _Moment)
        return issubclass(kind, _date if cls is date else _datetime)


class datetime(metaclass=_KindOfMoment):
    """Calling it makes one of CPython's own."""

    min = _datetime.min
    max = _datetime.max

    def __new__(cls, *arguments, **keywords):
        _require_plain(cls, datetime)
        return _datetime(*arguments, **keywords)

    @classmethod
    def now(cls, tz=None):
        _require_plain(cls, datetime)
        return _Moment("datetime.now()", _is_aware(tz))

    @classmethod
    def today(cls):
        _require_plain(cls, datetime)
        return _Moment("datetime.today()")

    @classmethod
    def utcnow(cls):
        _require_plain(cls, datetime)
        return _Moment("datetime.utcnow()")

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        _require_plain(cls, datetime)
        if isinstance(timestamp, Unknown):
            return _Moment("datetime.fromtimestamp()", _is_aware(tz))
        if tz is None:
            _assay.unsupported("datetime.fromtimestamp without a time zone is not modelled; give one")
        return _datetime.fromtimestamp(timestamp, tz)

    @classmethod
    def fromisoformat(cls, text):
        _require_plain(cls, datetime)
        return _datetime.fromisoformat(text)

    @classmethod
    def combine(cls, *arguments, **keywords):
        _require_plain(cls, datetime)
        return _datetime.combine(*arguments, **keywords)

    @classmethod
    def fromordinal(cls, ordinal):
        _require_plain(cls, datetime)
        return _datetime.fromordinal(ordinal)

    @classmethod
    def fromisocalendar(cls, year, week, day):
        _require_plain(cls, datetime)
        return _datetime.fromisocalendar(year, week, day)

    @classmethod
    def utcfromtimestamp(cls, timestamp):
        _require_plain(cls, datetime)
        if isinstance(timestamp, Unknown):
            return _Moment("datetime.utcfromtimestamp()")
        return _datetime.utcfromtimestamp(timestamp)

    @classmethod
    def strptime(cls, text, format):
        _assay.unsupported("datetime.strptime is not modelled; use datetime.fromisoformat")


class date(metaclass=_KindOfMoment):
    """Calling it makes one of CPython's own."""

    min = _date.min
    max = _date.max

    def __new__(cls, *arguments, **keywords):
        _require_plain(cls, date)
        return _date(*arguments, **keywords)

    @classmethod
    def today(cls):
        _require_plain(cls, date)
        return _Day("date.today()")

    @classmethod
    def fromisoformat(cls, text):
        _require_plain(cls, date)
        return _date.fromisoformat(text)

    @classmethod
    def fromordinal(cls, ordinal):
        _require_plain(cls, date)
        return _date.fromordinal(ordinal)

    @classmethod
    def fromisocalendar(cls, year, week, day):
        _require_plain(cls, date)
        return _date.fromisocalendar(year, week, day)
