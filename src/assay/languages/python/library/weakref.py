"""Weak references are refused: when an object goes away is no part of the machine's states."""

import _assay


def _refuse(name):
    _assay.unsupported(
        "weakref."
        + name
        + " is not modelled: the moment at which objects are collected is not part of a state; "
        "use an ordinary reference or collection while checking"
    )


def ref(object, callback=None):
    _refuse("ref")


def proxy(object, callback=None):
    _refuse("proxy")


def finalize(obj, func, /, *args, **kwargs):
    _refuse("finalize")


def WeakSet(data=None):
    _refuse("WeakSet")


def WeakKeyDictionary(dict=None):
    _refuse("WeakKeyDictionary")


def WeakValueDictionary(other=(), /, **keywords):
    _refuse("WeakValueDictionary")


def WeakMethod(method, callback=None):
    _refuse("WeakMethod")
