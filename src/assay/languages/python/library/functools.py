"""The module `functools` for programs under the machine.

A cache looks up and stores in one atomic piece each; the function is called in between, so two threads may both compute
a value, as in CPython.
"""

from collections import namedtuple
from enum import sys as _interpreter
from types import FunctionType, UnionType
from typing import Union, get_origin

import _assay
from _builtins import reduce
from _library_functions import get_type_hints
from _thread import RLock

_counts_hits = _assay.mentions("cache_info")

WRAPPER_ASSIGNMENTS = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")
WRAPPER_UPDATES = ("__dict__",)


def _take_attributes(wrapper, cls):
    """What CPython puts into the `__dict__` of a wrapper: all that a class has itself, be it hidden there."""
    kind = type(wrapper)
    if kind.__setattr__ is not object.__setattr__ and not isinstance(wrapper, FunctionType):
        _assay.unsupported(
            "functools.wraps of a class is not modelled for this wrapper; write its attributes out"
        )
    hidden = {
        name: True
        for base in kind.__mro__
        for name, value in base.__dict__.items()
        if hasattr(type(value), "__set__")
    }
    for name, value in cls.__dict__.items():
        if name not in hidden:
            setattr(wrapper, name, value)


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    """Names are written out one by one, so that it stays known which attributes a program stores."""
    for name in assigned:
        if name not in WRAPPER_ASSIGNMENTS and name not in ("__defaults__", "__kwdefaults__"):
            _assay.unsupported("functools.update_wrapper that assigns " + str(name) + " is not modelled")
    if "__dict__" in updated:
        if isinstance(wrapped, type):
            _take_attributes(wrapper, wrapped)
        else:
            ordinary = dir(type(wrapped))
            for name in dir(wrapped):  # what the function was given itself
                if name not in ordinary:
                    setattr(wrapper, name, getattr(wrapped, name))
    if "__defaults__" in assigned and hasattr(wrapped, "__defaults__"):
        wrapper.__defaults__ = wrapped.__defaults__
    if "__kwdefaults__" in assigned and hasattr(wrapped, "__kwdefaults__"):
        if wrapped.__kwdefaults__ is not None:
            _assay.unsupported("__kwdefaults__ of a function is not modelled; name the values")
        wrapper.__kwdefaults__ = None
    if "__module__" in assigned and hasattr(wrapped, "__module__"):
        wrapper.__module__ = wrapped.__module__
    if "__name__" in assigned and hasattr(wrapped, "__name__"):
        wrapper.__name__ = wrapped.__name__
    if "__qualname__" in assigned and hasattr(wrapped, "__qualname__"):
        wrapper.__qualname__ = wrapped.__qualname__
    if "__doc__" in assigned and hasattr(wrapped, "__doc__"):
        wrapper.__doc__ = wrapped.__doc__
    if "__annotations__" in assigned and hasattr(wrapped, "__annotations__"):
        wrapper.__annotations__ = wrapped.__annotations__
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    def decorate(wrapper):
        return update_wrapper(wrapper, wrapped, assigned, updated)

    return decorate


class partial:
    _stored_in_c = ("func", "args", "keywords")

    def __init__(self, func, /, *args, **keywords):
        if not callable(func):
            raise TypeError("the first argument must be callable")
        if type(func) is partial:
            args = func.args + args
            merged = dict(func.keywords)
            merged.update(keywords)
            keywords = merged
            func = func.func
        self.func = func
        self.args = args
        self.keywords = keywords

    def __call__(self, /, *args, **keywords):
        if not self.keywords:
            return self.func(*self.args, *args, **keywords)
        merged = dict(self.keywords)
        merged.update(keywords)
        return self.func(*self.args, *args, **merged)

    def __repr__(self):
        parts = [repr(self.func)]
        parts.extend([repr(argument) for argument in self.args])
        parts.extend([name + "=" + repr(self.keywords[name]) for name in self.keywords])
        return "functools.partial(" + ", ".join(parts) + ")"


def partialmethod(func, /, *args, **keywords):
    """A function that binds like a method and adds the arguments."""
    if isinstance(func, (classmethod, staticmethod)):
        _assay.unsupported(
            "functools.partialmethod of a class or static method is not modelled; write it out"
        )
    if not callable(func):
        raise TypeError(repr(func) + " is not callable or a descriptor")

    def method(self, /, *more, **more_keywords):
        merged = dict(keywords)
        merged.update(more_keywords)
        return func(self, *args, *more, **merged)

    return method


_CacheInfo = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"])


class _Cache:
    """Values by key, the one that was used last at the end."""

    def __init__(self, maxsize):
        self._cache_maxsize = maxsize
        self._cache_values = {}
        self._cache_hits = 0
        self._cache_misses = 0

    @_assay.atomic
    def look_up(self, key):
        values = self._cache_values
        if key in values:
            value = values[key]
            if self._cache_maxsize is not None:
                del values[key]
                values[key] = value
            if _counts_hits:
                self._cache_hits += 1
            return (True, value)
        if _counts_hits:
            self._cache_misses += 1
        return (False, None)

    @_assay.atomic
    def store(self, key, value):
        values = self._cache_values
        maxsize = self._cache_maxsize
        if key in values and maxsize is not None:
            return  # another thread was faster; its value stays, but is replaced where nothing is ever dropped
        if maxsize is not None and len(values) >= maxsize:
            for oldest in values:
                break
            del values[oldest]
        values[key] = value

    @_assay.atomic
    def info(self):
        return _CacheInfo(self._cache_hits, self._cache_misses, self._cache_maxsize, len(self._cache_values))

    @_assay.atomic
    def clear(self):
        self._cache_values.clear()
        self._cache_hits = 0
        self._cache_misses = 0


class _Keywords:
    """Stands between the positional and the named arguments in a key."""


def _key_of(args, keywords, typed):
    if not keywords and not typed and len(args) == 1 and type(args[0]) in (int, str):
        return args[0]
    parts = list(args)
    if keywords:
        parts.append(_Keywords)
        for name in keywords:
            parts.append(name)
            parts.append(keywords[name])
    if typed:
        parts.append(_Keywords)
        parts.extend([type(argument) for argument in args])
        parts.extend([type(keywords[name]) for name in keywords])
    return tuple(parts)


def lru_cache(maxsize=128, typed=False):
    if callable(maxsize) and isinstance(typed, bool):
        return _cached(maxsize, 128, typed)
    if isinstance(maxsize, int):
        maxsize = max(maxsize, 0)
    elif maxsize is not None:
        raise TypeError("Expected first argument to be an integer, a callable, or None")

    def decorate(function):
        return _cached(function, maxsize, typed)

    return decorate


def _cached(function, maxsize, typed):
    if not callable(function):
        raise TypeError("the first argument must be callable")
    cache = _Cache(maxsize)

    def wrapper(*args, **keywords):
        key = _key_of(args, keywords, typed)
        found, value = cache.look_up(key)
        if not found:
            value = function(*args, **keywords)
            if maxsize != 0:
                cache.store(key, value)
        return value

    wrapper.cache_info = cache.info
    wrapper.cache_clear = cache.clear
    wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
    return update_wrapper(wrapper, function)


class _IsCached(type):
    def __instancecheck__(cls, value):
        return hasattr(value, "cache_parameters") and hasattr(value, "__wrapped__")


class _lru_cache_wrapper(metaclass=_IsCached):
    """What CPython has in C; here each is a function of its own."""

    def __new__(cls, *arguments):
        _assay.unsupported("functools._lru_cache_wrapper is not modelled; use functools.lru_cache")


def cache(function, /):
    return _cached(function, None, False)


class cached_property:
    """The value becomes an attribute of the instance, which is found before this is asked."""

    def __init__(self, func):
        self.func = func
        self.attrname = None
        self._cached_lock = RLock() if _interpreter.version_info < (3, 12) else None

    def __set_name__(self, owner, name):
        if self.attrname is None:
            self.attrname = name
        elif name != self.attrname:
            raise TypeError(
                "Cannot assign the same cached_property to two different names "
                "(" + repr(self.attrname) + " and " + repr(name) + ")."
            )

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        if self.attrname is None:
            raise TypeError("Cannot use cached_property instance without calling __set_name__ on it.")
        own = _assay.own_attribute(instance, self.attrname)
        if own is None:
            raise TypeError(
                "No '__dict__' attribute on " + repr(type(instance).__name__) + " "
                "instance to cache " + repr(self.attrname) + " property."
            )
        found, value = own
        if not found:
            if self._cached_lock is None:
                value = self.func(instance)
                object.__setattr__(instance, self.attrname, value)
            else:
                with self._cached_lock:
                    found, value = _assay.own_attribute(instance, self.attrname)
                    if not found:
                        value = self.func(instance)
                        object.__setattr__(instance, self.attrname, value)
        return value


def _not(answer):
    return answer if answer is NotImplemented else not answer


def total_ordering(cls):
    has_lt = cls.__lt__ is not object.__lt__
    has_le = cls.__le__ is not object.__le__
    has_gt = cls.__gt__ is not object.__gt__
    has_ge = cls.__ge__ is not object.__ge__
    if not (has_lt or has_le or has_gt or has_ge):
        raise ValueError("must define at least one ordering operation: < > <= >=")
    if has_lt:
        less, less_or_equal, greater, greater_or_equal = None, _le_from_lt, _gt_from_lt, _ge_from_lt
    elif has_le:
        less, less_or_equal, greater, greater_or_equal = _lt_from_le, None, _gt_from_le, _ge_from_le
    elif has_gt:
        less, less_or_equal, greater, greater_or_equal = _lt_from_gt, _le_from_gt, None, _ge_from_gt
    else:
        less, less_or_equal, greater, greater_or_equal = _lt_from_ge, _le_from_ge, _gt_from_ge, None
    if not has_lt:
        cls.__lt__ = less
    if not has_le:
        cls.__le__ = less_or_equal
    if not has_gt:
        cls.__gt__ = greater
    if not has_ge:
        cls.__ge__ = greater_or_equal
    return cls


def _gt_from_lt(self, other):
    answer = type(self).__lt__(self, other)
    return answer if answer is NotImplemented else not answer and self != other


def _le_from_lt(self, other):
    answer = type(self).__lt__(self, other)
    return answer if answer is NotImplemented else answer or self == other


def _ge_from_lt(self, other):
    return _not(type(self).__lt__(self, other))


def _ge_from_le(self, other):
    answer = type(self).__le__(self, other)
    return answer if answer is NotImplemented else not answer or self == other


def _lt_from_le(self, other):
    answer = type(self).__le__(self, other)
    return answer if answer is NotImplemented else answer and self != other


def _gt_from_le(self, other):
    return _not(type(self).__le__(self, other))


def _lt_from_gt(self, other):
    answer = type(self).__gt__(self, other)
    return answer if answer is NotImplemented else not answer and self != other


def _ge_from_gt(self, other):
    answer = type(self).__gt__(self, other)
    return answer if answer is NotImplemented else answer or self == other


def _le_from_gt(self, other):
    return _not(type(self).__gt__(self, other))


def _le_from_ge(self, other):
    answer = type(self).__ge__(self, other)
    return answer if answer is NotImplemented else not answer or self == other


def _gt_from_ge(self, other):
    answer = type(self).__ge__(self, other)
    return answer if answer is NotImplemented else answer and self != other


def _lt_from_ge(self, other):
    return _not(type(self).__ge__(self, other))


class _ComparedKey:
    def __init__(self, comparison, obj):
        self._key_comparison = comparison
        self.obj = obj

    def _key_compared(self, other):
        if type(other) is not _ComparedKey:
            raise TypeError("other argument must be K instance")
        return self._key_comparison(self.obj, other.obj)

    def __lt__(self, other):
        return self._key_compared(other) < 0

    def __gt__(self, other):
        return self._key_compared(other) > 0

    def __eq__(self, other):
        return self._key_compared(other) == 0

    def __le__(self, other):
        return self._key_compared(other) <= 0

    def __ge__(self, other):
        return self._key_compared(other) >= 0

    __hash__ = None


def cmp_to_key(mycmp):
    def key(obj):
        return _ComparedKey(mycmp, obj)

    return key


class singledispatchmethod:
    """Dispatches on the second argument, the one behind the instance."""

    def __init__(self, func):
        if not callable(func) and not hasattr(func, "__get__"):
            raise TypeError(repr(func) + " is not callable or a descriptor")
        self.dispatcher = singledispatch(func)
        self.func = func

    def register(self, cls, method=None):
        return self.dispatcher.register(cls, method)

    def __get__(self, obj, cls=None):
        def _method(*args, **kwargs):
            if not args:
                raise TypeError(_method.__name__ + " requires at least 1 positional argument")
            method = self.dispatcher.dispatch(type(args[0]))
            return method.__get__(obj, cls)(*args, **kwargs)

        _method.register = self.register
        update_wrapper(_method, self.func)
        return _method


def _class_of_first_argument(function):
    hints = get_type_hints(function)
    if not hints:
        raise TypeError(
            f"Invalid first argument to `register()`: {function!r}. Use either `@register(some_class)` or plain "
            "`@register` on an annotated function."
        )
    name, kind = next(iter(hints.items()))
    if not isinstance(kind, type):
        if isinstance(kind, UnionType) or get_origin(kind) is Union:
            _assay.unsupported("singledispatch by a union of classes is not modelled; register each of them")
        raise TypeError(f"Invalid annotation for {name!r}. {kind!r} is not a class.")
    return kind


def singledispatch(func):
    """Abstract base classes are asked with issubclass when no class of the method resolution order is registered."""
    registry = {object: func}
    found_before = {}  # what is found while another thread registers something is kept although it is out of date

    def dispatch(cls):
        try:
            found = found_before[cls]
        except KeyError:
            found = find(cls)
            keep(cls, found)
        return found

    def keep(cls, found):  # a function: others may come in before it, as in CPython
        found_before[cls] = found

    def find(cls):
        for base in cls.__mro__:
            if base is not object and base in registry:
                return registry[base]
        matches = [kind for kind in registry if kind is not object and issubclass(cls, kind)]
        best = None
        for kind in matches:
            if best is None or issubclass(kind, best):
                best = kind
            elif not issubclass(best, kind):
                raise RuntimeError("Ambiguous dispatch: " + repr(best) + " or " + repr(kind))
        return func if best is None else registry[best]

    def register(cls, implementation=None):
        if implementation is None:
            if not isinstance(cls, type):
                return register(_class_of_first_argument(cls), cls)

            def decorate(function):
                return register(cls, function)

            return decorate
        registry[cls] = implementation
        found_before.clear()
        return implementation

    def wrapper(*args, **keywords):
        if not args:
            raise TypeError(
                getattr(func, "__name__", "singledispatch function")
                + " requires at least 1 positional argument"
            )
        if hasattr(type(args[0]), "_stands_for"):
            _assay.unsupported(
                "a generic function of a clock's or random number is not modelled; call what is meant"
            )
        return dispatch(type(args[0]))(*args, **keywords)

    wrapper.register = register
    wrapper.dispatch = dispatch
    wrapper.registry = registry
    return update_wrapper(wrapper, func)
