"""Arrays of numbers. Their items are in a list; what CPython's C code does in one piece is one piece here.

They stand for CPython's own: a built-in that would look into their memory (`memoryview`, `hashlib`) refuses them.
"""

import operator
import struct

import _assay

typecodes = "bBuhHiIlLqQfd"

# What CPython says of an integer that is too small or too large, in the order in which its C code asks.
_LONG = ((-(2**63), 2**63 - 1, *["Python int too large to convert to C long"] * 2),)
_UNSIGNED = (
    "can't convert negative value to unsigned int",
    "Python int too large to convert to C unsigned long",
)


def _bounds(name, least, most):
    return ((least, most, name + " is less than minimum", name + " is greater than maximum"),)


_SHORT = _LONG + _bounds("signed short integer", -(2**15), 2**15 - 1)
_INT = _LONG + _bounds("signed integer", -(2**31), 2**31 - 1)
_KINDS = {
    "b": _SHORT + _bounds("signed char", -(2**7), 2**7 - 1),
    "B": _LONG + _bounds("unsigned byte integer", 0, 2**8 - 1),
    "h": _SHORT,
    "H": _INT + _bounds("unsigned short", 0, 2**16 - 1),
    "i": _INT,
    "I": ((0, 2**64 - 1, *_UNSIGNED), *_bounds("unsigned int", 0, 2**32 - 1)),
    "l": _LONG,
    "L": ((0, 2**64 - 1, *_UNSIGNED),),
    "q": ((-(2**63), 2**63 - 1, *["int too big to convert"] * 2),),
    "Q": ((0, 2**64 - 1, "can't convert negative int to unsigned", "int too big to convert"),),
}


def _item(typecode, value):
    """What an array of that kind keeps of the value."""
    if typecode == "u":
        if not isinstance(value, str) or len(value) != 1:
            raise TypeError("array item must be unicode character")
        return value
    if typecode in "fd":
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError("must be real number, not " + type(value).__name__)
        if not hasattr(type(value), "__float__") and not hasattr(type(value), "__index__"):
            raise TypeError("must be real number, not " + type(value).__name__)
        number = float(value)
        return struct.unpack("f", struct.pack("f", number))[0] if typecode == "f" else number
    number = operator.index(value)
    for least, most, below, above in _KINDS[typecode]:
        if number < least:
            raise OverflowError(below)
        if number > most:
            raise OverflowError(above)
    return number


class array:
    _stands_for = ("array.array",)

    def __init__(self, typecode, initializer=(), /):
        if not isinstance(typecode, str) or len(typecode) != 1:
            raise TypeError("array() argument 1 must be a unicode character, not " + type(typecode).__name__)
        if typecode not in typecodes:
            raise ValueError("bad typecode (must be b, B, u, h, H, i, I, l, L, q, Q, f or d)")
        if isinstance(initializer, str) and typecode != "u":
            raise TypeError("cannot use a str to initialize an array with typecode '" + typecode + "'")
        self._array_kind = typecode
        self._array_items = []
        if isinstance(initializer, (bytes, bytearray)):
            self.frombytes(initializer)
        else:
            self._array_items = [_item(typecode, value) for value in initializer]

    @property
    def typecode(self):
        return self._array_kind

    @property
    def itemsize(self):
        return 4 if self._array_kind == "u" else struct.calcsize(self._array_kind)

    def _made(self, items):
        made = array(self._array_kind)
        made._array_items = items
        return made

    def _of_same_kind(self, other, doing):
        if not isinstance(other, array):
            raise TypeError(f'can only {doing} array (not "{type(other).__name__}") to array')
        if other._array_kind != self._array_kind:
            raise TypeError("bad argument type for built-in operation")
        return other._array_items

    @_assay.atomic
    def __len__(self):
        return len(self._array_items)

    @_assay.atomic
    def __getitem__(self, place):
        if isinstance(place, slice):
            return self._made(self._array_items[place])
        if not hasattr(type(place), "__index__"):
            raise TypeError("array indices must be integers")
        try:
            return self._array_items[place]
        except IndexError:
            raise IndexError("array index out of range") from None

    @_assay.atomic
    def __setitem__(self, place, value):
        if isinstance(place, slice):
            if not isinstance(value, array):
                raise TypeError(f'can only assign array (not "{type(value).__name__}") to array slice')
            self._array_items[place] = list(self._of_same_kind(value, "assign"))
            return
        if not hasattr(type(place), "__index__"):
            raise TypeError("array indices must be integers")
        item = _item(self._array_kind, value)
        try:
            self._array_items[place] = item
        except IndexError:
            raise IndexError("array assignment index out of range") from None

    @_assay.atomic
    def __delitem__(self, place):
        if not isinstance(place, slice) and not hasattr(type(place), "__index__"):
            raise TypeError("array indices must be integers")
        try:
            del self._array_items[place]
        except IndexError:
            raise IndexError("array assignment index out of range") from None

    def __iter__(self):
        return _ArrayIterator(self)

    @_assay.atomic
    def __contains__(self, value):
        return value in self._array_items

    @_assay.atomic
    def append(self, value, /):
        self._array_items.append(_item(self._array_kind, value))

    def extend(self, iterable, /):
        if isinstance(iterable, array):
            if iterable._array_kind != self._array_kind:
                raise TypeError("can only extend with array of same kind")
            self._extend(iterable)
        else:
            for value in iterable:
                self.append(value)

    @_assay.atomic
    def _extend(self, other):
        self._array_items += other._array_items

    @_assay.atomic
    def insert(self, place, value, /):
        self._array_items.insert(place, _item(self._array_kind, value))

    @_assay.atomic
    def pop(self, place=-1, /):
        if not self._array_items:
            raise IndexError("pop from empty array")
        try:
            return self._array_items.pop(place)
        except IndexError:
            raise IndexError("pop index out of range") from None

    @_assay.atomic
    def remove(self, value, /):
        try:
            self._array_items.remove(value)
        except ValueError:
            raise ValueError("array.remove(x): x not in array") from None

    @_assay.atomic
    def index(self, value, /, *more):
        try:
            return self._array_items.index(value, *more)
        except ValueError:
            raise ValueError("array.index(x): x not in array") from None

    @_assay.atomic
    def count(self, value, /):
        return self._array_items.count(value)

    @_assay.atomic
    def reverse(self):
        self._array_items.reverse()

    @_assay.atomic
    def tolist(self):
        return list(self._array_items)

    @_assay.atomic
    def tobytes(self):
        if self._array_kind == "u":
            return b"".join([item.encode("utf-32-le") for item in self._array_items])
        return struct.pack(str(len(self._array_items)) + self._array_kind, *self._array_items)

    __bytes__ = tobytes

    @_assay.atomic
    def tounicode(self):
        if self._array_kind != "u":
            raise ValueError("tounicode() may only be called on unicode type arrays")
        return "".join(self._array_items)

    @_assay.atomic
    def frombytes(self, buffer, /):
        if not isinstance(buffer, (bytes, bytearray)):
            _assay.unsupported("frombytes() of an array is modelled for bytes alone; give it bytes(...)")
        if len(buffer) % self.itemsize:
            raise ValueError("bytes length not a multiple of item size")
        if self._array_kind == "u":
            self._array_items += buffer.decode("utf-32-le")
        else:
            count = str(len(buffer) // self.itemsize)
            self._array_items += struct.unpack(count + self._array_kind, buffer)

    @_assay.atomic
    def fromlist(self, items, /):
        if not isinstance(items, list):
            raise TypeError("arg must be list")
        self._array_items += [_item(self._array_kind, value) for value in items]

    def fromunicode(self, text, /):
        if self._array_kind != "u":
            raise ValueError("fromunicode() may only be called on unicode type arrays")
        self.fromlist(list(text))

    @_assay.atomic
    def __add__(self, other):
        return self._made(self._array_items + self._of_same_kind(other, "append"))

    @_assay.atomic
    def __iadd__(self, other):
        if not isinstance(other, array):
            raise TypeError(f'can only extend array with array (not "{type(other).__name__}")')
        if other._array_kind != self._array_kind:
            raise TypeError("can only extend with array of same kind")
        self._array_items += other._array_items
        return self

    @_assay.atomic
    def __mul__(self, count):
        if not hasattr(type(count), "__index__"):
            raise TypeError("can't multiply sequence by non-int of type '" + type(count).__name__ + "'")
        return self._made(self._array_items * count)

    __rmul__ = __mul__

    @_assay.atomic
    def __imul__(self, count):
        self._array_items *= count
        return self

    def __copy__(self):
        return self[:]

    def __deepcopy__(self, memo, /):
        return self[:]

    @_assay.atomic
    def __eq__(self, other):
        return self._array_items == other._array_items if isinstance(other, array) else NotImplemented

    @_assay.atomic
    def __ne__(self, other):
        return self._array_items != other._array_items if isinstance(other, array) else NotImplemented

    @_assay.atomic
    def __lt__(self, other):
        return self._array_items < other._array_items if isinstance(other, array) else NotImplemented

    @_assay.atomic
    def __le__(self, other):
        return self._array_items <= other._array_items if isinstance(other, array) else NotImplemented

    @_assay.atomic
    def __gt__(self, other):
        return self._array_items > other._array_items if isinstance(other, array) else NotImplemented

    @_assay.atomic
    def __ge__(self, other):
        return self._array_items >= other._array_items if isinstance(other, array) else NotImplemented

    __hash__ = None

    @_assay.atomic
    def __repr__(self):
        if not self._array_items:
            return f"array('{self._array_kind}')"
        if self._array_kind == "u":
            return f"array('u', {''.join(self._array_items)!r})"
        return f"array('{self._array_kind}', {self._array_items!r})"

    def _refuse(self, *more):
        _assay.unsupported("this method of an array is not modelled; use tobytes() or tolist()")

    buffer_info = byteswap = fromfile = tofile = __reduce_ex__ = _refuse


class _ArrayIterator:
    def __init__(self, sequence):
        self._array_sequence = sequence
        self._array_next = 0

    def __iter__(self):
        return self

    @_assay.atomic
    def __next__(self):
        sequence = self._array_sequence
        if sequence is None or self._array_next >= len(sequence._array_items):
            self._array_sequence = None
            raise StopIteration
        self._array_next += 1
        return sequence._array_items[self._array_next - 1]


ArrayType = array
