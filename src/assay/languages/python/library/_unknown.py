"""Numbers that nobody knows when the program is checked: clocks and random numbers.

A comparison with one can come out either way, so both ways are followed, each time anew. That covers what can really
happen, and may cover more: two questions about the same number can get answers that do not go together. Bounds that
are known for sure (a clock is not negative) are kept, and of random numbers and the results of arithmetic also what was
answered, so that a remaining time that was found positive stays so.

`_stands_for` names the types of CPython that it may be of. The machine lets nobody see more of it than those show.
"""

import math

import _assay

_MOST_REMAINDERS = 64


def _refuse(what, origin):
    _assay.unsupported(
        what + " needs the value of " + origin + ", which is not known when a program is checked; "
        "compare it, or let assay.choose(...) pick from the values that matter"
    )


class StandIn:
    """What all of them have in common: a text that is the same in every run, and no hash."""

    _stands_for = ()

    def __hash__(self):
        _refuse("hash()", self.unknown_origin)

    def _as_text(self, specification=""):
        if self.unknown_origin.startswith(("random.randint", "random.randrange", "random.getrandbits")):
            _refuse("a text", self.unknown_origin)  # which programs take for one that differs each time
        _assay.remark(
            self.unknown_origin
            + " becomes a text, which is taken for '<"
            + self.unknown_origin
            + ">' in every run"
        )
        return "<" + self.unknown_origin + ">"

    def _either(self):
        """Both answers are followed, and told: the next one about the same number may not go with this one."""
        _assay.remark(
            "whatever is asked about "
            + self.unknown_origin
            + " is answered both ways, each time anew: a run that fails may need answers that do not go together"
        )
        return either()

    __str__ = _as_text
    __repr__ = _as_text
    __format__ = _as_text


def either():
    """Both answers are followed."""
    return _assay.choose(2) == 1


class Unknown(StandIn):
    """A number. Bounds are pairs of a number and whether the number itself is excluded; None: nothing is known."""

    _stands_for = ("builtins.float", "builtins.int")

    def __init__(self, origin, low=None, is_result=False, high=None):
        self.unknown_origin = origin
        self.unknown_low = None if low is None else (low, False)
        self.unknown_high = None if high is None else (high, False)
        self.unknown_is_result = is_result  # of arithmetic: what comparisons have told is remembered
        self.unknown_is_whole = False

    def _goes_with(self, other):
        """Whether CPython computes with it as with a number; what has a say itself is refused or asked."""
        kind = type(other)
        if kind in (int, float, bool, Unknown) or isinstance(other, (int, float)):
            return True
        if (
            kind is complex
            or issubclass(kind, StandIn)
            or kind.__module__ in ("datetime", "decimal", "fractions")
        ):
            _refuse("a computation with a " + kind.__name__, self.unknown_origin)
        return False

    def _ends(self):
        """The numbers between which it lies, each None if nobody knows one."""
        low, high = self.unknown_low, self.unknown_high
        return None if low is None else low[0], None if high is None else high[0]

    def _is_less(self, other):
        low, high = self.unknown_low, self.unknown_high
        if isinstance(other, Unknown):
            least, most = other._ends()
            if other is self or (low is not None and most is not None and low[0] >= most):
                return False
            if high is not None and least is not None and high[0] < least:
                return True
            return self._either()
        if low is not None and low[0] >= other:
            return False
        if high is not None and (high[0] < other or (high[0] == other and high[1])):
            return True
        answer = self._either()
        if self.unknown_is_result:
            if answer:
                self.unknown_high = self._beside(other, -1)
            else:
                self.unknown_low = (other, False)
        return answer

    def _is_less_or_equal(self, other):
        low, high = self.unknown_low, self.unknown_high
        if isinstance(other, Unknown):
            least, most = other._ends()
            if other is self or (high is not None and least is not None and high[0] <= least):
                return True
            if low is not None and most is not None and low[0] > most:
                return False
            return self._either()
        if low is not None and (low[0] > other or (low[0] == other and low[1])):
            return False
        if high is not None and high[0] <= other:
            return True
        answer = self._either()
        if self.unknown_is_result:
            if answer:
                self.unknown_high = (other, False)
            else:
                self.unknown_low = self._beside(other, 1)
        return answer

    def _beside(self, other, step):
        """A bound that leaves a number itself out."""
        return (other + step, False) if self.unknown_is_whole and type(other) is int else (other, True)

    def _is_equal(self, other):
        if other is self:
            return True
        low, high = self.unknown_low, self.unknown_high
        is_known = not isinstance(other, Unknown)
        least, most = (other, other) if is_known else other._ends()
        if low is not None and most is not None and (low[0] > most or (low[0] == most and low[1])):
            return False
        if high is not None and least is not None and (high[0] < least or (high[0] == least and high[1])):
            return False
        if low is not None and high is not None and low[0] == high[0] == least == most:
            return True
        answer = self._either()
        if self.unknown_is_result and is_known:
            if answer:
                self.unknown_low = self.unknown_high = (other, False)
            elif low is not None and low[0] == other:
                self.unknown_low = self._beside(other, 1)
            elif high is not None and high[0] == other:
                self.unknown_high = self._beside(other, -1)
        return answer

    def __lt__(self, other):
        return self._is_less(other) if self._goes_with(other) else NotImplemented

    def __le__(self, other):
        return self._is_less_or_equal(other) if self._goes_with(other) else NotImplemented

    def __gt__(self, other):
        return not self._is_less_or_equal(other) if self._goes_with(other) else NotImplemented

    def __ge__(self, other):
        return not self._is_less(other) if self._goes_with(other) else NotImplemented

    def __eq__(self, other):
        return self._is_equal(other) if self._goes_with(other) else NotImplemented

    def __ne__(self, other):
        return not self._is_equal(other) if self._goes_with(other) else NotImplemented

    __hash__ = StandIn.__hash__

    def __bool__(self):
        return not self._is_equal(0)

    def _result(self, low, high, other=0):
        """Of arithmetic with another number, which rounds, but keeps the order of numbers."""
        made = Unknown(self.unknown_origin, low, True, high)
        made.unknown_is_whole = self.unknown_is_whole and (
            other.unknown_is_whole if isinstance(other, Unknown) else isinstance(other, int)
        )
        return made

    def __add__(self, other):
        if not self._goes_with(other):
            return NotImplemented
        low, high = self._ends()
        least, most = other._ends() if isinstance(other, Unknown) else (other, other)
        return self._result(
            None if low is None or least is None else low + least,
            None if high is None or most is None else high + most,
            other,
        )

    def __sub__(self, other):
        if not self._goes_with(other):
            return NotImplemented
        if other is self:
            return self._result(0, 0)
        low, high = self._ends()
        least, most = other._ends() if isinstance(other, Unknown) else (other, other)
        return self._result(
            None if low is None or most is None else low - most,
            None if high is None or least is None else high - least,
            other,
        )

    def __mul__(self, other):
        if not self._goes_with(other):
            return NotImplemented
        low, high = self._ends()
        if not isinstance(other, Unknown):
            ends = low if low is None else low * other, high if high is None else high * other
            return self._result(ends[other < 0], ends[other >= 0], other)
        least, most = other._ends()
        if low is None or least is None or low < 0 or least < 0:
            return self._result(None, None, other)
        return self._result(low * least, None if high is None or most is None else high * most, other)

    def _something(self):
        return Unknown(self.unknown_origin, None, True)

    def _difference_from(self, other):
        if not self._goes_with(other):
            return NotImplemented
        low, high = self._ends()
        return self._result(
            None if high is None else other - high, None if low is None else other - low, other
        )

    def _divided(self, other):
        if not self._goes_with(other):
            return NotImplemented
        if other == 0:  # of a number that nobody knows: both answers
            raise ZeroDivisionError("division by zero")
        return self._something()

    def _divided_down(self, other):
        """`//`, which keeps the order of numbers if the divisor is positive."""
        quotient = self._divided(other)
        if quotient is not NotImplemented and type(other) is int and other > 0:
            quotient.unknown_is_whole = self.unknown_is_whole
            if self.unknown_low is not None:
                quotient.unknown_low = (self.unknown_low[0] // other, False)
            if self.unknown_high is not None:
                quotient.unknown_high = (self.unknown_high[0] // other, False)
        return quotient

    def _remainder(self, other):
        """Of what is whole each remainder is followed, if there are not too many."""
        rest = self._divided(other)
        if rest is not NotImplemented and isinstance(other, (int, float)) and other > 0:
            low, high = self._ends()
            if low is not None and high is not None and 0 <= low and high < other:
                return self
            if self.unknown_is_whole and isinstance(other, int):
                if other <= _MOST_REMAINDERS:
                    return 0 if other == 1 else _assay.choose(other)
                rest = self._result(0, other - 1)
            else:
                rest.unknown_low, rest.unknown_high = (0, False), (other, False)
        return rest

    def _dividing(self, other):
        if not self._goes_with(other):
            return NotImplemented
        if not self._is_positive() and self._either():
            raise ZeroDivisionError("division by zero")
        return self._something()

    def _is_positive(self):
        low = self.unknown_low
        return low is not None and (low[0] > 0 or (low[0] == 0 and low[1]))

    def __pow__(self, other, modulus=None):
        if not self._goes_with(other):
            return NotImplemented
        if modulus is not None or type(other) is not int or other < 0:
            _refuse("this power", self.unknown_origin)  # it may be complex, or no number at all
        return self._something()

    def __rpow__(self, other, modulus=None):
        if not self._goes_with(other):
            return NotImplemented
        _refuse("this power", self.unknown_origin)  # it may be too large for CPython

    def __neg__(self):
        low, high = self._ends()
        return self._result(None if high is None else -high, None if low is None else -low)

    def __pos__(self):
        return self

    def __abs__(self):
        low, high = self._ends()
        if low is not None and low >= 0:
            return self._result(low, high)
        if high is not None and high <= 0:
            return -self
        return self._result(0, None if low is None or high is None else max(-low, high))

    def __round__(self, digits=None):
        return self._something()

    __radd__ = __add__
    __rmul__ = __mul__
    __rsub__ = _difference_from
    __truediv__ = _divided
    __mod__ = _remainder
    __floordiv__ = _divided_down
    __rtruediv__ = __rfloordiv__ = __rmod__ = _dividing

    def _converted(self, kind):
        """What `int(...)` and `float(...)` make of it; they keep the order of numbers."""
        made = Unknown(self.unknown_origin, None, True)
        made.unknown_is_whole = kind is not float
        if self.unknown_low is not None:
            made.unknown_low = (kind(self.unknown_low[0]), False)
        if self.unknown_high is not None:
            made.unknown_high = (kind(self.unknown_high[0]), False)
        return made

    def __ceil__(self):
        return self._converted(math.ceil)

    def __floor__(self):
        return self._converted(math.floor)

    def __trunc__(self):
        return self._converted(math.trunc)

    def __int__(self):
        _refuse("int()", self.unknown_origin)

    def __float__(self):
        _refuse("float()", self.unknown_origin)

    def __complex__(self):
        _refuse("complex()", self.unknown_origin)

    def __index__(self):
        _refuse("an index", self.unknown_origin)

    def _refuse_digits(self, other=None):
        _refuse("this operation", self.unknown_origin)  # integers have it, other numbers do not

    __and__ = __or__ = __xor__ = __lshift__ = __rshift__ = _refuse_digits
    __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = _refuse_digits
    __invert__ = __divmod__ = __rdivmod__ = _refuse_digits
