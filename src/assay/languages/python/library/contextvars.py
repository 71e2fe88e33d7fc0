"""Variables of a context: each thread has one of its own, which is empty when it starts. Contexts themselves are refused where
they are used."""

import threading
from types import GenericAlias as _GenericAlias

import _assay


class _Missing:
    def __repr__(self):
        return "<Token.MISSING>"


_NOT_GIVEN = _Missing()


class Token:
    MISSING = _Missing()

    def __init__(self, var, old, thread):
        self.var = var
        self.old_value = old
        self._token_thread = thread
        self._token_is_used = False

    def __repr__(self):
        _assay.unsupported("the text of a Token is not modelled; show its old_value")


class ContextVar:
    def __init__(self, name, *, default=_NOT_GIVEN):
        if not isinstance(name, str):
            raise TypeError("context variable name must be a str")
        self.name = name
        self._context_default = default
        self._context_values = threading.local()

    def get(self, default=_NOT_GIVEN, /):
        value = getattr(self._context_values, "value", _NOT_GIVEN)
        if value is not _NOT_GIVEN:
            return value
        if default is not _NOT_GIVEN:
            return default
        if self._context_default is not _NOT_GIVEN:
            return self._context_default
        raise LookupError(self)

    def set(self, value, /):
        old = getattr(self._context_values, "value", _NOT_GIVEN)
        self._context_values.value = value
        return Token(self, Token.MISSING if old is _NOT_GIVEN else old, threading.current_thread())

    def reset(self, token, /):
        if not isinstance(token, Token):
            raise TypeError("expected an instance of Token, got " + repr(token))
        if token._token_is_used:
            raise RuntimeError("the Token has already been used once")
        if token.var is not self:
            raise ValueError("the Token was created by a different ContextVar")
        if token._token_thread is not threading.current_thread():
            raise ValueError("the Token was created in a different Context")
        token._token_is_used = True
        if token.old_value is Token.MISSING:
            del self._context_values.value
        else:
            self._context_values.value = token.old_value

    __class_getitem__ = classmethod(_GenericAlias)

    def __repr__(self):
        _assay.unsupported("the text of a ContextVar is not modelled; show its name")
