"""Stands for the package of that name, where it is installed: what `typing` has too is that, and the rest does nothing when a
program runs."""

import typing
from typing import (
    TYPE_CHECKING,
    AbstractSet,
    Annotated,
    Any,
    AnyStr,
    Callable,
    ClassVar,
    Concatenate,
    Final,
    Generic,
    Literal,
    LiteralString,
    NamedTuple,
    Never,
    NewType,
    NoReturn,
    NotRequired,
    Optional,
    ParamSpec,
    ParamSpecArgs,
    ParamSpecKwargs,
    Protocol,
    Required,
    Self,
    Text,
    Type,
    TypeAlias,
    TypedDict,
    TypeGuard,
    TypeVar,
    TypeVarTuple,
    Union,
    Unpack,
    assert_never,
    assert_type,
    cast,
    final,
    get_args,
    get_origin,
    is_typeddict,
    overload,
    reveal_type,
    runtime_checkable,
)

import _assay

runtime = runtime_checkable
_TypeVar = TypeVar


def TypeVar(
    name, *constraints, bound=None, covariant=False, contravariant=False, default=None, infer_variance=False
):
    if default is not None or infer_variance:
        _assay.unsupported("a TypeVar with a default or an inferred variance is not modelled; leave that out")
    return _TypeVar(name, *constraints, bound=bound, covariant=covariant, contravariant=contravariant)


def override(arg, /):
    try:
        arg.__override__ = True
    except (AttributeError, TypeError):
        pass
    return arg
