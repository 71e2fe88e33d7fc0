"""Stands for the package of that name, where it is installed: what `typing` has too is that, and the rest does next to nothing
when a program runs. Names that the installed version has not are taken away again (`compiler/imports.py`)."""

import abc
import functools
import inspect
import typing
from typing import (
    IO,
    TYPE_CHECKING,
    AbstractSet,
    Annotated,
    Any,
    AnyStr,
    AsyncContextManager,
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    BinaryIO,
    Callable,
    ChainMap,
    ClassVar,
    Collection,
    Concatenate,
    Container,
    ContextManager,
    Coroutine,
    Counter,
    DefaultDict,
    Deque,
    Dict,
    Final,
    ForwardRef,
    FrozenSet,
    Generator,
    Generic,
    Hashable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    List,
    Literal,
    LiteralString,
    Mapping,
    MappingView,
    Match,
    MutableMapping,
    MutableSequence,
    MutableSet,
    NamedTuple,
    Never,
    NewType,
    NoReturn,
    NotRequired,
    Optional,
    OrderedDict,
    ParamSpec,
    ParamSpecArgs,
    ParamSpecKwargs,
    Pattern,
    Protocol,
    Required,
    Reversible,
    Self,
    Sequence,
    Set,
    Sized,
    SupportsAbs,
    SupportsBytes,
    SupportsComplex,
    SupportsFloat,
    SupportsIndex,
    SupportsInt,
    SupportsRound,
    Text,
    TextIO,
    Tuple,
    Type,
    TypeAlias,
    TypedDict,
    TypeGuard,
    TypeVar,
    TypeVarTuple,
    Union,
    Unpack,
    ValuesView,
    assert_never,
    assert_type,
    cast,
    clear_overloads,
    dataclass_transform,
    final,
    get_args,
    get_origin,
    get_overloads,
    get_type_hints,
    is_typeddict,
    no_type_check,
    overload,
    reveal_type,
    runtime_checkable,
)

import _assay

runtime = runtime_checkable
_TypedDictMeta = typing._TypedDictMeta
_AnnotatedAlias = typing._AnnotatedAlias
_TypeVar = TypeVar


def TypeVar(
    name, *constraints, bound=None, covariant=False, contravariant=False, default=None, infer_variance=False
):
    """Who asks for the default, or gives a generic class fewer arguments because of it, is refused there."""
    if infer_variance:
        _assay.unsupported("a TypeVar with an inferred variance is not modelled; leave that out")
    return _TypeVar(name, *constraints, bound=bound, covariant=covariant, contravariant=contravariant)


def IntVar(name):
    return _TypeVar(name)


def override(arg, /):
    if isinstance(arg, (classmethod, staticmethod)):
        return arg  # nobody finds the mark there, but by looking into the class
    try:
        arg.__override__ = True
    except (AttributeError, TypeError):
        pass
    return arg


def disjoint_base(cls):
    cls.__disjoint_base__ = True
    return cls


class deprecated:
    """The warning goes nowhere (`warnings`); what is deprecated says so."""

    def __init__(self, message, /, *, category=DeprecationWarning, stacklevel=1):
        if not isinstance(message, str):
            raise TypeError(
                "Expected an object of type str for 'message', not " + repr(type(message).__name__)
            )
        self.message = message
        self.category = category
        self.stacklevel = stacklevel

    def __call__(self, arg, /):
        message = self.message
        if self.category is None or isinstance(arg, type):
            arg.__deprecated__ = message
            return arg
        if not callable(arg):
            raise TypeError(
                "@deprecated decorator with non-None category must be applied to a class or callable, not "
                + repr(arg)
            )

        @functools.wraps(arg)
        def wrapper(*args, **kwargs):
            return arg(*args, **kwargs)

        arg.__deprecated__ = wrapper.__deprecated__ = message
        return wrapper


class _Subscribed:
    """`TypeIs[int]`: for those who read annotations."""

    def __init__(self, origin, args):
        self.__origin__ = origin
        self.__args__ = args

    def __eq__(self, other):
        if not isinstance(other, _Subscribed):
            return NotImplemented
        return self.__origin__ is other.__origin__ and self.__args__ == other.__args__

    def __hash__(self):
        return hash((self.__origin__._name, self.__args__))

    def __repr__(self):
        shown = [item.__qualname__ if isinstance(item, type) else repr(item) for item in self.__args__]
        return repr(self.__origin__) + "[" + ", ".join(shown) + "]"

    def __call__(self, *args, **kwargs):
        raise TypeError("Cannot instantiate " + repr(self))


class _Form:
    def __init__(self, name):
        self._name = name

    def __getitem__(self, item):
        return _Subscribed(self, item if isinstance(item, tuple) else (item,))

    def __hash__(self):
        return hash(self._name)

    def __eq__(self, other):
        return self is other

    def __repr__(self):
        return "typing_extensions." + self._name

    def __call__(self, *args, **kwargs):
        raise TypeError("Cannot instantiate " + repr(self))


ReadOnly = _Form("ReadOnly")
TypeForm = _Form("TypeForm")
TypeIs = _Form("TypeIs")


class _Singleton:
    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return "typing_extensions." + self._name


NoDefault = _Singleton("NoDefault")
NoExtraItems = _Singleton("NoExtraItems")


class Sentinel:
    def __init__(self, name, module_name=None, *, repr=None):
        self.__name__ = self._name = name
        self._repr = repr if repr is not None else "<" + name + ">"

    def __repr__(self):
        return self._repr

    def __call__(self, *args, **kwargs):
        raise TypeError("'Sentinel' object is not callable")


sentinel = Sentinel


class Doc:
    def __init__(self, documentation, /):
        self.documentation = documentation

    def __repr__(self):
        return "Doc(" + repr(self.documentation) + ")"

    def __hash__(self):
        return hash(self.documentation)

    def __eq__(self, other):
        if not isinstance(other, Doc):
            return NotImplemented
        return self.documentation == other.documentation


class TypeAliasType:
    def __init__(self, name, value, *, type_params=()):
        if not isinstance(name, str):
            raise TypeError("argument 'name' must be str, not " + type(name).__name__)
        self.__name__ = name
        self.__value__ = value
        self.__type_params__ = self.__parameters__ = type_params

    def __getitem__(self, item):
        return _Subscribed(self, item if isinstance(item, tuple) else (item,))

    def __repr__(self):
        return self.__name__

    def __call__(self):
        raise TypeError("Type alias is not callable")


class Buffer(abc.ABC):
    pass


Buffer.register(memoryview)
Buffer.register(bytearray)
Buffer.register(bytes)


def is_protocol(tp, /):
    return isinstance(tp, type) and getattr(tp, "_is_protocol", False) and tp is not Protocol


def get_protocol_members(tp, /):
    if not is_protocol(tp):
        raise TypeError(repr(tp) + " is not a Protocol")
    return frozenset(typing._get_protocol_attrs(tp))


def get_original_bases(cls, /):
    try:
        return cls.__dict__.get("__orig_bases__", cls.__bases__)
    except AttributeError:
        raise TypeError("Expected an instance of type, not " + repr(type(cls).__name__)) from None


def _refuse(name):
    _assay.unsupported("typing_extensions." + name + " is not modelled; leave it out")


def evaluate_forward_ref(*args, **kwargs):
    _refuse("evaluate_forward_ref")


get_annotations = inspect.get_annotations


def type_repr(value):
    if isinstance(value, type):
        if value.__module__ == "builtins":
            return value.__qualname__
        return value.__module__ + "." + value.__qualname__
    return "..." if value is ... else repr(value)
