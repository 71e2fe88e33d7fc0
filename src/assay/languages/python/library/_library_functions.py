"""Functions of CPython's libraries that are written in Python, for arguments that belong to the program.

Where `_builtins` stands for what CPython does in C, in which no thread is interrupted but by what it calls, these can be
interrupted anywhere. CLASS_METHOD stands for the METHOD that CLASS of `collections` or `collections.abc` gives to those
derived from it: they call methods of the program, or are many operations on what others may reach.
"""

import ast as _ast
import typing as _typing
from collections import Counter as _Counter
from collections import UserDict as _UserDict
from collections import abc as _abc
from copy import copy as _copy
from json import loads as _loads
from re import compile as _compile

import _assay
from _builtins import _ABSENT, _items, _matches, _sorted_items, count_elements

_iter = iter
_list = list
_next = next
_range = range
_repr = repr


# re


def sub(pattern, repl, string, count=0, flags=0):
    return _compile(pattern, flags).sub(repl, string, count)


def subn(pattern, repl, string, count=0, flags=0):
    return _compile(pattern, flags).subn(repl, string, count)


def finditer(pattern, string, flags=0):
    return _compile(pattern, flags).finditer(string)


# heapq


def _length_of(iterable):
    try:
        return len(iterable)
    except (TypeError, AttributeError):
        return None


def nsmallest(n, iterable, key=None):
    if n == 1:
        return [item for item in [min(iterable, default=_ABSENT, key=key)] if item is not _ABSENT]
    size = _length_of(iterable)
    if size is not None and n >= size:
        return sorted(iterable, key=key)[:n]
    return _best(n, iterable, key, False)


def nlargest(n, iterable, key=None):
    if n == 1:
        return [item for item in [max(iterable, default=_ABSENT, key=key)] if item is not _ABSENT]
    size = _length_of(iterable)
    if size is not None and n >= size:
        return sorted(iterable, key=key, reverse=True)[:n]
    return _best(n, iterable, key, True)


def _best(n, iterable, key, is_largest):
    """The first n, then each further one is compared with the worst of those as it comes."""
    iterator = _iter(iterable)
    kept = []
    for _ in _range(n):
        for item in iterator:
            kept.append((item if key is None else key(item), item))
            break
    kept = _sorted_items(kept, _first, is_largest)
    if not kept:
        return []
    for item in iterator:
        item_key = item if key is None else key(item)
        if kept[-1][0] < item_key if is_largest else item_key < kept[-1][0]:
            kept = _sorted_items(kept[:-1] + [(item_key, item)], _first, is_largest)
    return [item for _, item in kept]


def _first(pair):
    return pair[0]


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


# collections


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
            count_elements(self, iterable)
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


def Counter___missing__(self, key):
    return 0


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


def UserDict_copy(self):
    if type(self) is _UserDict:
        return _UserDict(self.data.copy())
    if not _assay.is_single():
        _assay.unsupported(
            "copying an instance of a subclass of UserDict leaves it empty for a moment, which is not modelled; "
            "make a new one of its items"
        )
    data = self.data
    try:
        self.data = {}
        copied = _copy(self)
    finally:
        self.data = data
    copied.update(self)
    return copied


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


# attributes


def _get_or_fall_back(getter, arguments, fallback, instance, name):
    """An attribute whose getter is the program's, of a class with a `__getattr__`."""
    try:
        return getter(*arguments)
    except AttributeError:
        pass
    return fallback(instance, name)


# typing


def cast(typ, val):
    return val


def _found_in(scope, name):
    """Whether a module, a class or a mapping has the name, and what it is there."""
    if isinstance(scope, type):
        return _assay.own_attribute(scope, name)
    if hasattr(scope, "__getitem__"):
        return (True, scope[name]) if name in scope else (False, None)
    return (True, getattr(scope, name)) if hasattr(scope, name) else (False, None)


@_assay.atomic
def _names_in(texts):
    """All names, before any is looked up: no state could have the trees in which they stand."""
    names = []
    while texts:
        try:
            tree = _ast.parse(texts.pop().strip(), mode="eval")
        except SyntaxError:  # a text in `Literal["a b"]`; of others CPython itself complains below
            continue
        for node in _ast.walk(tree):
            if isinstance(node, _ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)  # it may stand for a type in its turn
            elif isinstance(node, _ast.Name):
                names.append(node.id)
    return names


def _evaluated(annotation, scopes, is_class):
    """A text stands for what it says there, at the time when somebody asks; the first that has a name decides."""
    if annotation is None:
        return type(None)
    pending = [annotation]
    texts = []
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            texts.append(one)
        elif isinstance(one, _typing.ForwardRef):
            texts.append(one.__forward_arg__)
        elif isinstance(one, (_list, tuple)):
            pending.extend(one)
        else:
            pending.extend(getattr(one, "__args__", ()))
    if not texts:
        return annotation
    names = {}
    for name in _names_in(texts):
        for scope in scopes:
            is_there, value = _found_in(scope, name)
            if is_there:
                names[name] = value
                break
    if isinstance(annotation, str):
        annotation = _typing.ForwardRef(annotation, is_argument=not is_class, is_class=is_class)
    return _typing._eval_type(annotation, names, names)


def _home(name):
    module = _assay.module(name)
    if module is NotImplemented:
        _assay.unsupported(
            "the hints of what belongs to the module '" + str(name) + "' are not modelled; name the types"
        )
    return module


def get_type_hints(obj, globalns=None, localns=None, include_extras=False):
    given = [scope for scope in (localns, globalns) if scope is not None]
    if isinstance(obj, type):
        hints = {}
        for base in reversed(obj.__mro__):
            own = base.__dict__.get("__annotations__")
            if own:
                _assay.observes("annotations that nobody looks at")
                module = _home(base.__module__)
                of_module = [] if module is None else [module]
                if localns is None:
                    scopes = [base, globalns] if globalns is not None else [*of_module, base]
                else:
                    scopes = given if globalns is not None else [localns, *of_module]
                for name in own:
                    hints[name] = _evaluated(own[name], scopes, True)
    else:
        innermost = obj
        while hasattr(innermost, "__wrapped__"):
            innermost = innermost.__wrapped__
        own = getattr(obj, "__annotations__", _ABSENT)
        if own is _ABSENT:
            raise TypeError(f"{obj!r} is not a module, class, method, or function.")
        if own is None:
            _assay.observes("annotations that nobody looks at")
        if isinstance(own, tuple):
            own = {own[i]: own[i + 1] for i in _range(0, len(own), 2)}
        module = _home(innermost.__module__)
        hints = {}
        scopes = given if globalns is not None or module is None else [*given, module]
        for name in own:
            hints[name] = _evaluated(own[name], scopes, False)
    if include_extras:
        return hints
    return {name: _typing._strip_annotations(hints[name]) for name in hints}


# json


def load(fp, **keywords):
    return _loads(fp.read(), **keywords)
