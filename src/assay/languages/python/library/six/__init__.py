"""Stands for the package of that name, where it is installed: what it makes of Python 3."""

import abc
import functools
import itertools
import operator
import sys
import types

import _assay
from six import moves

PY2 = False
PY3 = True
PY34 = True
string_types = (str,)
integer_types = (int,)
class_types = (type,)
text_type = str
binary_type = bytes
MAXSIZE = sys.maxsize
Iterator = object
next = advance_iterator = next
callable = callable
unichr = chr
wraps = functools.wraps
get_method_function = operator.attrgetter("__func__")
get_method_self = operator.attrgetter("__self__")
indexbytes = operator.getitem
iterbytes = iter
byte2int = operator.itemgetter(0)
viewkeys = operator.methodcaller("keys")
viewvalues = operator.methodcaller("values")
viewitems = operator.methodcaller("items")
create_bound_method = types.MethodType


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    _assay.unsupported("six." + name + " is not modelled; use what it is in Python 3")


def add_metaclass(metaclass, *bases):
    """Asked by class statements, as the compiler writes them, with their bases (`compiler/metaclasses.py`)."""
    is_told = any(
        [
            type(base) not in (type, abc.ABCMeta)
            or any(["__init_subclass__" in vars(one) for one in base.__mro__[:-1]])
            for base in bases
        ]
    )
    if is_told or not bases:
        _assay.unsupported(
            "six.add_metaclass() makes this class twice, which its bases can tell, and which is not modelled; "
            "write `class C(Base, metaclass=Meta)`"
        )
    return metaclass


def u(s):
    return s


def b(s):
    return s.encode("latin-1")


def int2byte(i):
    return bytes((i,))


def get_unbound_function(unbound):
    return unbound


def create_unbound_method(func, cls):
    return func


def iterkeys(d, **kw):
    return iter(d.keys(**kw))


def itervalues(d, **kw):
    return iter(d.values(**kw))


def iteritems(d, **kw):
    return iter(d.items(**kw))


def reraise(tp, value, tb=None):
    try:
        if value is None:
            value = tp()
        if value.__traceback__ is not tb:
            raise value.with_traceback(tb)
        raise value
    finally:
        value = None
        tb = None


def raise_from(value, from_value):
    try:
        raise value from from_value
    finally:
        value = None


def with_metaclass(meta, *bases):
    """A class that the class statement puts the real one in place of."""
    _assay.unsupported("six.with_metaclass() is not modelled; write `class C(metaclass=M)`")


def python_2_unicode_compatible(klass):
    return klass


def ensure_binary(s, encoding="utf-8", errors="strict"):
    if isinstance(s, binary_type):
        return s
    if isinstance(s, text_type):
        return s.encode(encoding, errors)
    raise TypeError("not expecting type '%s'" % type(s))


def ensure_str(s, encoding="utf-8", errors="strict"):
    if type(s) is str:
        return s
    if isinstance(s, binary_type):
        return s.decode(encoding, errors)
    if not isinstance(s, (text_type, binary_type)):
        raise TypeError("not expecting type '%s'" % type(s))
    return s


def ensure_text(s, encoding="utf-8", errors="strict"):
    if isinstance(s, binary_type):
        return s.decode(encoding, errors)
    if isinstance(s, text_type):
        return s
    raise TypeError("not expecting type '%s'" % type(s))


print_ = print
