"""Numbers that nobody knows when the program is checked: clocks and random numbers.

A comparison with one can come out either way, so both ways are followed, each time anew. That covers what can really
happen, and may cover more: two questions about the same number can get answers that do not go together. Bounds that
are known for sure (a clock is not negative) are kept, and of the results of arithmetic also what was answered, so that
a remaining time that was found positive stays so.
"""

import _assay


def _refuse(what, origin):
    _assay.unsupported(
        what + " needs the value of " + origin + ", which is not known when a program is checked; "
        "compare it, or let assay.choose(...) pick from the values that matter"
    )


class Unknown:
    """Bounds are pairs of a number and whether the number itself is excluded; None: nothing is known."""

    _is_unknown = True

    def __init__(self, origin, low=None, is_result=False):
        self.unknown_origin = origin
        self.unknown_low = None if low is None else (low, False)
        self.unknown_high = None
        self.unknown_is_result = is_result  # of arithmetic: what comparisons have told is remembered

    def _is_less(self, other):
        if isinstance(other, Unknown):
            return _assay.choose(2) == 1
        low = self.unknown_low
        if low is not None and low[0] >= other:
            return False
        high = self.unknown_high
        if high is not None and (high[0] < other or (high[0] == other and high[1])):
            return True
        answer = _assay.choose(2) == 1
        if self.unknown_is_result:
            if answer:
                self.unknown_high = (other, True)
            else:
                self.unknown_low = (other, False)
        return answer

    def _is_less_or_equal(self, other):
        if isinstance(other, Unknown):
            return _assay.choose(2) == 1
        low = self.unknown_low
        if low is not None and (low[0] > other or (low[0] == other and low[1])):
            return False
        high = self.unknown_high
        if high is not None and high[0] <= other:
            return True
        answer = _assay.choose(2) == 1
        if self.unknown_is_result:
            if answer:
                self.unknown_high = (other, False)
            else:
                self.unknown_low = (other, True)
        return answer

    def __lt__(self, other):
        return self._is_less(other)

    def __le__(self, other):
        return self._is_less_or_equal(other)

    def __gt__(self, other):
        return not self._is_less_or_equal(other)

    def __ge__(self, other):
        return not self._is_less(other)

    def __eq__(self, other):
        if other is None or isinstance(other, (str, bytes, tuple, list, dict)):
            return False
        return _assay.choose(2) == 1

    def __ne__(self, other):
        return not self.__eq__(other)

    def __hash__(self):
        _refuse("hash()", self.unknown_origin)

    def __bool__(self):
        return _assay.choose(2) == 1

    def _lowest(self):
        return None if self.unknown_low is None else self.unknown_low[0]

    def __add__(self, other):
        low = self._lowest()
        added = other._lowest() if isinstance(other, Unknown) else other
        return Unknown(self.unknown_origin, None if low is None or added is None else low + added, True)

    def __sub__(self, other):
        low = self._lowest()
        if low is not None and not isinstance(other, Unknown):
            return Unknown(self.unknown_origin, low - other, True)
        return Unknown(self.unknown_origin, None, True)

    def __mul__(self, other):
        low = self._lowest()
        factor = other._lowest() if isinstance(other, Unknown) else other
        if low is None or factor is None or low < 0 or factor < 0:
            return Unknown(self.unknown_origin, None, True)
        return Unknown(self.unknown_origin, low * factor, True)

    def _something(self, other=None):
        return Unknown(self.unknown_origin, None, True)

    def __abs__(self):
        return Unknown(self.unknown_origin, 0, True)

    def __round__(self, digits=None):
        return Unknown(self.unknown_origin, None, True)

    __radd__ = __add__
    __rmul__ = __mul__
    __rsub__ = _something
    __truediv__ = _something
    __rtruediv__ = _something
    __floordiv__ = _something
    __rfloordiv__ = _something
    __mod__ = _something
    __rmod__ = _something
    __pow__ = _something
    __rpow__ = _something
    __neg__ = _something

    def __pos__(self):
        return self

    def _as_text(self, specification=""):
        _assay.remark(
            self.unknown_origin
            + " becomes a text, which is taken for '<"
            + self.unknown_origin
            + ">' in every run"
        )
        return "<" + self.unknown_origin + ">"

    __str__ = _as_text
    __repr__ = _as_text
    __format__ = _as_text

    def __int__(self):
        _refuse("int()", self.unknown_origin)

    def __float__(self):
        _refuse("float()", self.unknown_origin)

    def __index__(self):
        _refuse("an index", self.unknown_origin)
