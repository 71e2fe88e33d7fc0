"""Built-ins for arguments that belong to the program, so that the machine can stop inside of them.

The machine calls these instead of CPython's when an argument is a generator, a function or an instance of the program:
`NAME` stands for the built-in NAME, `TYPE_METHOD` for a method of a built-in type, and functions of `heapq` and `bisect`
have their own names. Results and errors are CPython's. Iterators are classes, not generators: an iterator of CPython
goes on after an exception, a generator does not.
"""

from collections import Counter as _Counter
from collections import OrderedDict as _OrderedDict
from collections import _count_elements
from collections import defaultdict as _defaultdict
from collections import abc as _abc
from collections import deque as _deque
from enum import sys as _interpreter

import _assay

_bytearray = bytearray
_bytes = bytes
_dict = dict
_frozenset = frozenset
_iter = iter
_list = list
_next = next
_print = print
_range = range
_repr = repr
_reversed = reversed
_set = set
_str = str
_sum = sum
_tuple = tuple

_is_3_12 = _interpreter.version_info >= (3, 12)


class _ABSENT:
    """Stands for a parameter that was not given; a class, because classes keep their identity from step to step."""


def _type_name(value):
    return type(value).__name__


def _instantiate(make, cls, /, *arguments, **keywords):
    """What calling a class does that has a `__new__` of its own."""
    made = make(cls, *arguments, **keywords)
    if cls in type(made).__mro__:
        type(made).__init__(made, *arguments, **keywords)
    return made


def _undisturbed(function, receiver, arguments, keywords, /):
    """Calls a function of CPython that the machine cannot stop, although others could come between what it does.

    If somebody changes what can be reached from the arguments while it could run, there is a schedule in which that
    happens between the two pieces here. Without such a schedule the call is as good as one piece.
    """
    if function is _str or function is _repr:
        use = "repr"
    else:
        use = "all" if type(function).__name__ == "function" else "compare"
    before = _assay.content((receiver, arguments, keywords), use)
    return _call_if_same(function, receiver, arguments, keywords, use, before)


@_assay.atomic
def _call_if_same(function, receiver, arguments, keywords, use, before):
    if _assay.content((receiver, arguments, keywords), use) != before:
        name = getattr(function, "__qualname__", "a function")
        _assay.unsupported(
            name + " of CPython reads what another thread changes at the same time, which is not modelled; "
            "hold a lock around both, or call it inside `with assay.atomic()`"
        )
    return function(*arguments, **keywords)


def _percent(text, values, /):
    """`text % values` where some of the values are numbers that nobody knows: these become texts."""
    if not isinstance(values, ().__class__):
        values = (values,)
    pieces = []
    used = 0
    rest = text
    while "%" in rest:
        before, _, rest = rest.partition("%")
        length = 0
        while length < len(rest) and rest[length] in "#0- +123456789.*":
            length += 1
        kind = rest[length : length + 1]
        flags = rest[:length]
        rest = rest[length + 1 :]
        if "*" in flags or kind == "(":
            return _plain_percent(text, values)
        if kind == "%":
            pieces.append(before + "%")
            continue
        value = values[used : used + 1]
        used += 1
        if value and hasattr(value[0], "_is_unknown"):
            pieces.append(before + str(value[0]))
        else:
            pieces.append(before + _plain_percent("%" + flags + kind, value))
    if used < len(values):
        raise TypeError("not all arguments converted during string formatting")
    return "".join(pieces) + rest


def _plain_percent(text, values):
    return text % tuple([str(value) if hasattr(value, "_is_unknown") else value for value in values])


def _items(iterable):
    """All items in a list."""
    items = []
    for item in iterable:
        items.append(item)
    return items


# Containers made from an iterable


def list(iterable=(), /):
    return _items(iterable)


def tuple(iterable=(), /):
    return _tuple(_items(iterable))


def set(iterable=(), /):
    result = _set()
    for item in iterable:
        result.add(item)
    return result


def frozenset(iterable=(), /):
    return _frozenset(set(iterable))


def bytes(source=b"", *arguments):
    if arguments or isinstance(source, (int, _str)):
        return _bytes(source, *arguments)
    return _bytes(_items(source))


def bytearray(source=b"", *arguments):
    if arguments or isinstance(source, (int, _str)):
        return _bytearray(source, *arguments)
    return _bytearray(_items(source))


def dict(*arguments, **keywords):
    if len(arguments) > 1:
        raise TypeError("dict expected at most 1 argument, got " + _str(len(arguments)))
    result = {}
    if arguments:
        _update(result, arguments[0])
    for key in keywords:
        result[key] = keywords[key]
    return result


def _update(target, source):
    if hasattr(source, "keys"):
        for key in source.keys():
            target[key] = source[key]
        return
    number = 0
    for element in source:
        try:
            pair = _items(element)
        except TypeError:
            raise TypeError(
                "cannot convert dictionary update sequence element #" + _str(number) + " to a sequence"
            ) from None
        if len(pair) != 2:
            raise ValueError(
                "dictionary update sequence element #"
                + _str(number)
                + " has length "
                + _str(len(pair))
                + "; 2 is required"
            )
        target[pair[0]] = pair[1]
        number += 1


def dict_update(self, *arguments, **keywords):
    if len(arguments) > 1:
        raise TypeError("update expected at most 1 argument, got " + _str(len(arguments)))
    if arguments:
        _update(self, arguments[0])
    for key in keywords:
        self[key] = keywords[key]


def dict_fromkeys(iterable, value=None, /):
    result = {}
    for key in iterable:
        result[key] = value
    return result


def deque(iterable=(), maxlen=None):
    result = _deque((), maxlen)
    for item in iterable:
        result.append(item)
    return result


def OrderedDict(*arguments, **keywords):
    result = _OrderedDict()
    dict_update(result, *arguments, **keywords)
    return result


def defaultdict(default_factory=None, /, *arguments, **keywords):
    result = _defaultdict(default_factory)
    dict_update(result, *arguments, **keywords)
    return result


def Counter(iterable=None, /, **keywords):
    result = _Counter()
    Counter_update(result, iterable, **keywords)
    return result


def Counter_update(self, iterable=None, /, **keywords):
    if iterable is not None:
        if hasattr(iterable, "items"):
            for key, count in iterable.items():
                self[key] = count + self[key]
        else:
            _count_elements(self, _items(iterable))
    for key in keywords:
        self[key] += keywords[key]


def Counter_subtract(self, iterable=None, /, **keywords):
    if iterable is not None:
        if hasattr(iterable, "items"):
            for key, count in iterable.items():
                self[key] = self[key] - count
        else:
            for item in iterable:
                self[item] -= 1
    for key in keywords:
        self[key] -= keywords[key]


# Methods that take an iterable


def list_extend(self, iterable, /):
    for item in iterable:
        self.append(item)


def deque_extend(self, iterable, /):
    for item in iterable:
        self.append(item)


def deque_extendleft(self, iterable, /):
    for item in iterable:
        self.appendleft(item)


def set_update(self, *others):
    for other in others:
        for item in other:
            self.add(item)


def set_union(self, *others):
    return self.union(*[_items(other) for other in others])


def set_intersection(self, *others):
    return self.intersection(*[_items(other) for other in others])


def set_difference(self, *others):
    return self.difference(*[_items(other) for other in others])


def set_symmetric_difference(self, other, /):
    return self.symmetric_difference(_items(other))


def set_intersection_update(self, *others):
    self.intersection_update(*[_items(other) for other in others])


def set_difference_update(self, *others):
    self.difference_update(*[_items(other) for other in others])


def set_symmetric_difference_update(self, other, /):
    self.symmetric_difference_update(_items(other))


def set_issubset(self, other, /):
    return self.issubset(_items(other))


def set_issuperset(self, other, /):
    return self.issuperset(_items(other))


def set_isdisjoint(self, other, /):
    return self.isdisjoint(_items(other))


frozenset_union = set_union
frozenset_intersection = set_intersection
frozenset_difference = set_difference
frozenset_symmetric_difference = set_symmetric_difference
frozenset_issubset = set_issubset
frozenset_issuperset = set_issuperset
frozenset_isdisjoint = set_isdisjoint


def str_join(self, iterable, /):
    try:
        iterator = _iter(iterable)
    except TypeError:
        raise TypeError("can only join an iterable") from None
    return self.join(_items(iterator))


def bytes_join(self, iterable, /):
    try:
        iterator = _iter(iterable)
    except TypeError:
        raise TypeError("can only join an iterable") from None
    return self.join(_items(iterator))


bytearray_join = bytes_join


# Sorting


def _merge_sort(entries):
    """The (key, item) pairs in order of their keys; equal ones stay as they were. Compares with < only."""
    count = len(entries)
    if count < 2:
        return entries
    left = _merge_sort(entries[: count // 2])
    right = _merge_sort(entries[count // 2 :])
    if not right[0][0] < left[-1][0]:
        return left + right
    merged = []
    taken_left = 0
    taken_right = 0
    while taken_left < len(left) and taken_right < len(right):
        if right[taken_right][0] < left[taken_left][0]:
            merged.append(right[taken_right])
            taken_right += 1
        else:
            merged.append(left[taken_left])
            taken_left += 1
    return merged + left[taken_left:] + right[taken_right:]


def _sorted_items(items, key, reverse):
    entries = []
    for item in items:
        entries.append((item if key is None else key(item), item))
    if reverse:
        entries.reverse()
    entries = _merge_sort(entries)
    if reverse:
        entries.reverse()
    return [entry[1] for entry in entries]


def sorted(iterable, /, *, key=None, reverse=False):
    return _sorted_items(_items(iterable), key, reverse)


def list_sort(self, /, *, key=None, reverse=False):
    items = self[:]
    self.clear()
    result = items
    finished = False
    try:
        result = _sorted_items(items, key, reverse)
        finished = True
    finally:
        modified = len(self) > 0
        self[:] = result
        if modified and finished:
            raise ValueError("list modified during sort")


def _extreme(name, arguments, key, default, is_better):
    if not arguments:
        raise TypeError(name + " expected at least 1 argument, got 0")
    if len(arguments) > 1:
        if default is not _ABSENT:
            raise TypeError("Cannot specify a default for " + name + "() with multiple positional arguments")
        candidates = arguments
    else:
        candidates = arguments[0]
    best = None
    best_key = None
    found = False
    for candidate in candidates:
        candidate_key = candidate if key is None else key(candidate)
        if not found or is_better(candidate_key, best_key):
            best = candidate
            best_key = candidate_key
            found = True
    if found:
        return best
    if default is not _ABSENT:
        return default
    raise ValueError(name + ("() iterable argument is empty" if _is_3_12 else "() arg is an empty sequence"))


def _is_less(one, other):
    return one < other


def _is_greater(one, other):
    return one > other


def min(*arguments, key=None, default=_ABSENT):
    return _extreme("min", arguments, key, default, _is_less)


def max(*arguments, key=None, default=_ABSENT):
    return _extreme("max", arguments, key, default, _is_greater)


# Folding


def sum(iterable, /, start=0):
    if isinstance(start, (_str, _bytes, _bytearray)):
        return _sum((), start)  # refused by CPython, each with its own sentence
    items = _items(iterable)
    for item in items:
        if not isinstance(item, (int, float, complex)):
            break
    else:
        return _sum(items, start)  # adds floating-point numbers as this Python does
    total = start
    for item in items:
        total = total + item
    return total


def any(iterable, /):
    for item in iterable:
        if item:
            return True
    return False


def all(iterable, /):
    for item in iterable:
        if not item:
            return False
    return True


def reduce(function, iterable, *initial):
    iterator = _iter(iterable)
    if initial:
        value = initial[0]
    else:
        try:
            value = _next(iterator)
        except StopIteration:
            raise TypeError("reduce() of empty iterable with no initial value") from None
    for item in iterator:
        value = function(value, item)
    return value


# Iterators


class map:
    def __init__(self, function, /, *iterables):
        if not iterables:
            raise TypeError("map() must have at least two arguments.")
        self._map_function = function
        self._map_iterators = [_iter(iterable) for iterable in iterables]

    def __iter__(self):
        return self

    def __next__(self):
        return self._map_function(*[_next(iterator) for iterator in self._map_iterators])


class filter:
    def __init__(self, function, iterable, /):
        self._filter_function = function
        self._filter_iterator = _iter(iterable)

    def __iter__(self):
        return self

    def __next__(self):
        function = self._filter_function
        while True:
            item = _next(self._filter_iterator)
            if item if function is None else function(item):
                return item


class zip:
    def __init__(self, *iterables, strict=False):
        iterators = []
        number = 0
        for iterable in iterables:
            number += 1
            try:
                iterators.append(_iter(iterable))
            except TypeError:
                raise TypeError("'" + _type_name(iterable) + "' object is not iterable") from None
        self._zip_iterators = iterators
        self._zip_strict = bool(strict)

    def __iter__(self):
        return self

    def __next__(self):
        if not self._zip_iterators:
            raise StopIteration
        items = []
        for iterator in self._zip_iterators:
            try:
                items.append(_next(iterator))
            except StopIteration:
                if not self._zip_strict:
                    raise
                break
        count = len(items)
        if count == len(self._zip_iterators):
            return _tuple(items)
        if count > 0:
            raise ValueError(_strict_message(count + 1, "shorter", count))
        number = 1
        for iterator in self._zip_iterators[1:]:
            number += 1
            try:
                _next(iterator)
            except StopIteration:
                continue
            raise ValueError(_strict_message(number, "longer", number - 1))
        raise StopIteration


def _strict_message(number, relation, others):
    earlier = " 1" if others == 1 else "s 1-" + _str(others)
    return "zip() argument " + _str(number) + " is " + relation + " than argument" + earlier


class enumerate:
    def __init__(self, iterable, start=0):
        self._enumerate_iterator = _iter(iterable)
        self._enumerate_count = start

    def __iter__(self):
        return self

    def __next__(self):
        item = _next(self._enumerate_iterator)
        count = self._enumerate_count
        self._enumerate_count = count + 1
        return (count, item)


class _ReversedSequence:
    def __init__(self, sequence):
        self._reversed_sequence = sequence
        self._reversed_next = len(sequence) - 1

    def __iter__(self):
        return self

    def __next__(self):
        if self._reversed_next < 0:
            raise StopIteration
        place = self._reversed_next
        self._reversed_next = place - 1
        try:
            return self._reversed_sequence[place]
        except (IndexError, StopIteration):
            self._reversed_next = -1
            raise StopIteration from None

    def __length_hint__(self):
        return self._reversed_next + 1


def reversed(sequence, /):
    kind = type(sequence)
    method = getattr(kind, "__reversed__", _ABSENT)
    if method is None:
        raise TypeError("'" + kind.__name__ + "' object is not reversible")
    if method is not _ABSENT:
        return method(sequence)
    if not hasattr(kind, "__getitem__") or isinstance(sequence, _dict):
        raise TypeError("'" + kind.__name__ + "' object is not reversible")
    return _ReversedSequence(sequence)


class _CallIterator:
    def __init__(self, function, sentinel):
        self._call_function = function
        self._call_sentinel = sentinel
        self._call_over = False

    def __iter__(self):
        return self

    def __next__(self):
        if self._call_over:
            raise StopIteration
        value = self._call_function()
        if value is self._call_sentinel or value == self._call_sentinel:
            self._call_over = True
            raise StopIteration
        return value


def iter(source, /, *sentinel):
    if not sentinel:
        return _iter(source)
    if not callable(source):
        raise TypeError("iter(v, w): v must be callable")
    return _CallIterator(source, sentinel[0])


def next(iterator, /, *default):
    if not default:
        return _next(iterator)
    try:
        return _next(iterator)
    except StopIteration:
        return default[0]


# Text


def str(value="", /):
    kind = type(value)
    if kind is _str:
        return value
    method = kind.__str__
    if method is object.__str__:
        return repr(value)
    text = method(value)
    if not isinstance(text, _str):
        raise TypeError("__str__ returned non-string (type " + _type_name(text) + ")")
    return text


def repr(value, /):
    return _repr_within(value, [])


def _repr_within(value, outer):
    """`outer` are the containers around the value: one that contains itself is shown as `...`."""
    kind = type(value)
    if kind is _list:
        return _repr_items(value, value, outer, "[", "]", "[...]")
    if kind is _tuple:
        return _repr_items(value, value, outer, "(", ",)" if len(value) == 1 else ")", "(...)")
    if kind is _set:
        return _repr_items(value, value, outer, "{", "}", "set(...)") if value else "set()"
    if kind is _frozenset:
        return (
            _repr_items(value, value, outer, "frozenset({", "})", "frozenset(...)")
            if value
            else "frozenset()"
        )
    if kind is _deque:
        end = "])" if value.maxlen is None else "], maxlen=" + _str(value.maxlen) + ")"
        return _repr_items(value, value, outer, "deque([", end, "[...]")
    if kind is _dict:
        return _repr_pairs(value, outer, "{", "}", "{...}")
    if kind is _defaultdict:
        if _is_inside(value, outer):
            return "defaultdict(...)"
        content = _repr_pairs(value, outer, "{", "}", "{...}")
        return "defaultdict(" + _repr_within(value.default_factory, outer) + ", " + content + ")"
    method = kind.__repr__
    if method is object.__repr__:
        # CPython writes the address, which is different in each run.
        return "<" + kind.__module__ + "." + kind.__qualname__ + " object at 0x...>"
    text = method(value)
    if not isinstance(text, _str):
        raise TypeError("__repr__ returned non-string (type " + _type_name(text) + ")")
    return text


def _is_inside(value, outer):
    for container in outer:
        if container is value:
            return True
    return False


def _repr_items(container, items, outer, begin, end, again):
    if _is_inside(container, outer):
        return again
    inner = outer + [container]
    return begin + ", ".join([_repr_within(item, inner) for item in items]) + end


def _repr_pairs(mapping, outer, begin, end, again):
    if _is_inside(mapping, outer):
        return again
    inner = outer + [mapping]
    texts = []
    for key in mapping:
        texts.append(_repr_within(key, inner) + ": " + _repr_within(mapping[key], inner))
    return begin + ", ".join(texts) + end


def print(*values, sep=" ", end="\n", file=None, flush=False):
    if sep is None:
        sep = " "
    elif not isinstance(sep, _str):
        raise TypeError("sep must be None or a string, not " + _type_name(sep))
    if end is None:
        end = "\n"
    elif not isinstance(end, _str):
        raise TypeError("end must be None or a string, not " + _type_name(end))
    text = sep.join([str(value) for value in values]) + end
    if file is None:
        _assay.write(text)
        return
    file.write(text)
    if flush:
        file.flush()


# heapq: a heap is a list in which no item is smaller than its parent


def _rise(heap, top, place):
    """The item at `place` moves up, at most to `top`, as far as it is smaller than its parents."""
    item = heap[place]
    while place > top:
        parent = (place - 1) >> 1
        if not item < heap[parent]:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def _sink(heap, place):
    """The item at `place` goes down to a leaf along the smaller children, then up to where it belongs."""
    count = len(heap)
    top = place
    item = heap[place]
    child = 2 * place + 1
    while child < count:
        right = child + 1
        if right < count and not heap[child] < heap[right]:
            child = right
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _rise(heap, top, place)


def heappush(heap, item, /):
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap, /):
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    smallest = heap[0]
    heap[0] = last
    _sink(heap, 0)
    return smallest


def heapreplace(heap, item, /):
    if not heap:
        raise IndexError("index out of range")
    smallest = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return smallest


def heappushpop(heap, item, /):
    if heap and heap[0] < item:
        smallest = heap[0]
        heap[0] = item
        _sink(heap, 0)
        return smallest
    return item


def heapify(heap, /):
    for place in _range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, place)


def nsmallest(n, iterable, key=None):
    return _sorted_items(_items(iterable), key, False)[:n] if n > 0 else []


def nlargest(n, iterable, key=None):
    return _sorted_items(_items(iterable), key, True)[:n] if n > 0 else []


def merge(*iterables, key=None, reverse=False):
    """The items of sorted iterables in order; of equal ones that of the earlier iterable first."""
    heads = []
    for iterable in iterables:
        iterator = _iter(iterable)
        for item in iterator:
            heads.append([item if key is None else key(item), item, iterator])
            break
    while heads:
        best = heads[0]
        place = 0
        for other in _range(1, len(heads)):
            head = heads[other]
            if best[0] < head[0] if reverse else head[0] < best[0]:
                best = head
                place = other
        yield best[1]
        for item in best[2]:
            best[0] = item if key is None else key(item)
            best[1] = item
            break
        else:
            del heads[place]


# bisect


def _check_low(low):
    if low < 0:
        raise ValueError("lo must be non-negative")


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    _check_low(lo)
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    _check_low(lo)
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


bisect = bisect_right


def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


insort = insort_right


# Methods of `collections` and `collections.abc` that are written in Python: they call methods of the program, or are
# many operations on what others may reach. CLASS_METHOD stands for the METHOD that CLASS gives to those derived from it.


def _matches(left, right):
    """`left is right or left == right`; values have no identity, so of them only the second is asked."""
    if type(left) in (int, float, _str, _bytes, _tuple, bool):
        return left == right
    return left is right or left == right


def Sequence___iter__(self):
    index = 0
    while True:
        try:
            value = self[index]
        except IndexError:
            return
        yield value
        index += 1


def Sequence___contains__(self, value):
    for item in self:
        if _matches(item, value):
            return True
    return False


def Sequence___reversed__(self):
    index = len(self) - 1
    while index >= 0:
        yield self[index]
        index -= 1


def Sequence_index(self, value, start=0, stop=None):
    if start is not None and start < 0:
        start = max(len(self) + start, 0)
    if stop is not None and stop < 0:
        stop += len(self)
    index = start
    while stop is None or index < stop:
        try:
            item = self[index]
        except IndexError:
            break
        if _matches(item, value):
            return index
        index += 1
    raise ValueError


def Sequence_count(self, value):
    found = 0
    for item in self:
        if _matches(item, value):
            found += 1
    return found


def MutableSequence_append(self, value):
    self.insert(len(self), value)


def MutableSequence_clear(self):
    try:
        while True:
            self.pop()
    except IndexError:
        pass


def MutableSequence_reverse(self):
    count = len(self)
    for index in _range(count // 2):
        self[index], self[count - index - 1] = self[count - index - 1], self[index]


def MutableSequence_extend(self, values):
    if values is self:
        values = _items(values)
    for value in values:
        self.append(value)


def MutableSequence_pop(self, index=-1):
    value = self[index]
    del self[index]
    return value


def MutableSequence_remove(self, value):
    del self[self.index(value)]


def MutableSequence___iadd__(self, values):
    self.extend(values)
    return self


def Mapping_get(self, key, default=None):
    try:
        return self[key]
    except KeyError:
        return default


def Mapping___contains__(self, key):
    try:
        self[key]
    except KeyError:
        return False
    return True


def Mapping_keys(self):
    return _view(_abc.KeysView, self)


def Mapping_items(self):
    return _view(_abc.ItemsView, self)


def Mapping_values(self):
    return _view(_abc.ValuesView, self)


def _view(kind, mapping):
    view = kind.__new__(kind)
    view._mapping = mapping
    return view


def Mapping___eq__(self, other):
    if not isinstance(other, _abc.Mapping):
        return NotImplemented
    return dict(self.items()) == dict(other.items())


def MappingView___len__(self):
    return len(self._mapping)


def MappingView___repr__(self):
    return type(self).__name__ + "(" + _repr(self._mapping) + ")"


def KeysView___contains__(self, key):
    return key in self._mapping


def KeysView___iter__(self):
    for key in self._mapping:
        yield key


def ItemsView___contains__(self, item):
    key, value = item
    try:
        found = self._mapping[key]
    except KeyError:
        return False
    return _matches(found, value)


def ItemsView___iter__(self):
    for key in self._mapping:
        yield (key, self._mapping[key])


def ValuesView___contains__(self, value):
    for key in self._mapping:
        if _matches(self._mapping[key], value):
            return True
    return False


def ValuesView___iter__(self):
    for key in self._mapping:
        yield self._mapping[key]


def MutableMapping_pop(self, key, default=_ABSENT):
    try:
        value = self[key]
    except KeyError:
        if default is _ABSENT:
            raise
        return default
    del self[key]
    return value


def MutableMapping_popitem(self):
    try:
        key = _next(_iter(self))
    except StopIteration:
        raise KeyError from None
    value = self[key]
    del self[key]
    return key, value


def MutableMapping_clear(self):
    try:
        while True:
            self.popitem()
    except KeyError:
        pass


def MutableMapping_update(self, other=(), /, **keywords):
    if isinstance(other, _abc.Mapping):
        for key in other:
            self[key] = other[key]
    elif hasattr(other, "keys"):
        for key in other.keys():
            self[key] = other[key]
    else:
        for key, value in other:
            self[key] = value
    for key in keywords:
        self[key] = keywords[key]


def MutableMapping_setdefault(self, key, default=None):
    try:
        return self[key]
    except KeyError:
        self[key] = default
    return default


def Set___le__(self, other):
    if not isinstance(other, _abc.Set):
        return NotImplemented
    if len(self) > len(other):
        return False
    for element in self:
        if element not in other:
            return False
    return True


def Set___lt__(self, other):
    if not isinstance(other, _abc.Set):
        return NotImplemented
    return len(self) < len(other) and self.__le__(other)


def Set___ge__(self, other):
    if not isinstance(other, _abc.Set):
        return NotImplemented
    if len(self) < len(other):
        return False
    for element in other:
        if element not in self:
            return False
    return True


def Set___gt__(self, other):
    if not isinstance(other, _abc.Set):
        return NotImplemented
    return len(self) > len(other) and self.__ge__(other)


def Set___eq__(self, other):
    if not isinstance(other, _abc.Set):
        return NotImplemented
    return len(self) == len(other) and self.__le__(other)


def Set__from_iterable(cls, iterable):
    return cls(iterable)


def Set___and__(self, other):
    if not isinstance(other, _abc.Iterable):
        return NotImplemented
    return self._from_iterable([value for value in other if value in self])


def Set_isdisjoint(self, other):
    for value in other:
        if value in self:
            return False
    return True


def Set___or__(self, other):
    if not isinstance(other, _abc.Iterable):
        return NotImplemented
    return self._from_iterable(_items(self) + _items(other))


def Set___sub__(self, other):
    if not isinstance(other, _abc.Set):
        if not isinstance(other, _abc.Iterable):
            return NotImplemented
        other = self._from_iterable(other)
    return self._from_iterable([value for value in self if value not in other])


def Set___rsub__(self, other):
    if not isinstance(other, _abc.Set):
        if not isinstance(other, _abc.Iterable):
            return NotImplemented
        other = self._from_iterable(other)
    return self._from_iterable([value for value in other if value not in self])


def Set___xor__(self, other):
    if not isinstance(other, _abc.Set):
        if not isinstance(other, _abc.Iterable):
            return NotImplemented
        other = self._from_iterable(other)
    return (self - other) | (other - self)


Set___rand__ = Set___and__
Set___ror__ = Set___or__
Set___rxor__ = Set___xor__


def MutableSet_remove(self, value):
    if value not in self:
        raise KeyError(value)
    self.discard(value)


def MutableSet_pop(self):
    try:
        value = _next(_iter(self))
    except StopIteration:
        raise KeyError from None
    self.discard(value)
    return value


def MutableSet_clear(self):
    try:
        while True:
            self.pop()
    except KeyError:
        pass


def MutableSet___ior__(self, other):
    for value in other:
        self.add(value)
    return self


def MutableSet___iand__(self, other):
    for value in self - other:
        self.discard(value)
    return self


def MutableSet___ixor__(self, other):
    if other is self:
        self.clear()
        return self
    if not isinstance(other, _abc.Set):
        other = self._from_iterable(other)
    for value in other:
        if value in self:
            self.discard(value)
        else:
            self.add(value)
    return self


def MutableSet___isub__(self, other):
    if other is self:
        self.clear()
    else:
        for value in other:
            self.discard(value)
    return self


def UserDict___len__(self):
    return len(self.data)


def UserDict___getitem__(self, key):
    if key in self.data:
        return self.data[key]
    if hasattr(type(self), "__missing__"):
        return type(self).__missing__(self, key)
    raise KeyError(key)


def UserDict___setitem__(self, key, item):
    self.data[key] = item


def UserDict___delitem__(self, key):
    del self.data[key]


def UserDict___iter__(self):
    return _iter(self.data)


def UserDict___contains__(self, key):
    return key in self.data


def UserDict___repr__(self):
    return _repr(self.data)


def UserDict___ior__(self, other):
    self.data |= other.data if hasattr(other, "data") else other
    return self


def UserList___len__(self):
    return len(self.data)


def UserList___getitem__(self, index):
    if isinstance(index, slice):
        return self.__class__(self.data[index])
    return self.data[index]


def UserList___setitem__(self, index, item):
    self.data[index] = item


def UserList___delitem__(self, index):
    del self.data[index]


def UserList___contains__(self, item):
    return item in self.data


def UserList___repr__(self):
    return _repr(self.data)


def UserList___iadd__(self, other):
    self.data += (
        other.data if hasattr(other, "data") else other if isinstance(other, _list) else _items(other)
    )
    return self


def UserList_append(self, item):
    self.data.append(item)


def UserList_insert(self, index, item):
    self.data.insert(index, item)


def UserList_pop(self, index=-1):
    return self.data.pop(index)


def UserList_remove(self, item):
    self.data.remove(item)


def UserList_clear(self):
    self.data.clear()


def UserList_reverse(self):
    self.data.reverse()


def UserList_sort(self, /, *arguments, **keywords):
    self.data.sort(*arguments, **keywords)


def UserList_extend(self, other):
    self.data.extend(other.data if hasattr(other, "data") else other)


def ChainMap___getitem__(self, key):
    for mapping in self.maps:
        try:
            return mapping[key]
        except KeyError:
            pass
    return self.__missing__(key)


def ChainMap_get(self, key, default=None):
    return self[key] if key in self else default


def ChainMap___contains__(self, key):
    for mapping in self.maps:
        if key in mapping:
            return True
    return False


def ChainMap___setitem__(self, key, value):
    self.maps[0][key] = value


def ChainMap___delitem__(self, key):
    try:
        del self.maps[0][key]
    except KeyError:
        raise KeyError("Key not found in the first mapping: " + _repr(key)) from None


def ChainMap_pop(self, key, *arguments):
    try:
        return self.maps[0].pop(key, *arguments)
    except KeyError:
        raise KeyError("Key not found in the first mapping: " + _repr(key)) from None


def ChainMap_clear(self):
    self.maps[0].clear()


def Counter__keep_positive(self):
    for element in [element for element, count in self.items() if not count > 0]:
        del self[element]
    return self


def Counter___iadd__(self, other):
    for element, count in other.items():
        self[element] += count
    return self._keep_positive()


def Counter___isub__(self, other):
    for element, count in other.items():
        self[element] -= count
    return self._keep_positive()


def Counter___ior__(self, other):
    for element, other_count in other.items():
        count = self[element]
        if other_count > count:
            self[element] = other_count
    return self._keep_positive()


def Counter___iand__(self, other):
    for element, count in self.items():
        other_count = other[element]
        if other_count < count:
            self[element] = other_count
    return self._keep_positive()
