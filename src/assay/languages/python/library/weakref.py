"""References that keep nothing alive.

When an object goes away is not modelled: a program in which something is left that only weak references lead to is refused.
So as long as nobody is refused, all of them lead somewhere; `_assay.settle` ends the step before one is followed, so that
the state was looked at, unless a variable holds what it leads to; the same before one is looked for, which finds equal
ones. A callback would run at the very moment at which its object goes away: the object is remembered for good, so that no
state is accepted in which it is gone.
"""

import types

import _assay


def _follow(target):
    if not _assay.is_held(target):
        _assay.settle()
    return _assay.target(target)


def _settled(item):
    """To look for it among others, of which none that is gone may be found."""
    _assay.settle()
    return _assay.weak(item)


_awaited = {}  # what somebody wants to know the end of


class ReferenceType:
    _compared_by_content = True
    _is_weak_reference = True

    def __new__(cls, object, callback=None, /, *more):
        self = super().__new__(cls)
        self._weak_target = _assay.weak(object)
        self._weak_callback = callback
        if callback is not None:
            _awaited[_assay.identity(object)] = True
        return self

    def __init__(self, object, callback=None, /):
        pass

    def __call__(self):
        return _follow(self._weak_target)

    @property
    def __callback__(self):
        return self._weak_callback

    def __eq__(self, other):
        if not isinstance(other, ReferenceType):
            return NotImplemented
        return _follow(self._weak_target) == _follow(other._weak_target)

    def __ne__(self, other):
        if not isinstance(other, ReferenceType):
            return NotImplemented
        return _follow(self._weak_target) != _follow(other._weak_target)

    def __hash__(self):
        if not _assay.is_held(self._weak_target):
            _assay.settle()
        return hash(self._weak_target)

    def __repr__(self):
        _assay.unsupported("the text of a weak reference is not modelled; show what it refers to")

    __class_getitem__ = classmethod(types.GenericAlias)


ref = ReferenceType


class WeakMethod(ref):
    def __new__(cls, meth, callback=None):
        if not isinstance(meth, types.MethodType):
            raise TypeError("argument should be a bound method, not " + repr(type(meth)))
        self = super().__new__(cls, meth.__self__, callback)
        self._weak_function = _assay.weak(meth.__func__)
        return self

    def __init__(self, meth, callback=None):
        pass

    def __call__(self):
        _assay.settle()
        return types.MethodType(_assay.target(self._weak_function), _assay.target(self._weak_target))

    def __eq__(self, other):
        if not isinstance(other, WeakMethod):
            return False
        return self() == other()

    def __ne__(self, other):
        return not self == other

    __hash__ = ref.__hash__


class WeakSet:
    def __init__(self, data=None):
        self.data = set()
        if data is not None:
            self.update(data)

    def __iter__(self):
        for target in self.data:
            yield _follow(target)

    def __len__(self):
        _assay.settle()
        return len(self.data)

    def __contains__(self, item):
        try:
            target = _settled(item)
        except TypeError:
            return False
        return target in self.data

    def add(self, item):
        self.data.add(_assay.weak(item))

    def clear(self):
        self.data.clear()

    def copy(self):
        return self.__class__(self)

    def pop(self):
        try:
            target = self.data.pop()
        except KeyError:
            raise KeyError("pop from empty WeakSet") from None
        return _follow(target)

    def remove(self, item):
        self.data.remove(_settled(item))

    def discard(self, item):
        self.data.discard(_settled(item))

    def update(self, other):
        for element in other:
            self.add(element)

    def __ior__(self, other):
        self.update(other)
        return self

    def difference(self, other):
        made = self.copy()
        made.difference_update(other)
        return made

    __sub__ = difference

    def difference_update(self, other):
        if self is other:
            self.data.clear()
        else:
            self.data.difference_update([_settled(item) for item in other])

    def __isub__(self, other):
        self.difference_update(other)
        return self

    def intersection(self, other):
        return self.__class__(item for item in other if item in self)

    __and__ = intersection

    def union(self, other):
        return self.__class__(item for both in (self, other) for item in both)

    __or__ = union

    def issubset(self, other):
        return self.data.issubset([_settled(item) for item in other])

    __le__ = issubset

    def isdisjoint(self, other):
        return len(self.intersection(other)) == 0

    def __repr__(self):
        _assay.unsupported("the text of a WeakSet is not modelled; show a list of it")

    def __eq__(self, other):
        if not isinstance(other, self.__class__):
            return NotImplemented
        return self.data == {_settled(item) for item in other}

    __hash__ = None


class WeakKeyDictionary:
    def __init__(self, dict=None):
        self.data = {}
        if dict is not None:
            self.update(dict)

    def __delitem__(self, key):
        del self.data[_settled(key)]

    def __getitem__(self, key):
        return self.data[_settled(key)]

    def __setitem__(self, key, value):
        self.data[_assay.weak(key)] = value

    def __len__(self):
        _assay.settle()
        return len(self.data)

    def __contains__(self, key):
        try:
            target = _settled(key)
        except TypeError:
            return False
        return target in self.data

    def get(self, key, default=None):
        return self.data.get(_settled(key), default)

    def copy(self):
        new = WeakKeyDictionary()
        for key, value in self.items():
            new[key] = value
        return new

    __copy__ = copy

    def items(self):
        for target, value in self.data.items():
            yield _follow(target), value

    def keys(self):
        for target in self.data:
            yield _follow(target)

    __iter__ = keys

    def values(self):
        for target, value in self.data.items():
            _assay.settle()
            yield value

    def popitem(self):
        target, value = self.data.popitem()
        return _follow(target), value

    def pop(self, key, *args):
        return self.data.pop(_settled(key), *args)

    def setdefault(self, key, default=None):
        return self.data.setdefault(_settled(key), default)

    def update(self, dict=None, /, **kwargs):
        if kwargs:
            raise TypeError("cannot create weak reference to 'str' object")
        if dict is not None:
            for key, value in dict.items() if hasattr(dict, "items") else dict:
                self[key] = value

    def clear(self):
        self.data.clear()

    def __repr__(self):
        _assay.unsupported("the text of a WeakKeyDictionary is not modelled; show a dict of it")


class WeakValueDictionary:
    def __init__(self, other=(), /, **kw):
        self.data = {}
        self.update(other, **kw)

    def __getitem__(self, key):
        return _follow(self.data[key])

    def __delitem__(self, key):
        _assay.settle()
        del self.data[key]

    def __len__(self):
        _assay.settle()
        return len(self.data)

    def __contains__(self, key):
        _assay.settle()
        return key in self.data

    def __setitem__(self, key, value):
        self.data[key] = _assay.weak(value)

    def get(self, key, default=None):
        try:
            target = self.data[key]
        except KeyError:
            return default
        return _follow(target)

    def copy(self):
        new = WeakValueDictionary()
        for key, value in self.items():
            new[key] = value
        return new

    __copy__ = copy

    def items(self):
        for key, target in self.data.items():
            yield key, _follow(target)

    def keys(self):
        for key in self.data:
            _assay.settle()
            yield key

    __iter__ = keys

    def values(self):
        for target in self.data.values():
            yield _follow(target)

    def popitem(self):
        key, target = self.data.popitem()
        return key, _follow(target)

    def pop(self, key, *args):
        try:
            target = self.data.pop(key)
        except KeyError:
            if args:
                return args[0]
            raise
        return _follow(target)

    def setdefault(self, key, default=None):
        try:
            target = self.data[key]
        except KeyError:
            self.data[key] = _assay.weak(default)
            return default
        return _follow(target)

    def update(self, other=None, /, **kwargs):
        if other is not None:
            for key, value in other.items() if hasattr(other, "items") else other:
                self.data[key] = _assay.weak(value)
        for key, value in kwargs.items():
            self.data[key] = _assay.weak(value)

    def clear(self):
        self.data.clear()

    def __repr__(self):
        _assay.unsupported("the text of a WeakValueDictionary is not modelled; show a dict of it")


class finalize:
    """What is to be called when an object goes away, which no accepted state has; or by the program itself.

    What CPython calls after the end of the program is not followed.
    """

    def __init__(self, obj, func, /, *args, **kwargs):
        _awaited[_assay.identity(obj)] = True
        self._finalize_call = (_assay.weak(obj), func, args, kwargs)
        self._finalize_at_exit = True
        _assay.remark(
            "a function waits for the end of an object; calls after the end of the program are not followed"
        )

    @_assay.atomic
    def _taken(self):
        taken = self._finalize_call
        self._finalize_call = None
        return taken

    def __call__(self, _=None):
        taken = self._taken()
        if taken is not None:
            return taken[1](*taken[2], **taken[3])

    def detach(self):
        taken = self._taken()
        if taken is not None:
            return (_follow(taken[0]), taken[1], taken[2], taken[3])

    def peek(self):
        found = self._finalize_call
        if found is not None:
            return (_follow(found[0]), found[1], found[2], found[3])

    @property
    def alive(self):
        return self._finalize_call is not None

    @property
    def atexit(self):
        return self._finalize_call is not None and self._finalize_at_exit

    @atexit.setter
    def atexit(self, value):
        self._finalize_at_exit = bool(value)

    def __repr__(self):
        _assay.unsupported("the text of a weak reference is not modelled; show what it refers to")
