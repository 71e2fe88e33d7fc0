"""Built-ins for arguments that belong to the program, so that the machine can stop inside of them.

The machine calls these instead of CPython's when an argument is a generator, a function or an instance of the program, or
holds one: `NAME` stands for the built-in NAME, `TYPE_METHOD` for a method of a built-in type, and functions of `heapq`
and `bisect` have their own names. Results and errors are CPython's. Iterators are classes, not generators: an iterator
of CPython goes on after an exception, a generator does not.

Each stands for C code, which nobody interrupts but where it calls the program; the machine treats what is written here
the same way. So the order in which a function looks at a container, calls, and looks again is that of CPython's source,
and so is what it makes of a container that has changed meanwhile.
"""

from collections import OrderedDict as _OrderedDict
from collections import _count_elements
from collections import defaultdict as _defaultdict
from collections import deque as _deque
from enum import bltns as _BUILT_INS
from enum import sys as _interpreter
from operator import add as _add
from operator import contains as _contains
from operator import iadd as _iadd
from operator import index as _index
from operator import mul as _mul

import _assay

if _assay.mentions("__del__"):
    import _finalizers

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


def _instantiate_with_end(cls, /, *arguments, **keywords):
    """What calling a class does that has a `__del__`."""
    made = _made_with_end(cls, arguments, keywords)
    if cls in type(made).__mro__:
        type(made).__init__(made, *arguments, **keywords)
    return made


def _made_with_end(cls, arguments, keywords):
    made = cls.__new__(cls, *arguments, **keywords)
    if cls in type(made).__mro__:
        _finalizers.remember(made)
    return made


class _OwnIterator:
    """Over the attributes of an instance. If they change before it ends, it is refused: built-ins that run through all
    of them at once are not interrupted in CPython, and are here."""

    def __init__(self, owner, kind):
        self._own_owner = owner
        self._own_kind = kind
        self._own_items = _assay.own_items(owner)
        self._own_next = 0

    def __iter__(self):
        return self

    @_assay.atomic
    def __next__(self):
        _require_unchanged(self._own_owner, self._own_items)
        place = self._own_next
        if place == len(self._own_items):
            raise StopIteration
        self._own_next = place + 1
        return self._own_items[place] if self._own_kind == 2 else self._own_items[place][self._own_kind]


def _require_unchanged(owner, items):
    if not _assay.own_unchanged(owner, items):
        _assay.unsupported(
            "attributes of an object change while its __dict__ is looked through, which is not modelled; look through "
            "a copy, `x.__dict__.copy()`"
        )


def _refuse_view(self, *others):
    _assay.unsupported("this use of a view of a __dict__ is not modelled; use a copy, `x.__dict__.copy()`")


class _OwnView:
    _own_kind = 0

    def __init__(self, owner):
        self._own_owner = owner

    def __iter__(self):
        return _OwnIterator(self._own_owner, self._own_kind)

    def __len__(self):
        return len(_assay.own_items(self._own_owner))

    __contains__ = __reversed__ = __eq__ = __ne__ = __hash__ = __repr__ = __str__ = _refuse_view
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __sub__ = __rsub__ = _refuse_view
    __lt__ = __le__ = __gt__ = __ge__ = isdisjoint = mapping = _refuse_view


class _OwnKeys(_OwnView):
    _stands_for = ("_collections_abc.dict_keys",)

    def __contains__(self, key):
        return isinstance(key, _str) and _assay.own_attribute(self._own_owner, key)[0]


class _OwnValues(_OwnView):
    _stands_for = ("_collections_abc.dict_values",)
    _own_kind = 1


class _OwnItems(_OwnView):
    _stands_for = ("_collections_abc.dict_items",)
    _own_kind = 2


class instance_dict:
    """`__dict__` of an instance: reads and writes its attributes. One that the program keeps is made anew each time."""

    _stands_for = ("builtins.dict",)

    def __init__(self, owner):
        self._dict_owner = owner

    def __getitem__(self, key):
        found = _assay.own_attribute(self._dict_owner, key)
        if not found[0]:
            raise KeyError(key)
        return found[1]

    def __setitem__(self, key, value):
        _assay.store_own(self._dict_owner, key, value)

    @_assay.atomic
    def __delitem__(self, key):
        if not _assay.own_attribute(self._dict_owner, key)[0]:
            raise KeyError(key)
        _assay.delete_own(self._dict_owner, key)

    def __contains__(self, key):
        return isinstance(key, _str) and _assay.own_attribute(self._dict_owner, key)[0]

    def __len__(self):
        return len(_assay.own_items(self._dict_owner))

    def __iter__(self):
        return _OwnIterator(self._dict_owner, 0)

    def keys(self):
        return _OwnKeys(self._dict_owner)

    def values(self):
        return _OwnValues(self._dict_owner)

    def items(self):
        return _OwnItems(self._dict_owner)

    def get(self, key, default=None, /):
        found = _assay.own_attribute(self._dict_owner, key)
        return found[1] if found[0] else default

    @_assay.atomic
    def pop(self, key, default=_ABSENT, /):
        found = _assay.own_attribute(self._dict_owner, key)
        if found[0]:
            _assay.delete_own(self._dict_owner, key)
            return found[1]
        if default is _ABSENT:
            raise KeyError(key)
        return default

    @_assay.atomic
    def setdefault(self, key, default=None, /):
        found = _assay.own_attribute(self._dict_owner, key)
        if found[0]:
            return found[1]
        _assay.store_own(self._dict_owner, key, default)
        return default

    def copy(self):
        return _dict(_assay.own_items(self._dict_owner))

    def update(self, other=(), /, **more):
        if type(other) is instance_dict:
            other = other.copy()
        self._store_all(_tuple(_dict(other, **more).items()))

    @_assay.atomic
    def _store_all(self, items):
        for key, value in items:
            _assay.store_own(self._dict_owner, key, value)

    @_assay.atomic
    def clear(self):
        for key, _ in _assay.own_items(self._dict_owner):
            _assay.delete_own(self._dict_owner, key)

    def __eq__(self, other):
        theirs = _assay.own_items(other._dict_owner) if type(other) is instance_dict else None
        if theirs is not None:
            content = _dict(theirs)
        elif isinstance(other, _dict):
            content = other
        else:
            return NotImplemented
        ours = _assay.own_items(self._dict_owner)
        answer = _dict(ours) == content
        _require_unchanged(self._dict_owner, ours)
        if theirs is not None:
            _require_unchanged(other._dict_owner, theirs)
        return answer

    def __ne__(self, other):
        return not self == other

    def __or__(self, other):
        return self.copy() | (other.copy() if type(other) is instance_dict else other)

    def __repr__(self):
        return _repr(self.copy())

    __str__ = __repr__
    __hash__ = None


def _import_from(getter, name, message, half_made):
    """`from module import name` of a module with a `__getattr__`, which has no such variable."""
    try:
        return getter(name)
    except AttributeError:
        if half_made is not None:
            return half_made
        raise ImportError(message) from None


class _HiddenDict(_dict):
    """A dict that CPython keeps in a module, and that nobody may look into."""

    def _refuse(self, *more):
        _assay.unsupported("the content of __builtins__ and __annotations__ is not modelled; name the values")

    __getitem__ = __setitem__ = __delitem__ = __contains__ = __iter__ = __len__ = __eq__ = __ne__ = _refuse
    __or__ = __ior__ = __ror__ = __repr__ = __reversed__ = get = keys = values = items = copy = _refuse
    pop = popitem = clear = update = setdefault = _refuse
    __hash__ = None


class _Annotations(_dict):
    """Those of a function or class, to be looked at. CPython has one dict for each, which could be changed."""

    _made_anew = True  # for each who looks: `is` tells nothing

    def _refuse(self, *more, **keywords):
        _assay.unsupported("changing __annotations__ is not modelled; keep a dict of your own")

    __setitem__ = __delitem__ = __ior__ = pop = popitem = clear = update = setdefault = _refuse


class _Fields(_dict):
    """`__dataclass_fields__`, to be looked at."""

    _made_anew = True

    def _refuse(self, *more, **keywords):
        _assay.unsupported("changing __dataclass_fields__ is not modelled; keep a dict of your own")

    __setitem__ = __delitem__ = __ior__ = pop = popitem = clear = update = setdefault = _refuse


class _Slots(_list):
    """`__slots__` that were given as a list, to be looked at."""

    _made_anew = True

    def _refuse(self, *more, **keywords):
        _assay.unsupported("changing __slots__ is not modelled; keep a list of your own")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = extend = insert = remove = _refuse
    pop = clear = sort = reverse = _refuse


def _slots_to_look_at(names):
    return _Slots(names)


def _fields_to_look_at(items):
    return _Fields(items)


def _annotations(parts):
    return _Annotations({parts[i]: parts[i + 1] for i in range(0, len(parts), 2)})


class ModuleSpec:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError("'" + _type_name(self) + "' object has no attribute '" + name + "'")
        _assay.unsupported("the __spec__ and __loader__ of a module are not modelled; leave them out")

    def __eq__(self, other):
        _assay.unsupported("the __spec__ and __loader__ of a module are not modelled; leave them out")


class SourceFileLoader(ModuleSpec):
    pass


def _given_by_import(module, name):
    """An attribute that CPython gives to every module of a program, or to packages alone."""
    home, file = module.__name__, module.__file__
    if name == "__path__":
        if file.endswith("/__init__.py") or file.startswith("<"):
            _assay.unsupported("the __path__ of a package is not modelled here; take it by its name")
        raise AttributeError("module '" + home + "' has no attribute '__path__'", name=name, obj=module)
    if name == "__spec__":
        return None if home == "__main__" else ModuleSpec()
    if name == "__loader__":
        return SourceFileLoader()
    _assay.unsupported("the " + name + " of a module is not modelled; leave it out")


class _OfSite:
    """What the module `site` puts among the built-ins."""

    def __call__(self, *more):
        _assay.unsupported("what the module site gives to interactive users is not modelled; leave it out")

    __repr__ = __call__


_OF_SITE = {name: _OfSite() for name in ("copyright", "credits", "exit", "help", "license", "quit")}


class module_dict:
    """`globals()`: reads and writes the variables of a module. All of them at once can be had while the program begins:
    no state tells in which order they came to be."""

    _stands_for = ("builtins.dict",)

    def __init__(self, module):
        self._dict_module = module

    def _found(self, key):
        if not isinstance(key, _str):
            return _ABSENT
        if hasattr(self._dict_module, "__getattr__"):
            _assay.unsupported("globals() of a module with a __getattr__ is not modelled; name the variables")
        found = getattr(self._dict_module, key, _ABSENT)
        return self.copy().get(key, _ABSENT) if found is _ABSENT and key in self._of_cpython else found

    _of_cpython = (
        *("__package__", "__loader__", "__spec__", "__path__", "__cached__", "__builtins__"),
        "__annotations__",
    )

    def __getitem__(self, key):
        found = self._found(key)
        if found is _ABSENT:
            raise KeyError(key)
        return found

    def __setitem__(self, key, value):
        setattr(self._dict_module, key, value)

    def __contains__(self, key):
        return self._found(key) is not _ABSENT

    def get(self, key, default=None, /):
        found = self._found(key)
        return default if found is _ABSENT else found

    @_assay.atomic
    def setdefault(self, key, default=None, /):
        found = self._found(key)
        if found is not _ABSENT:
            return found
        setattr(self._dict_module, key, default)
        return default

    def update(self, other=(), /, **more):
        given = _dict(other, **more)
        _assay.give_places(self._dict_module, _tuple(given))
        for key, value in given.items():
            setattr(self._dict_module, key, value)

    def copy(self):
        module = self._dict_module
        if self._is_fixed():
            odd = {"None": None, "True": True, "False": False, "__debug__": True}
            odd |= _OF_SITE
            odd |= {"__package__": "", "__loader__": SourceFileLoader, "__spec__": ModuleSpec()}
            return {name: odd[name] if name in odd else getattr(module, name) for name in _BUILT_INS.__dict__}
        is_annotated, variables = _assay.variables(module)
        found = _dict(variables)
        name = found["__name__"]
        file = found["__file__"]
        folder, _, own = file.rpartition("/")
        is_package = own == "__init__.py"
        if name == "__main__":
            result = {"__name__": name, "__doc__": found["__doc__"], "__package__": None}
            result["__loader__"] = SourceFileLoader()
            result["__spec__"] = None
            result["__annotations__"] = _HiddenDict()
            result["__builtins__"] = ModuleSpec()
            result["__file__"] = file
            result["__cached__"] = None
            result.update(found)
            return result
        result = {"__name__": name, "__doc__": found["__doc__"]}
        result["__package__"] = name if is_package else name.rpartition(".")[0]
        result["__loader__"] = SourceFileLoader()
        result["__spec__"] = ModuleSpec()
        if is_package:
            result["__path__"] = [folder]
        result["__file__"] = file
        result["__cached__"] = (
            folder
            + "/__pycache__/"
            + own.removesuffix(".py")
            + "."
            + _interpreter.implementation.cache_tag
            + ".pyc"
        )
        result["__builtins__"] = _HiddenDict()
        if is_annotated:
            result["__annotations__"] = _HiddenDict()
        result.update(found)
        return result

    def keys(self):
        return _dict.fromkeys(_BUILT_INS.__dict__).keys() if self._is_fixed() else _ModuleKeys(self)

    def values(self):
        return self.copy().values() if self._is_fixed() else _ModuleValues(self)

    def items(self):
        return self.copy().items() if self._is_fixed() else _ModuleItems(self)

    def __iter__(self):
        return _iter(_tuple(_BUILT_INS.__dict__) if self._is_fixed() else _ModuleKeys(self))

    def _is_fixed(self):
        """What nobody stores in is the same in every step."""
        return self._dict_module.__name__ == "builtins"

    def __len__(self):
        return len(self.copy())

    def __delitem__(self, key):
        if self._found(key) is _ABSENT:
            raise KeyError(key)
        delattr(self._dict_module, key)

    def pop(self, key, default=_ABSENT, /):
        found = self._found(key)
        if found is not _ABSENT:
            delattr(self._dict_module, key)
            return found
        if default is _ABSENT:
            raise KeyError(key)
        return default

    def _refuse(self, *more):
        _assay.unsupported("this use of globals() is not modelled; name the variables")

    __eq__ = __ne__ = __or__ = __ior__ = __ror__ = __repr__ = __str__ = __reversed__ = _refuse
    popitem = clear = _refuse
    __hash__ = None


class _ModuleView:
    """What `globals().keys()` and the like give: as long as it is kept it shows what the module has then."""

    def __init__(self, variables):
        self._view_dict = variables

    def __iter__(self):
        return _ModuleIterator(self._view_dict, self._view_kind)

    def __len__(self):
        return len(self._view_dict)

    __contains__ = __reversed__ = __eq__ = __ne__ = __hash__ = __repr__ = __str__ = _refuse_view
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __sub__ = __rsub__ = _refuse_view
    __lt__ = __le__ = __gt__ = __ge__ = isdisjoint = mapping = _refuse_view


class _ModuleKeys(_ModuleView):
    _stands_for = ("_collections_abc.dict_keys",)
    _view_kind = 0

    def __contains__(self, key):
        return key in self._view_dict


class _ModuleValues(_ModuleView):
    _stands_for = ("_collections_abc.dict_values",)
    _view_kind = 1


class _ModuleItems(_ModuleView):
    _stands_for = ("_collections_abc.dict_items",)
    _view_kind = 2


class _ModuleIterator:
    def __init__(self, variables, kind):
        self._of_dict = variables
        self._of_kind = kind
        self._of_names = _tuple(variables.copy())
        self._of_next = 0

    def __iter__(self):
        return self

    def __next__(self):
        found = self._of_dict.copy()
        if len(found) != len(self._of_names):
            raise RuntimeError("dictionary changed size during iteration")
        if _tuple(found) != self._of_names:
            _assay.unsupported("variables of a module come and go during a loop over them; use list(...)")
        if self._of_next == len(found):
            raise StopIteration
        name = self._of_names[self._of_next]
        self._of_next += 1
        return (name, found[name], (name, found[name]))[self._of_kind]


def _undisturbed(function, receiver, arguments, keywords, /):
    """Calls a function of CPython that the machine cannot stop, although others could come between what it does.

    If somebody changes what can be reached from the arguments while it could run, there is a schedule in which that
    happens between the two pieces here. Without such a schedule the call is as good as one piece.
    """
    if _only_moves(function, receiver, arguments, keywords):
        return _moved(function, arguments)
    if function is _str or function is _repr:
        use = "repr"
    else:
        use = "all" if type(function).__name__ == "function" else "compare"
    before = _assay.content((receiver, arguments, keywords), use)
    return _call_if_same(function, receiver, arguments, keywords, use, before)


@_assay.atomic
def _only_moves(function, receiver, arguments, keywords):
    """Whether CPython calls nobody on the way: items go from one list into another, or a plain key is looked up."""
    if receiver is not None or keywords or len(arguments) != 2:
        return False
    left, right = arguments
    if function is _contains:
        return type(left) is _dict and type(right) in (_str, int, float, bool, _bytes)
    if function is _mul:
        return type(left) in (_list, _tuple) and type(right) is int
    if function is _iadd:
        return type(left) is _list and type(right) in (_list, _tuple)
    return function is _add and type(left) in (_list, _tuple) and type(right) is type(left)


@_assay.atomic
def _moved(function, arguments):
    return function(*arguments)


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
    """`text % values` where some of the values are shown by the program, or numbers that nobody knows."""
    if isinstance(values, module_dict):
        return text % values.copy()
    if getattr(type(values), "_stands_for", ()) == ("builtins.dict",):  # `vars(self)`
        return text % {key: values[key] for key in values}
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
        if value and hasattr(type(value[0]), "_stands_for"):
            pieces.append(before + str(value[0]))
        elif value and kind == "s":
            pieces.append(before + _plain_percent("%" + flags + kind, (str(value[0]),)))
        elif value and kind == "r":
            pieces.append(before + _plain_percent("%" + flags + "s", (repr(value[0]),)))
        else:
            pieces.append(before + _plain_percent("%" + flags + kind, value))
    if used < len(values):
        raise TypeError("not all arguments converted during string formatting")
    return "".join(pieces) + rest


def _plain_percent(text, values):
    if len(values) == 1 and isinstance(values[0], _dict):
        pairs = values[0].items()
        return text.__mod__(
            {key: str(value) if hasattr(type(value), "_stands_for") else value for key, value in pairs}
        )
    return text.__mod__(
        _tuple([str(value) if hasattr(type(value), "_stands_for") else value for value in values])
    )


def _matches(left, right):
    """`left is right or left == right`; values have no identity, so of them only the second is asked."""
    if type(left) in (int, float, _str, _bytes, _tuple, bool):
        return left == right
    return left is right or left == right


def _items(iterable):
    """All items in a list."""
    items = []
    for item in iterable:
        items.append(item)
    return items


def _sized_items(iterable):
    """All items in a list, where CPython asks how many are to come, to make room."""
    iterator = _iter(iterable)
    _length_hint(iterable)
    return _items(iterator)


def _length_hint(iterable):
    kind = type(iterable)
    try:
        if hasattr(kind, "__len__"):
            len(iterable)
        elif kind.__module__ != "itertools" and hasattr(kind, "__length_hint__"):  # there it is C
            kind.__length_hint__(iterable)
    except TypeError:  # then room is made later
        pass


# Containers made from an iterable


def list(iterable=(), /):
    return _sized_items(iterable)


def tuple(iterable=(), /):
    return _tuple(_sized_items(iterable))


def set(iterable=(), /):
    result = _set()
    for item in iterable:
        result.add(item)
    return result


def frozenset(iterable=(), /):
    return _frozenset(set(iterable))


def bytes(source=b"", *arguments):
    if arguments:
        return _encoded(source, *arguments)
    method = getattr(type(source), "__bytes__", _ABSENT)
    if method is not _ABSENT:
        made = method(source)
        if not isinstance(made, _bytes):
            raise TypeError("__bytes__ returned non-bytes (type " + _type_name(made) + ")")
        return made
    size = _size_for(source)
    return _bytes(_sized_items(source) if size is None else size)


def _encoded(source, *arguments):
    if not isinstance(source, _str):
        raise TypeError("encoding without a string argument")
    return _str.encode(source, *arguments)


def _size_for(source):
    """How many zeros something stands for that says which number it is; None for what has items."""
    if isinstance(source, _str):
        raise TypeError("string argument without an encoding")
    if hasattr(type(source), "__index__"):
        try:
            return _index(source)
        except TypeError:
            pass
    return None


def bytearray(source=b"", *arguments):
    if arguments:
        return _bytearray(_encoded(source, *arguments))
    if isinstance(source, (_bytes, _bytearray)):  # of which CPython takes what it holds
        return _bytearray() + source
    size = _size_for(source)
    return _bytearray(_items(source) if size is None else size)


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
        for key in _items(source.keys()):
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


def dict___missing__(self, key, /):
    """Of a defaultdict; also what looking up a key does that is not there."""
    factory = self.default_factory
    if factory is None:
        raise KeyError(key)
    value = factory()
    self[key] = value
    return value


def dict___ior__(self, other, /):
    _update(self, other)
    return self


def count_elements(mapping, iterable, /):
    for element in iterable:
        _count_elements(mapping, (element,))


# Sequences that compare their items


def list___contains__(self, value, /):
    place = 0
    while place < len(self):
        if _matches(self[place], value):
            return True
        place += 1
    return False


def list_count(self, value, /):
    found = 0
    place = 0
    while place < len(self):
        if _matches(self[place], value):
            found += 1
        place += 1
    return found


def _find(sequence, value, start, stop):
    """The place of a value, or -1. A sequence may grow or shrink meanwhile."""
    if start < 0:
        start += len(sequence)
        if start < 0:
            start = 0
    if stop is not None and stop < 0:
        stop += len(sequence)
        if stop < 0:
            stop = 0
    place = start
    while (stop is None or place < stop) and place < len(sequence):
        if _matches(sequence[place], value):
            return place
        place += 1
    return -1


def list_index(self, value, start=0, stop=None, /):
    place = _find(self, value, start, stop)
    if place < 0:
        raise ValueError(repr(value) + " is not in list")
    return place


def list_remove(self, value, /):
    place = _find(self, value, 0, None)
    if place < 0:
        raise ValueError("list.remove(x): x not in list")
    del self[place : place + 1]  # whatever stands there now


tuple___contains__ = list___contains__
tuple_count = list_count


def tuple_index(self, value, start=0, stop=None, /):
    place = _find(self, value, start, stop)
    if place < 0:
        raise ValueError("tuple.index(x): x not in tuple")
    return place


# The methods of a deque read its items one after the other, and notice what `for` notices: not that one was replaced.


def deque___contains__(self, value, /):
    for item in _iter(self):
        if _matches(item, value):
            return True
    return False


def deque_count(self, value, /):
    found = 0
    for item in _iter(self):
        if _matches(item, value):
            found += 1
    return found


def deque_index(self, value, start=0, stop=None, /):
    size = len(self)
    if start < 0:
        start = start + size if start + size > 0 else 0
    if stop is None or stop > size:
        stop = size
    elif stop < 0:
        stop = stop + size if stop + size > 0 else 0
    place = 0
    for item in _iter(self):
        if place >= stop:
            break
        if place >= start and _matches(item, value):
            return place
        place += 1
    raise ValueError(repr(value) + " is not in deque")


def deque_remove(self, value, /):
    watch = _iter(self)
    size = len(self)
    place = 0
    while place < size:
        found = _matches(self[place], value)
        if not _assay.is_unchanged(watch):
            raise IndexError("deque mutated during iteration")
        if found:
            del self[place]
            return
        place += 1
    raise ValueError("deque.remove(x): x not in deque")


def search(iterable, value, /):
    """`value in iterable`, where that is an iterator or can only be iterated over."""
    for item in iterable:
        if _matches(item, value):
            return True
    return False


def _first_difference(left, right):
    place = 0
    while place < len(left) and place < len(right):
        if not _matches(left[place], right[place]):
            break
        place += 1
    return place


def compare_eq(left, right, /):
    if type(left) is not _tuple and len(left) != len(right):
        return False
    place = _first_difference(left, right)
    return not (place < len(left) and place < len(right)) and len(left) == len(right)


def compare_ne(left, right, /):
    return not compare_eq(left, right)


def compare_lt(left, right, /):
    place = _first_difference(left, right)
    if place < len(left) and place < len(right):
        return left[place] < right[place]
    return len(left) < len(right)


def compare_le(left, right, /):
    place = _first_difference(left, right)
    if place < len(left) and place < len(right):
        return left[place] <= right[place]
    return len(left) <= len(right)


def compare_gt(left, right, /):
    place = _first_difference(left, right)
    if place < len(left) and place < len(right):
        return left[place] > right[place]
    return len(left) > len(right)


def compare_ge(left, right, /):
    place = _first_difference(left, right)
    if place < len(left) and place < len(right):
        return left[place] >= right[place]
    return len(left) >= len(right)


# Methods that take an iterable


def list_extend(self, iterable, /):
    iterator = _iter(iterable)
    _length_hint(iterable)
    for item in iterator:
        self.append(item)


def list___iadd__(self, iterable, /):
    list_extend(self, iterable)
    return self


def list_store_slice(self, place, iterable, /):
    """`self[place] = iterable`. Where the slice begins and ends is settled before anything comes from the iterable."""
    start, stop, step = place.indices(len(self))
    items = _items(iterable)
    if step == 1:
        self[start : stop if stop > start else start] = items
    else:
        self[place] = items


def bytearray_extend(self, iterable, /):
    self.extend(_bytes(_sized_items(iterable)))


def bytearray___iadd__(self, iterable, /):
    self += iterable  # refused by CPython
    return self


def deque___iadd__(self, iterable, /):
    deque_extend(self, iterable)
    return self


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
    result = self.copy() if type(self) is _set else _set(self)
    set_update(result, *others)
    return result if type(self) is _set else _frozenset(result)


def set_intersection(self, *others):
    if not others:
        return self.copy()
    result = self
    for other in others:
        found = _set()
        for item in other:
            if item in result:
                found.add(item)
        result = found
    return result if type(self) is _set else _frozenset(result)


def set_difference(self, *others):
    result = _set(self)
    set_difference_update(result, *others)
    return result if type(self) is _set else _frozenset(result)


def set_symmetric_difference(self, other, /):
    result = set(other)
    result.symmetric_difference_update(self)
    return result if type(self) is _set else _frozenset(result)


def set_intersection_update(self, *others):
    kept = set_intersection(self, *others)
    self.clear()  # what others did meanwhile is lost
    self.update(kept)


def set_difference_update(self, *others):
    for other in others:
        for item in other:
            self.discard(item)


def set_symmetric_difference_update(self, other, /):
    self.symmetric_difference_update(set(other))


def set_issubset(self, other, /):
    return len(set_intersection(self, other)) == len(self)


def set_issuperset(self, other, /):
    for item in other:
        if item not in self:
            return False
    return True


def set_isdisjoint(self, other, /):
    for item in other:
        if item in self:
            return False
    return True


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


# Regular expressions


def pattern_sub(self, repl, string, count=0):
    return _substituted(self, repl, string, count)[0]


def pattern_subn(self, repl, string, count=0):
    return _substituted(self, repl, string, count)


class callable_iterator:
    """What `finditer` gives: all that it will find is found when it is made, which nobody can tell."""

    def __init__(self, matches):
        self._matches = matches
        self._next = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self._next >= len(self._matches):
            raise StopIteration
        self._next += 1
        return self._matches[self._next - 1]


def pattern_finditer(self, string, pos=0, endpos=_interpreter.maxsize):
    if not isinstance(string, (_str, _bytes)):
        _assay.unsupported("finding all in what is no text is not modelled; make it one")
    return callable_iterator(_found_in(self.scanner(string, pos, endpos)))


def _found_in(scanner):
    found = []
    while True:
        match = scanner.search()
        if match is None:
            return found
        found.append(match)


def _substituted(pattern, repl, string, count):
    """The function is called with one match after the other; what it does cannot change what is found."""
    if not callable(repl) or not isinstance(string, (_str, _bytes)):
        _assay.unsupported("this substitution is not modelled; give it a function and a text")
    matches = _found_in(pattern.scanner(string))
    if count != 0:
        matches = matches[: max(count, 0)]  # CPython takes a negative number for none
    nothing = "" if isinstance(string, _str) else b""
    string = nothing.join([string])  # without what a subclass would do
    pieces = []
    behind = 0
    for match in matches:
        if behind < match.start():
            pieces.append(string[behind : match.start()])
        piece = repl(match)
        if piece is not None:
            pieces.append(piece)
        behind = match.end()
    if behind < len(string):
        pieces.append(string[behind:])
    return nothing.join(pieces), len(matches)


# Sorting


def _sort_few(entries):
    """The (key, item) pairs in order of their keys; equal ones stay as they were.

    Compares with < only, and in CPython's order: the run at the begin, then each of the others is put where it belongs.
    """
    count = len(entries)
    if count < 2:
        return entries
    run = 2
    if entries[1][0] < entries[0][0]:
        while run < count and entries[run][0] < entries[run - 1][0]:
            run += 1
        entries = entries[:run][::-1] + entries[run:]
    else:
        while run < count and not entries[run][0] < entries[run - 1][0]:
            run += 1
    for place in _range(run, count):
        pivot = entries[place]
        left = 0
        right = place
        while left < right:
            middle = left + ((right - left) >> 1)
            if pivot[0] < entries[middle][0]:
                right = middle
            else:
                left = middle + 1
        del entries[place]
        entries.insert(left, pivot)
    return entries


def _merge_sort(entries):
    count = len(entries)
    if count < 64:
        return _sort_few(entries)
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
    return _sorted_items(_sized_items(iterable), key, reverse)


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
    return True if one < other else False  # asked with `__bool__`, before anything else is looked at


def _is_greater(one, other):
    return one > other


def min(*arguments, key=None, default=_ABSENT):
    return _extreme("min", arguments, key, default, _is_less)


def max(*arguments, key=None, default=_ABSENT):
    return _extreme("max", arguments, key, default, _is_greater)


def take(iterable, most, /):
    """The first items, at most so many: what is unpacked."""
    items = []
    if most is None:
        return _items(iterable)
    for item in iterable:
        items.append(item)
        if len(items) == most:
            break
    return items


# Folding


def sum(iterable, /, start=0):
    if isinstance(start, (_str, _bytes, _bytearray)):
        return _sum((), start)  # refused by CPython, each with its own sentence
    iterator = _iter(iterable)
    numbers = []
    total = start
    if isinstance(start, (int, float, complex)):
        for item in iterator:
            if not isinstance(item, (int, float, complex)):
                total = _sum(numbers, start) + item
                break
            numbers.append(item)
        else:
            return _sum(numbers, start)  # adds floating-point numbers as this Python does
    for item in iterator:
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


class methodcaller:
    """Of the module `operator`: calls a method of what it is given."""

    def __init__(self, name, /, *args, **kwargs):
        if not isinstance(name, "".__class__):
            raise TypeError("method name must be a string")
        self._caller_name = name
        self._caller_arguments = args
        self._caller_keywords = kwargs

    def __call__(self, obj, /):
        return getattr(obj, self._caller_name)(*self._caller_arguments, **self._caller_keywords)

    def __repr__(self):
        given = [repr(value) for value in (self._caller_name, *self._caller_arguments)]
        given += [f"{name}={value!r}" for name, value in self._caller_keywords.items()]
        return f"operator.methodcaller({', '.join(given)})"


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
        # CPython writes the address, which is different in each run: the character stands for its digits.
        return "<" + kind.__module__ + "." + kind.__qualname__ + " object at 0x\u22ef>"
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
    if file is None:
        _assay.write(sep.join([str(value) for value in values]) + end)
        return
    is_first = True
    for value in values:
        if not is_first:
            file.write(sep)
        is_first = False
        write = file.write
        write(str(value))
    file.write(end)
    if flush:
        file.flush()


# heapq: a heap is a list in which no item is smaller than its parent


def _rise(heap, top, place):
    """The item at `place` moves up, at most to `top`, as far as it is smaller than its parents."""
    count = len(heap)
    while place > top:
        parent = (place - 1) >> 1
        is_smaller = _is_less(heap[place], heap[parent])
        if len(heap) != count:
            raise RuntimeError("list changed size during iteration")
        if not is_smaller:
            return
        heap[place], heap[parent] = heap[parent], heap[place]
        place = parent


def _sink(heap, place):
    """The item at `place` goes down to a leaf along the smaller children, then up to where it belongs."""
    count = len(heap)
    top = place
    while place < count >> 1:
        child = 2 * place + 1
        if child + 1 < count:
            if not _is_less(heap[child], heap[child + 1]):
                child += 1
            if len(heap) != count:
                raise RuntimeError("list changed size during iteration")
        heap[place], heap[child] = heap[child], heap[place]
        place = child
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
    if not heap or not heap[0] < item:
        return item
    if not heap:
        raise IndexError("index out of range")
    smallest = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return smallest


def heapify(heap, /):
    for place in _range((len(heap) >> 1) - 1, -1, -1):
        if place >= len(heap):
            raise IndexError("index out of range")
        _sink(heap, place)


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


# operator


def operator_contains(container, value, /):
    return value in container


def operator_countOf(iterable, value, /):
    found = 0
    for item in iterable:
        if _matches(item, value):
            found += 1
    return found


def operator_indexOf(iterable, value, /):
    place = 0
    for item in iterable:
        if _matches(item, value):
            return place
        place += 1
    raise ValueError("sequence.index(x): x not in sequence")


def operator_getitem(container, key, /):
    return container[key]


def operator_setitem(container, key, value, /):
    container[key] = value


def operator_delitem(container, key, /):
    del container[key]


def operator_concat(one, other, /):
    return one + other


def operator_iconcat(one, other, /):
    one += other
    return one


def operator_truth(value, /):
    return True if value else False


def operator_not_(value, /):
    return not value


def operator_lt(one, other, /):
    return one < other


def operator_le(one, other, /):
    return one <= other


def operator_eq(one, other, /):
    return one == other


def operator_ne(one, other, /):
    return one != other


def operator_gt(one, other, /):
    return one > other


def operator_ge(one, other, /):
    return one >= other


def operator_add(one, other, /):
    return one + other


def operator_sub(one, other, /):
    return one - other


def operator_mul(one, other, /):
    return one * other


def operator_truediv(one, other, /):
    return one / other


def operator_floordiv(one, other, /):
    return one // other


def operator_mod(one, other, /):
    return one % other


def operator_pow(one, other, /):
    return one**other


def operator_lshift(one, other, /):
    return one << other


def operator_rshift(one, other, /):
    return one >> other


def operator_or_(one, other, /):
    return one | other


def operator_xor(one, other, /):
    return one ^ other


def operator_and_(one, other, /):
    return one & other


def operator_matmul(one, other, /):
    return one @ other


def operator_iadd(one, other, /):
    one += other
    return one


def operator_isub(one, other, /):
    one -= other
    return one


def operator_imul(one, other, /):
    one *= other
    return one


def operator_itruediv(one, other, /):
    one /= other
    return one


def operator_ifloordiv(one, other, /):
    one //= other
    return one


def operator_imod(one, other, /):
    one %= other
    return one


def operator_ipow(one, other, /):
    one **= other
    return one


def operator_ilshift(one, other, /):
    one <<= other
    return one


def operator_irshift(one, other, /):
    one >>= other
    return one


def operator_ior(one, other, /):
    one |= other
    return one


def operator_ixor(one, other, /):
    one ^= other
    return one


def operator_iand(one, other, /):
    one &= other
    return one


def operator_imatmul(one, other, /):
    one @= other
    return one


# At the end, because it takes from here.
import _library_functions  # noqa: E402


def _is_instance_of_any(value, kinds):
    for kind in kinds:
        if isinstance(value, kind):
            return True
    return False


def _is_subclass_of_any(value, kinds):
    for kind in kinds:
        if issubclass(value, kind):
            return True
    return False


def _hash_of_tuple(items):
    """CPython's own (xxHash), of items whose hashes the program computes."""
    result = 2870177450012600261
    for item in items:
        result = (result + hash(item) * 14029467366897019727) & 0xFFFFFFFFFFFFFFFF
        result = (result << 31 | result >> 33) & 0xFFFFFFFFFFFFFFFF
        result = result * 11400714785074694791 & 0xFFFFFFFFFFFFFFFF
    result = (result + (len(items) ^ 2870177450012600261 ^ 3527539)) & 0xFFFFFFFFFFFFFFFF
    if result == 0xFFFFFFFFFFFFFFFF:
        return 1546275796
    return result - (1 << 64) if result >> 63 else result
