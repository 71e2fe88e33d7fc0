"""Variables of a context. Each thread begins with a context of its own, which is empty; `Context.run` puts another in its place
for the time of a call."""

import threading
from types import GenericAlias as _GenericAlias

import _assay


class _Missing:
    def __repr__(self):
        return "<Token.MISSING>"


_NOT_GIVEN = _Missing()
_here = threading.local()


class Context:
    def __init__(self):
        self._context_values = {}
        self._context_is_entered = False

    def run(self, callable, /, *args, **kwargs):
        if isinstance(getattr(callable, "__self__", None), ContextVar):
            return self._run_whole(callable, args, kwargs)
        return self._run(callable, args, kwargs)

    @_assay.atomic
    def _run_whole(self, method, args, kwargs):
        """Of a variable: that is C code in CPython, during which nobody else comes."""
        return self._run(method, args, kwargs)

    def _run(self, callable, args, kwargs):
        self._enter()
        before = getattr(_here, "context", None)
        _here.context = self
        try:
            return callable(*args, **kwargs)
        finally:
            _here.context = before
            self._leave()

    @_assay.atomic
    def _enter(self):
        if self._context_is_entered:
            raise RuntimeError(f"cannot enter context: {self!r} is already entered")
        self._context_is_entered = True

    @_assay.atomic
    def _leave(self):
        self._context_is_entered = False

    @_assay.atomic
    def copy(self):
        made = Context()
        made._context_values.update(self._context_values)
        return made

    def __getitem__(self, var):
        return self._context_values[_variable(var)]

    def __contains__(self, var):
        return _variable(var) in self._context_values

    def get(self, var, default=None, /):
        return self._context_values.get(_variable(var), default)

    def __len__(self):
        return len(self._context_values)

    @_assay.atomic
    def keys(self):
        """In any order: CPython's depends on addresses."""
        return iter(list(set(self._context_values)))

    __iter__ = keys

    @_assay.atomic
    def values(self):
        return iter([self._context_values[var] for var in set(self._context_values)])

    @_assay.atomic
    def items(self):
        return iter([(var, self._context_values[var]) for var in set(self._context_values)])

    def __eq__(self, other):
        if not isinstance(other, Context):
            return NotImplemented
        return self._context_values == other._context_values

    __hash__ = None

    def __repr__(self):
        return "<_contextvars.Context object at 0x\u22ef>"


def _variable(var):
    if not isinstance(var, ContextVar):
        raise TypeError(f"a ContextVar key was expected, got {var!r}")
    return var


def _current():
    found = getattr(_here, "context", None)
    if found is None:
        found = _here.context = Context()
        found._context_is_entered = True
    return found


def copy_context():
    return _current().copy()


class Token:
    MISSING = _Missing()

    def __init__(self, var, old, context):
        self.var = var
        self.old_value = old
        self._token_context = context
        self._token_is_used = False

    def __repr__(self):
        _assay.unsupported("the text of a Token is not modelled; show its old_value")


class ContextVar:
    def __init__(self, name, *, default=_NOT_GIVEN):
        if not isinstance(name, str):
            raise TypeError("context variable name must be a str")
        self.name = name
        self._context_default = default

    def get(self, default=_NOT_GIVEN, /):
        context = getattr(_here, "context", None)
        value = _NOT_GIVEN if context is None else context._context_values.get(self, _NOT_GIVEN)
        if value is not _NOT_GIVEN:
            return value
        if default is not _NOT_GIVEN:
            return default
        if self._context_default is not _NOT_GIVEN:
            return self._context_default
        raise LookupError(self)

    def set(self, value, /):
        context = _current()
        old = context._context_values.get(self, Token.MISSING)
        context._context_values[self] = value
        return Token(self, old, context)

    def reset(self, token, /):
        if not isinstance(token, Token):
            raise TypeError("expected an instance of Token, got " + repr(token))
        if token._token_is_used:
            raise RuntimeError("the Token has already been used once")
        if token.var is not self:
            raise ValueError("the Token was created by a different ContextVar")
        if token._token_context is not _current():
            raise ValueError("the Token was created in a different Context")
        token._token_is_used = True
        if token.old_value is Token.MISSING:
            del token._token_context._context_values[self]
        else:
            token._token_context._context_values[self] = token.old_value

    __class_getitem__ = classmethod(_GenericAlias)

    def __repr__(self):
        _assay.unsupported("the text of a ContextVar is not modelled; show its name")
