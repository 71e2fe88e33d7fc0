"""The module `itertools` for programs under the machine.

Those that call the program's code or take from another iterator are classes, because they go on after an exception, as
CPython's do. `count` takes from an iterator over a range, in one access, so threads can share it as a counter.
"""

import operator as _operator
from enum import sys as _interpreter

import _assay

_LARGE = 1 << 62


class _Given:
    """Gives out what a generator makes."""

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._given_source)


class count:
    _stored_in_c = ()

    def __repr__(self):
        _assay.unsupported("repr() of itertools.count is not modelled; print its next value instead")

    def __init__(self, start=0, step=1):
        start + step  # noqa: B018  # what cannot be counted is an error now
        if isinstance(start, int) and isinstance(step, int) and step != 0 and abs(start) < _LARGE // 2:
            self._count_source = iter(range(start, _LARGE if step > 0 else -_LARGE, step))
        else:
            self._count_source = _Progression(start, step)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._count_source)


class _Progression:
    def __init__(self, start, step):
        self._progression_next = start
        self._progression_step = step

    def __iter__(self):
        return self

    @_assay.atomic
    def __next__(self):
        value = self._progression_next
        self._progression_next = value + self._progression_step
        return value


class cycle:
    _stored_in_c = ()

    def __init__(self, iterable, /):
        self._cycle_source = iter(iterable)
        self._cycle_items = []
        self._cycle_place = -1  # as long as the source gives items

    def __iter__(self):
        return self

    def __next__(self):
        if self._cycle_from_source():
            try:
                item = next(self._cycle_source)
            except StopIteration:
                pass
            else:
                self._cycle_items.append(item)
                return item
        return self._cycle_again()

    @_assay.atomic
    def _cycle_from_source(self):
        return self._cycle_place < 0

    @_assay.atomic
    def _cycle_again(self):
        if not self._cycle_items:
            raise StopIteration
        place = self._cycle_place if self._cycle_place >= 0 else 0
        self._cycle_place = (place + 1) % len(self._cycle_items)
        return self._cycle_items[place]


class repeat:
    _stored_in_c = ()

    def __repr__(self):
        _assay.unsupported("repr() of itertools.repeat is not modelled; print what it repeats instead")

    def __init__(self, object, times=None):
        self._repeat_object = object
        self._repeat_left = None if times is None else iter(range(times))

    def __iter__(self):
        return self

    def __next__(self):
        if self._repeat_left is not None:
            next(self._repeat_left)
        return self._repeat_object


class chain:
    _stored_in_c = ()

    def __init__(self, *iterables):
        self._chain_sources = iter(iterables)
        self._chain_current = None

    @classmethod
    def from_iterable(cls, iterable, /):
        self = cls()
        self._chain_sources = iter(iterable)
        return self

    def __iter__(self):
        return self

    def __next__(self):
        while True:
            if self._chain_current is None:
                self._chain_current = iter(next(self._chain_sources))
            try:
                return next(self._chain_current)
            except StopIteration:
                self._chain_current = None


class accumulate:
    _stored_in_c = ()

    def __init__(self, iterable, func=None, *, initial=None):
        self._accumulate_source = iter(iterable)
        self._accumulate_function = _operator.add if func is None else func
        self._accumulate_total = initial
        self._accumulate_stage = 0 if initial is None else 1  # 2: a total was given out

    def __iter__(self):
        return self

    def __next__(self):
        if self._accumulate_stage == 1:
            self._accumulate_stage = 2
            return self._accumulate_total
        item = next(self._accumulate_source)
        if self._accumulate_stage == 0:
            self._accumulate_stage = 2
            self._accumulate_total = item
        else:
            self._accumulate_total = self._accumulate_function(self._accumulate_total, item)
        return self._accumulate_total


class compress:
    _stored_in_c = ()

    def __init__(self, data, selectors):
        self._compress_data = iter(data)
        self._compress_selectors = iter(selectors)

    def __iter__(self):
        return self

    def __next__(self):
        while True:
            item = next(self._compress_data)
            if next(self._compress_selectors):
                return item


class dropwhile:
    _stored_in_c = ()

    def __init__(self, predicate, iterable, /):
        self._dropwhile_predicate = predicate
        self._dropwhile_source = iter(iterable)
        self._dropwhile_dropping = True

    def __iter__(self):
        return self

    def __next__(self):
        while True:
            item = next(self._dropwhile_source)
            if not self._dropwhile_dropping:
                return item
            if not self._dropwhile_predicate(item):
                self._dropwhile_dropping = False
                return item


class takewhile:
    _stored_in_c = ()

    def __init__(self, predicate, iterable, /):
        self._takewhile_predicate = predicate
        self._takewhile_source = iter(iterable)
        self._takewhile_over = False

    def __iter__(self):
        return self

    def __next__(self):
        if self._takewhile_over:
            raise StopIteration
        item = next(self._takewhile_source)
        if self._takewhile_predicate(item):
            return item
        self._takewhile_over = True
        raise StopIteration


class filterfalse:
    _stored_in_c = ()

    def __init__(self, predicate, iterable, /):
        self._filterfalse_predicate = predicate
        self._filterfalse_source = iter(iterable)

    def __iter__(self):
        return self

    def __next__(self):
        predicate = self._filterfalse_predicate
        while True:
            item = next(self._filterfalse_source)
            if not (item if predicate is None else predicate(item)):
                return item


class starmap:
    _stored_in_c = ()

    def __init__(self, function, iterable, /):
        self._starmap_function = function
        self._starmap_source = iter(iterable)

    def __iter__(self):
        return self

    def __next__(self):
        return self._starmap_function(*next(self._starmap_source))


class pairwise:
    _stored_in_c = ()

    def __init__(self, iterable, /):
        self._pairwise_source = iter(iterable)
        self._pairwise_last = None
        self._pairwise_started = False

    def __iter__(self):
        return self

    def __next__(self):
        source = self._pairwise_source
        if source is None:
            raise StopIteration
        try:
            last = self._pairwise_last
            if not self._pairwise_started:
                last = next(source)
                self._pairwise_last = last
                self._pairwise_started = True
            item = next(source)
        except StopIteration:
            self._pairwise_source = None
            raise
        self._pairwise_last = item
        return (last, item)


class islice:
    _stored_in_c = ()

    def __init__(self, iterable, *bounds):
        if not 1 <= len(bounds) <= 3:
            raise TypeError("islice expected at least 2 arguments, got 1" if not bounds else
                            "islice expected at most 4 arguments, got " + str(1 + len(bounds)))  # fmt: skip
        bounds = [bound.__index__() if hasattr(type(bound), "__index__") else bound for bound in bounds]
        start = 0
        step = 1
        if len(bounds) == 1:
            stop = bounds[0]
            if stop is not None and (not isinstance(stop, int) or stop < 0):
                raise ValueError(
                    "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."
                )
        else:
            start = 0 if bounds[0] is None else bounds[0]
            stop = bounds[1]
            if len(bounds) == 3 and bounds[2] is not None:
                step = bounds[2]
            for bound in (start, stop):
                if bound is not None and (not isinstance(bound, int) or bound < 0):
                    raise ValueError(
                        "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize."
                        if bound is start or isinstance(bound, int)
                        else "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."
                    )
            if not isinstance(step, int) or step < 1:
                raise ValueError("Step for islice() must be a positive integer or None.")
        self._islice_source = iter(iterable)
        self._islice_taken = 0  # items taken from the source
        self._islice_next = start  # place of the next item to give out
        self._islice_stop = stop
        self._islice_step = step

    def __iter__(self):
        return self

    def __next__(self):
        stop = self._islice_stop
        if self._islice_source is None:
            raise StopIteration
        try:
            while self._islice_taken < self._islice_next:
                next(self._islice_source)
                self._islice_taken += 1
            if stop is not None and self._islice_taken >= stop:
                raise StopIteration
            item = next(self._islice_source)
        except StopIteration:
            self._islice_source = None
            raise
        self._islice_taken += 1
        self._islice_next += self._islice_step
        if stop is not None and self._islice_next > stop:
            self._islice_next = stop
        return item


class zip_longest:
    _stored_in_c = ()

    def __init__(self, *iterables, fillvalue=None):
        self._longest_sources = [iter(iterable) for iterable in iterables]  # None: ended
        self._longest_active = len(iterables)
        self._longest_fill = fillvalue

    def __iter__(self):
        return self

    def __next__(self):
        if not self._longest_active:
            raise StopIteration
        items = []
        for place in range(len(self._longest_sources)):
            source = self._longest_sources[place]
            if source is None:
                items.append(self._longest_fill)
                continue
            try:
                items.append(next(source))
            except StopIteration:
                self._longest_active -= 1
                if not self._longest_active:
                    raise
                self._longest_sources[place] = None
                items.append(self._longest_fill)
        return tuple(items)


def _are_same(left, right):
    """As containers compare their elements."""
    return left is right or left == right


class groupby:
    _stored_in_c = ()

    def __init__(self, iterable, key=None):
        self._groupby_source = iter(iterable)
        self._groupby_function = key
        self._groupby_has_item = False
        self._groupby_item = None
        self._groupby_key = None
        self._groupby_group = None  # the one that may still take items
        self._groupby_target = None
        self._groupby_has_target = False

    def __iter__(self):
        return self

    def _groupby_step(self):
        item = next(self._groupby_source)
        self._groupby_key = item if self._groupby_function is None else self._groupby_function(item)
        self._groupby_item = item
        self._groupby_has_item = True

    def __next__(self):
        self._groupby_group = None
        if not self._groupby_has_item:
            self._groupby_step()
        while self._groupby_has_target and _are_same(self._groupby_key, self._groupby_target):
            self._groupby_step()
        self._groupby_target = self._groupby_key
        self._groupby_has_target = True
        self._groupby_group = _Group(self, self._groupby_key)
        return (self._groupby_key, self._groupby_group)


class _Group:
    def __init__(self, owner, key):
        self._group_owner = owner
        self._group_key = key

    def __iter__(self):
        return self

    def __next__(self):
        owner = self._group_owner
        if owner._groupby_group is not self:
            raise StopIteration
        if not owner._groupby_has_item:
            owner._groupby_step()
        if not _are_same(owner._groupby_key, self._group_key):
            raise StopIteration
        owner._groupby_has_item = False
        return owner._groupby_item


class _Tee:
    def __init__(self, source, links):
        self._tee_source = source  # [iterator, whether one of those who share it asks that just now]
        self._tee_link = links  # [item, next link], or an empty list where nothing was taken yet

    def __iter__(self):
        return self

    def __next__(self):
        link = self._tee_link
        if not link:
            if self._tee_source[1]:
                raise RuntimeError("cannot re-enter the tee iterator")
            self._tee_source[1] = True
            try:
                item = next(self._tee_source[0])
            finally:
                self._tee_source[1] = False
            link.append(item)
            link.append([])
        self._tee_link = link[1]
        return link[0]

    def __copy__(self):
        return _Tee(self._tee_source, self._tee_link)


def tee(iterable, n=2, /):
    if n < 0:
        raise ValueError("n must be >= 0")
    if n == 0:
        return ()
    source = iter(iterable)
    if hasattr(type(source), "__copy__"):
        first = source
        if _interpreter.version_info >= (3, 14) and type(source) is _Tee:
            first = source.__copy__()
        return (first, *[source.__copy__() for _ in range(n - 1)])
    links = []
    shared = [source, False]
    return tuple([_Tee(shared, links) for _ in range(n)])


class batched:
    _stored_in_c = ()

    def __init__(self, iterable, n, *, strict=False):
        if n < 1:
            raise ValueError("n must be at least one")
        self._batched_source = iter(iterable)
        self._batched_size = n
        self._batched_strict = strict

    def __iter__(self):
        return self

    def __next__(self):
        items = []
        while len(items) < self._batched_size:
            try:
                items.append(next(self._batched_source))
            except StopIteration:
                break
        if not items:
            raise StopIteration
        if self._batched_strict and len(items) < self._batched_size:
            raise ValueError("batched(): incomplete batch")
        return tuple(items)


class product(_Given):
    _stored_in_c = ()

    def __init__(self, *iterables, repeat=1):
        if repeat < 0:
            raise ValueError("repeat argument cannot be negative")
        self._given_source = _product([tuple(iterable) for iterable in iterables] * repeat)


def _product(pools):
    places = [0] * len(pools)
    for pool in pools:
        if not pool:
            return
    while True:
        yield tuple([pools[number][places[number]] for number in range(len(pools))])
        number = len(pools) - 1
        while number >= 0:
            places[number] += 1
            if places[number] < len(pools[number]):
                break
            places[number] = 0
            number -= 1
        if number < 0:
            return


class permutations(_Given):
    _stored_in_c = ()

    def __init__(self, iterable, r=None):
        pool = tuple(iterable)
        if r is None:
            r = len(pool)
        elif not isinstance(r, int):
            raise TypeError("Expected int as r")
        elif r < 0:
            raise ValueError("r must be non-negative")
        self._given_source = _permutations(pool, r)


def _permutations(pool, r):
    """In the order of the places: the last one changes fastest."""
    if r > len(pool):
        return
    places = list(range(r))
    while True:
        yield tuple([pool[place] for place in places])
        number = r - 1
        while number >= 0:
            # The next place that is not in use by an earlier one.
            used = places[:number]
            candidate = places[number] + 1
            while candidate < len(pool) and candidate in used:
                candidate += 1
            if candidate < len(pool):
                places[number] = candidate
                break
            number -= 1
        if number < 0:
            return
        for later in range(number + 1, r):
            used = places[:later]
            candidate = 0
            while candidate in used:
                candidate += 1
            places[later] = candidate


class combinations(_Given):
    _stored_in_c = ()

    def __init__(self, iterable, r):
        pool = tuple(iterable)
        if r < 0:
            raise ValueError("r must be non-negative")
        self._given_source = _combinations(pool, r, 1)


class combinations_with_replacement(_Given):
    _stored_in_c = ()

    def __init__(self, iterable, r):
        pool = tuple(iterable)
        if r < 0:
            raise ValueError("r must be non-negative")
        self._given_source = _combinations(pool, r, 0)


def _combinations(pool, r, gap):
    """Places increase by at least `gap`."""
    if (gap and r > len(pool)) or (r and not pool):
        return
    places = [gap * number for number in range(r)]
    while True:
        yield tuple([pool[place] for place in places])
        number = r - 1
        while number >= 0 and places[number] == len(pool) - 1 - gap * (r - 1 - number):
            number -= 1
        if number < 0:
            return
        places[number] += 1
        for later in range(number + 1, r):
            places[later] = places[later - 1] + gap
