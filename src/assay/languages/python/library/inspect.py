"""What `inspect` tells of the program's own functions and classes: kinds, parameters and their binding.

What looks at code, frames or source text
is not here, and refused where it is used.
"""

import abc as _abc
import ast
import types
from collections import namedtuple
from enum import IntEnum

import _assay
from _builtins import _annotations

_function_type = types.FunctionType
_method_type = types.MethodType
_IS_ABSTRACT = 1 << 20


def ismodule(object):
    return isinstance(object, types.ModuleType)


def isclass(object):
    return isinstance(object, type)


def ismethod(object):
    return isinstance(object, _method_type)


def isfunction(object):
    return isinstance(object, _function_type)


def isgenerator(object):
    return isinstance(object, types.GeneratorType)


def isbuiltin(object):
    return isinstance(object, types.BuiltinFunctionType)


def isroutine(object):
    return (
        isbuiltin(object)
        or isfunction(object)
        or ismethod(object)
        or isinstance(
            object, (types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType)
        )
    )


def ismethoddescriptor(object):
    if isclass(object) or ismethod(object) or isfunction(object):
        return False
    kind = type(object)
    return hasattr(kind, "__get__") and not hasattr(kind, "__set__")


def isdatadescriptor(object):
    if isclass(object) or ismethod(object) or isfunction(object):
        return False
    kind = type(object)
    return hasattr(kind, "__set__") or hasattr(kind, "__delete__")


def iscode(object):
    return isinstance(object, types.CodeType)


def istraceback(object):
    return isinstance(object, types.TracebackType)


def isframe(object):
    return isinstance(object, types.FrameType)


def isabstract(object):
    if not isinstance(object, type):
        return False
    if object.__flags__ & _IS_ABSTRACT:
        return True
    if not issubclass(type(object), _abc.ABCMeta) or hasattr(object, "__abstractmethods__"):
        return False
    # ABCMeta is still making it: this is asked in `__init_subclass__`.
    for value in object.__dict__.values():
        if getattr(value, "__isabstractmethod__", False):
            return True
    for base in object.__bases__:
        for name in getattr(base, "__abstractmethods__", ()):
            if getattr(getattr(object, name, None), "__isabstractmethod__", False):
                return True
    return False


def _plain(function):
    while True:
        if ismethod(function):
            function = function.__func__
        elif _is_partial(function):
            function = function.func
        else:
            return function


def _is_partial(function):
    return type(function).__name__ == "partial" and type(function).__module__ == "functools"


def isgeneratorfunction(obj):
    function = _plain(obj)
    return isfunction(function) and _assay.parameters(function)[6]


def iscoroutinefunction(obj):
    function = _plain(obj)
    return isfunction(function) and _assay.parameters(function)[7] == 1


def isasyncgenfunction(obj):
    function = _plain(obj)
    return isfunction(function) and _assay.parameters(function)[7] == 2


def iscoroutine(object):
    return isinstance(object, types.CoroutineType)


def isasyncgen(object):
    return isinstance(object, types.AsyncGeneratorType)


def isawaitable(object):
    return isinstance(object, types.CoroutineType) or hasattr(type(object), "__await__")


def getmro(cls):
    return cls.__mro__


def unwrap(func, *, stop=None):
    seen = []
    while hasattr(func, "__wrapped__") and (stop is None or not stop(func)):
        for other in seen:
            if other is func:
                raise ValueError("wrapper loop when unwrapping " + repr(seen[0]))
        seen.append(func)
        func = func.__wrapped__
    return func


def cleandoc(doc):
    lines = doc.expandtabs().split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.lstrip()]
    if lines:
        lines[0] = lines[0].lstrip()
    if margins:
        margin = min(margins)
        lines = lines[:1] + [line[margin:] for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(lines)


def getdoc(object):
    doc = object.__doc__ if hasattr(object, "__doc__") else None
    if doc is None:
        if isclass(object) or isfunction(object):
            return None
        _assay.unsupported("inspect.getdoc() that looks for an inherited text is not modelled; use __doc__")
    return cleandoc(doc) if isinstance(doc, str) else None


class _empty:
    """Marker object for Signature.empty and Parameter.empty."""


class _ParameterKind(IntEnum):
    POSITIONAL_ONLY = 0
    POSITIONAL_OR_KEYWORD = 1
    VAR_POSITIONAL = 2
    KEYWORD_ONLY = 3
    VAR_KEYWORD = 4

    def __str__(self):
        return self.name

    @property
    def description(self):
        return (
            "positional-only",
            "positional or keyword",
            "variadic positional",
            "keyword-only",
            "variadic keyword",
        )[self]


CO_OPTIMIZED, CO_NEWLOCALS, CO_VARARGS, CO_VARKEYWORDS, CO_NESTED, CO_GENERATOR = 1, 2, 4, 8, 16, 32
CO_NOFREE, CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR = 64, 128, 256, 512


class _unchanged:
    """Given by nobody."""


class Parameter:
    POSITIONAL_ONLY = _ParameterKind.POSITIONAL_ONLY
    POSITIONAL_OR_KEYWORD = _ParameterKind.POSITIONAL_OR_KEYWORD
    VAR_POSITIONAL = _ParameterKind.VAR_POSITIONAL
    KEYWORD_ONLY = _ParameterKind.KEYWORD_ONLY
    VAR_KEYWORD = _ParameterKind.VAR_KEYWORD
    empty = _empty

    def __init__(self, name, kind, *, default=_empty, annotation=_empty, _is_annotated=False):
        if not isinstance(name, str):
            raise TypeError("name must be a str, not a " + type(name).__name__)
        kind = _ParameterKind(kind)
        if default is not _empty and kind in (_ParameterKind.VAR_POSITIONAL, _ParameterKind.VAR_KEYWORD):
            raise ValueError(kind.description + " parameters cannot have default values")
        if not name.isidentifier():
            raise ValueError(repr(name) + " is not a valid parameter name")
        self._name = name
        self._kind = kind
        self._default = default
        self._annotation = annotation
        self._is_annotated = _is_annotated

    @property
    def name(self):
        return self._name

    @property
    def kind(self):
        return self._kind

    @property
    def default(self):
        return self._default

    @property
    def annotation(self):
        if self._is_annotated:
            _assay.observes("annotations that nobody looks at")
        return self._annotation

    def replace(self, *, name=_unchanged, kind=_unchanged, annotation=_unchanged, default=_unchanged):
        return type(self)(
            self._name if name is _unchanged else name,
            self._kind if kind is _unchanged else kind,
            default=self._default if default is _unchanged else default,
            annotation=self._annotation if annotation is _unchanged else annotation,
            _is_annotated=self._is_annotated and annotation is _unchanged,
        )

    def __eq__(self, other):
        if self is other:
            return True
        if not isinstance(other, Parameter):
            return NotImplemented
        return (
            self._name == other._name
            and self._kind == other._kind
            and self._default == other._default
            and self.annotation == other.annotation
        )

    def __hash__(self):
        return hash((self._name, self._kind, self.annotation, self._default))

    def __repr__(self):
        _assay.unsupported("the text of a parameter is not modelled; show its name")


class BoundArguments:
    def __init__(self, signature, arguments):
        self.arguments = arguments
        self._signature = signature

    @property
    def signature(self):
        return self._signature

    @property
    def args(self):
        args = []
        for name, parameter in self._signature._parameters.items():
            if parameter.kind in (_ParameterKind.VAR_KEYWORD, _ParameterKind.KEYWORD_ONLY):
                break
            if name not in self.arguments:
                break
            if parameter.kind == _ParameterKind.VAR_POSITIONAL:
                args.extend(self.arguments[name])
            else:
                args.append(self.arguments[name])
        return tuple(args)

    @property
    def kwargs(self):
        kwargs = {}
        started = False
        for name, parameter in self._signature._parameters.items():
            if not started:
                if parameter.kind in (_ParameterKind.VAR_KEYWORD, _ParameterKind.KEYWORD_ONLY):
                    started = True
                elif name not in self.arguments:
                    started = True
                    continue
            if not started or name not in self.arguments:
                continue
            if parameter.kind == _ParameterKind.VAR_KEYWORD:
                kwargs.update(self.arguments[name])
            else:
                kwargs[name] = self.arguments[name]
        return kwargs

    def apply_defaults(self):
        arguments = self.arguments
        ordered = {}
        for name, parameter in self._signature._parameters.items():
            if name in arguments:
                ordered[name] = arguments[name]
            elif parameter.default is not _empty:
                ordered[name] = parameter.default
            elif parameter.kind == _ParameterKind.VAR_POSITIONAL:
                ordered[name] = ()
            elif parameter.kind == _ParameterKind.VAR_KEYWORD:
                ordered[name] = {}
        self.arguments = ordered


class _Parameters:
    """Shows a dict that nobody changes."""

    _stands_for = ("types.MappingProxyType",)

    def __init__(self, shown):
        self._shown = shown

    def __getitem__(self, key):
        return self._shown[key]

    def __iter__(self):
        return iter(self._shown)

    def __len__(self):
        return len(self._shown)

    def __contains__(self, key):
        return key in self._shown

    def __reversed__(self):
        return reversed(self._shown)

    def get(self, key, default=None, /):
        return self._shown.get(key, default)

    def keys(self):
        return self._shown.keys()

    def values(self):
        return self._shown.values()

    def items(self):
        return self._shown.items()

    def _refuse(self, *others):
        _assay.unsupported("this use of the parameters of a signature is not modelled; use a dict of them")

    copy = __setitem__ = __delitem__ = __eq__ = __ne__ = __or__ = __ror__ = __ior__ = _refuse
    __repr__ = __str__ = __hash__ = _refuse


class Signature:
    empty = _empty

    def __init__(
        self, parameters=None, *, return_annotation=_empty, __validate_parameters__=True, _is_annotated=False
    ):
        self._parameters = {parameter.name: parameter for parameter in parameters or ()}
        self._return_annotation = return_annotation
        self._is_annotated = _is_annotated

    @classmethod
    def from_callable(cls, obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False):
        return signature(obj, follow_wrapped=follow_wrapped)

    @property
    def parameters(self):
        return _Parameters(self._parameters)

    @property
    def return_annotation(self):
        if self._is_annotated:
            _assay.observes("annotations that nobody looks at")
        return self._return_annotation

    def replace(self, *, parameters=_unchanged, return_annotation=_unchanged):
        is_kept = return_annotation is _unchanged
        return type(self)(
            self._parameters.values() if parameters is _unchanged else parameters,
            return_annotation=self._return_annotation if is_kept else return_annotation,
            _is_annotated=self._is_annotated and is_kept,
        )

    def bind(self, /, *args, **kwargs):
        return self._bind(args, kwargs, False)

    def bind_partial(self, /, *args, **kwargs):
        return self._bind(args, kwargs, True)

    def _bind(self, args, kwargs, is_partial):
        arguments = {}
        left = list(args)
        parameters = list(self._parameters.values())
        position = 0
        while position < len(parameters):
            parameter = parameters[position]
            kind = parameter.kind
            if kind in (_ParameterKind.VAR_KEYWORD, _ParameterKind.KEYWORD_ONLY):
                break
            if kind == _ParameterKind.VAR_POSITIONAL:
                if left:
                    arguments[parameter.name] = tuple(left)
                    left = []
                position += 1
                continue
            if not left:
                break
            if parameter.name in kwargs and kind != _ParameterKind.POSITIONAL_ONLY:
                raise TypeError("multiple values for argument " + repr(parameter.name))
            arguments[parameter.name] = left.pop(0)
            position += 1
        if left:
            raise TypeError("too many positional arguments")
        rest = dict(kwargs)
        collecting = None
        for parameter in parameters[position:]:
            kind = parameter.kind
            if kind == _ParameterKind.VAR_KEYWORD:
                collecting = parameter
            elif kind == _ParameterKind.VAR_POSITIONAL:
                continue
            elif parameter.name in rest:
                if kind == _ParameterKind.POSITIONAL_ONLY:
                    raise TypeError(
                        repr(parameter.name) + " parameter is positional only, but was passed as a keyword"
                    )
                arguments[parameter.name] = rest.pop(parameter.name)
            elif not is_partial and parameter.default is _empty:
                raise TypeError("missing a required argument: " + repr(parameter.name))
        for parameter in parameters[:position]:
            if parameter.kind == _ParameterKind.VAR_KEYWORD:
                collecting = parameter
        if rest:
            if collecting is None:
                raise TypeError("got an unexpected keyword argument " + repr(next(iter(rest))))
            arguments[collecting.name] = rest
        return BoundArguments(self, arguments)

    def __eq__(self, other):
        if self is other:
            return True
        if not isinstance(other, Signature):
            return NotImplemented
        _assay.unsupported("comparing signatures is not modelled; compare the names of their parameters")

    def __hash__(self):
        _assay.unsupported("the hash of a signature is not modelled; use the names of its parameters")

    def __repr__(self):
        _assay.unsupported("the text of a signature is not modelled; show the names of its parameters")


def _annotations_of(function):
    """A dict; empty if they were dropped."""
    found = function.__annotations__
    if found is None:
        return {}
    return found if isinstance(found, dict) else _annotations(found)


def get_annotations(obj, *, globals=None, locals=None, eval_str=False):
    if eval_str or globals is not None or locals is not None:
        _assay.unsupported(
            "inspect.get_annotations() that evaluates is not modelled; use typing.get_type_hints"
        )
    if isinstance(obj, type):
        found = obj.__dict__.get("__annotations__")
        if found:
            _assay.observes("annotations that nobody looks at")
        return dict(found) if found else {}
    if not callable(obj):
        raise TypeError(repr(obj) + " is not a module, class, or callable.")
    if not isfunction(obj):
        return {}
    if obj.__annotations__ is None:
        _assay.observes("annotations that nobody looks at")
    return dict(_annotations_of(obj))


def _parameters_of(function):
    """Of a function of the program, in their order."""
    names, only, positional, keyword_only, varargs, varkw, _, _, defaults, by_keyword, is_annotated = (
        _assay.parameters(function)
    )
    annotations = _annotations_of(function)
    found = []
    without = positional - len(defaults)
    for number in range(positional):
        kind = _ParameterKind.POSITIONAL_ONLY if number < only else _ParameterKind.POSITIONAL_OR_KEYWORD
        default = _empty if number < without else defaults[number - without]
        annotation = annotations.get(names[number], _empty)
        found.append(
            Parameter(names[number], kind, default=default, annotation=annotation, _is_annotated=is_annotated)
        )
    if varargs:
        name = names[positional + keyword_only]
        annotation = annotations.get(name, _empty)
        found.append(
            Parameter(name, _ParameterKind.VAR_POSITIONAL, annotation=annotation, _is_annotated=is_annotated)
        )
    for number in range(positional, positional + keyword_only):
        default = by_keyword.get(names[number], _empty)
        annotation = annotations.get(names[number], _empty)
        found.append(
            Parameter(
                names[number],
                _ParameterKind.KEYWORD_ONLY,
                default=default,
                annotation=annotation,
                _is_annotated=is_annotated,
            )
        )
    if varkw:
        name = names[positional + keyword_only + varargs]
        annotation = annotations.get(name, _empty)
        found.append(
            Parameter(name, _ParameterKind.VAR_KEYWORD, annotation=annotation, _is_annotated=is_annotated)
        )
    return found, annotations.get("return", _empty), is_annotated


def _without_first(signature_):
    parameters = list(signature_._parameters.values())
    if not parameters or parameters[0].kind in (_ParameterKind.VAR_KEYWORD, _ParameterKind.KEYWORD_ONLY):
        raise ValueError("invalid method signature")
    if parameters[0].kind != _ParameterKind.VAR_POSITIONAL:
        parameters = parameters[1:]
    return Signature(
        parameters,
        return_annotation=signature_._return_annotation,
        _is_annotated=signature_._is_annotated,
    )


def _of_partial(partial):
    base = signature(partial.func)
    bound = base.bind_partial(*partial.args, **partial.keywords)
    parameters = []
    by_keyword = False
    for name, parameter in base._parameters.items():
        if name in bound.arguments:
            if parameter.kind in (_ParameterKind.VAR_KEYWORD, _ParameterKind.VAR_POSITIONAL):
                parameters.append(parameter)
                continue
            if name not in partial.keywords:
                continue
            parameter = parameter.replace(kind=_ParameterKind.KEYWORD_ONLY, default=bound.arguments[name])
            by_keyword = True
        elif by_keyword:
            if parameter.kind == _ParameterKind.VAR_POSITIONAL:
                continue
            if parameter.kind == _ParameterKind.POSITIONAL_OR_KEYWORD:
                parameter = parameter.replace(kind=_ParameterKind.KEYWORD_ONLY)
        parameters.append(parameter)
    return Signature(parameters, return_annotation=base._return_annotation, _is_annotated=base._is_annotated)


def signature(obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False):
    if not callable(obj):
        raise TypeError(repr(obj) + " is not a callable object")
    if ismethod(obj):
        return _without_first(signature(obj.__func__, follow_wrapped=follow_wrapped))
    if follow_wrapped:
        obj = unwrap(obj, stop=lambda function: hasattr(function, "__signature__") or ismethod(function))
        if ismethod(obj):
            return signature(obj)
    if not isclass(obj) and hasattr(obj, "__signature__") and obj.__signature__ is not None:
        return obj.__signature__
    if isfunction(obj):
        parameters, returned, is_annotated = _parameters_of(obj)
        return Signature(parameters, return_annotation=returned, _is_annotated=is_annotated)
    if _is_partial(obj):
        return _of_partial(obj)
    if isclass(obj):
        if type(obj) is not type and not isinstance(obj, _abc.ABCMeta):
            _assay.unsupported(
                "inspect.signature() of a class with a metaclass is not modelled; name its arguments"
            )
        if isfunction(obj.__new__):
            return _without_first(signature(obj.__new__))
        if isfunction(obj.__init__):
            return _without_first(signature(obj.__init__))
        if obj.__new__ == object.__new__ and obj.__init__ == object.__init__:
            return Signature()
        _assay.unsupported("inspect.signature() of this class is not modelled; name its arguments")
    call = type(obj).__call__
    if isfunction(call):
        return _without_first(signature(call))
    if isinstance(obj, _BUILT_INS):
        return _of_built_in(obj)
    _assay.unsupported("inspect.signature() of this is not modelled; name its arguments")


_BUILT_INS = (
    types.BuiltinFunctionType,
    types.ClassMethodDescriptorType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
)


def _of_built_in(obj):
    """From the text that C code has for it, as CPython reads it."""
    text = obj.__text_signature__
    if not text:
        raise ValueError("no signature found for builtin " + repr(obj))
    parameters = []
    kind = Parameter.POSITIONAL_OR_KEYWORD
    for part in text[1:-1].split(", "):
        name, has_default, default = part.partition("=")
        if part == "/":
            parameters = [one.replace(kind=Parameter.POSITIONAL_ONLY) for one in parameters]
        elif part == "*":
            kind = Parameter.KEYWORD_ONLY
        elif part.startswith("$"):
            if not hasattr(obj, "__self__"):
                parameters.append(Parameter(name[1:], Parameter.POSITIONAL_ONLY))
        elif part.startswith("**"):
            parameters.append(Parameter(name[2:], Parameter.VAR_KEYWORD))
        elif part.startswith("*"):
            parameters.append(Parameter(name[1:], Parameter.VAR_POSITIONAL))
            kind = Parameter.KEYWORD_ONLY
        elif name and not name.isidentifier():
            _assay.unsupported("inspect.signature() of this built-in is not modelled; name its arguments")
        elif has_default:
            try:
                parameters.append(Parameter(name, kind, default=ast.literal_eval(default)))
            except (ValueError, SyntaxError):
                _assay.unsupported("inspect.signature() of this built-in is not modelled; name its arguments")
        elif name:
            parameters.append(Parameter(name, kind))
    return Signature(parameters)


FullArgSpec = namedtuple(
    "FullArgSpec", "args, varargs, varkw, defaults, kwonlyargs, kwonlydefaults, annotations"
)


def getfullargspec(func):
    function = func.__func__ if ismethod(func) else func
    if hasattr(function, "__signature__") or (
        isclass(function) and (type(function) is not type or isfunction(function.__new__))
    ):
        _assay.unsupported(
            "inspect.getfullargspec() of this is not modelled; name its arguments, or use inspect.signature()"
        )
    if isclass(function):
        function = function.__init__
    if not isfunction(function):
        function = type(function).__call__
    if not isfunction(function):
        _assay.unsupported("inspect.getfullargspec() of a built-in is not modelled; name its arguments")
    names, _, positional, keyword_only, varargs, varkw, _, _, defaults, by_keyword, is_annotated = (
        _assay.parameters(function)
    )
    if is_annotated:
        _assay.observes("annotations that nobody looks at")
    after = positional + keyword_only
    args = list(names[:positional])
    return FullArgSpec(
        args,
        names[after] if varargs else None,
        names[after + varargs] if varkw else None,
        defaults if defaults else None,
        list(names[positional:after]),
        dict(by_keyword) if by_keyword else None,
        dict(_annotations_of(function)),
    )


_nothing = []


def _in_class(cls, name):
    for base in cls.__mro__:
        is_there, value = _assay.own_attribute(base, name)
        if is_there:
            return value
    return _nothing


def getattr_static(obj, attr, default=_nothing):
    """What is stored under the name, in the object or its class, without what descriptors make of it."""
    own = _nothing
    if isinstance(obj, type):
        kind = obj
        found = _in_class(kind, attr)
        if found is not _nothing:
            return found
        found = _in_class(type(kind), attr)
    else:
        kind = type(obj)
        if ismodule(obj):
            own = getattr(obj, attr, _nothing)
        else:
            stored = _assay.own_attribute(obj, attr)
            if stored is not None and stored[0]:
                own = stored[1]
        found = _in_class(kind, attr)
        if own is not _nothing and found is not _nothing:
            is_data = _in_class(type(found), "__get__") is not _nothing and (
                _in_class(type(found), "__set__") is not _nothing
                or _in_class(type(found), "__delete__") is not _nothing
            )
            return found if is_data else own
        if own is not _nothing:
            return own
    if found is not _nothing:
        return found
    if default is not _nothing:
        return default
    raise AttributeError(attr)


def getmembers(object, predicate=None):
    found = []
    for name in dir(object):
        try:
            value = getattr(object, name)
        except AttributeError:
            continue
        if predicate is None or predicate(value):
            found.append((name, value))
    return found
