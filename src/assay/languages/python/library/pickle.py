"""The little of `pickle` that packages do when they are imported: what plain values look like."""

from _pickle import PickleError, PicklingError, UnpicklingError
from _pickle import dumps as _dumps

import _assay

HIGHEST_PROTOCOL = 5
DEFAULT_PROTOCOL = 4


def _is_plain(value):
    if type(value) is tuple:
        return all([_is_plain(item) for item in value])
    return value is None or type(value) in (bool, int, float, str, bytes)


def _kept(value):
    """The parts that CPython writes once for each object: equal ones may be one object, or several."""
    inner = [part for item in value for part in _kept(item)] if type(value) is tuple else []
    return [*inner, value] if type(value) in (str, bytes, tuple) else inner


def dumps(obj, protocol=None, *, fix_imports=True, buffer_callback=None):
    if not _is_plain(obj) or buffer_callback is not None:
        _assay.unsupported("pickle.dumps() is modelled of plain values only; use copy.deepcopy, or json")
    kept = _kept(obj)
    if any([one == other and type(one) is type(other) for i, one in enumerate(kept) for other in kept[:i]]):
        _assay.unsupported(
            "what pickle.dumps() makes of two equal values depends on whether they are one object; use json"
        )
    return _dumps(obj, protocol, fix_imports=fix_imports)
