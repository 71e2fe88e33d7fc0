"""Helpers that compiled code calls by name with LOAD_BUILTIN, besides the built-ins of CPython.

The machine calls them as it calls built-ins: they run in one piece and read everything reachable from their
arguments. `HELPERS` has all of them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

# Classes whose one positional pattern matches the whole value, PEP 634.
SELF_MATCHING = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
SEQUENCE_FLAG = 1 << 5  # of `__flags__`: what patterns take for a sequence
MAPPING_FLAG = 1 << 6


def match_sequence(subject: object, count: int, has_star: bool) -> bool:
    """Whether a sequence pattern with `count` items, and perhaps a starred one, can match."""
    if not type(subject).__flags__ & SEQUENCE_FLAG:
        return False
    length = len(subject)  # type: ignore[arg-type]
    return length >= count if has_star else length == count


def match_mapping(subject: object, keys: tuple[object, ...], has_rest: bool) -> tuple[object, ...] | None:
    """The values of the keys, and if asked for a dict of the rest; None if the subject does not match."""
    if not type(subject).__flags__ & MAPPING_FLAG:
        return None
    mapping: Mapping[object, object] = subject  # type: ignore[assignment]
    if keys and len(mapping) < len(keys):
        return None
    values = []
    seen: set[object] = set()
    missing = object()
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)
        value = mapping.get(key, missing)
        if value is missing:
            return None
        values.append(value)
    if has_rest:
        rest = dict(mapping.items()) if not isinstance(mapping, dict) else dict(mapping)
        for key in keys:
            del rest[key]
        values.append(rest)
    return tuple(values)


def match_class(
    subject: object, cls: object, positional: int, names: tuple[str, ...]
) -> tuple[object, ...] | None:
    """The attributes that a class pattern looks at; None if the subject does not match."""
    if not isinstance(cls, type):
        raise TypeError("called match pattern must be a class")
    if not isinstance(subject, cls):
        return None
    values: list[object] = []
    seen: set[str] = set()
    if positional:
        try:
            match_args = cls.__match_args__  # type: ignore[attr-defined]
        except AttributeError:
            match_args = ()
            takes_itself = issubclass(cls, SELF_MATCHING)
        else:
            takes_itself = False
            if type(match_args) is not tuple:
                raise TypeError(
                    f"{cls.__name__}.__match_args__ must be a tuple (got {type(match_args).__name__})"
                )
        allowed = 1 if takes_itself else len(match_args)
        if allowed < positional:
            plural = "" if allowed == 1 else "s"
            raise TypeError(
                f"{cls.__name__}() accepts {allowed} positional sub-pattern{plural} ({positional} given)"
            )
        if takes_itself:
            values.append(subject)
        else:
            for name in match_args[:positional]:
                if type(name) is not str:
                    raise TypeError(f"__match_args__ elements must be strings (got {type(name).__name__})")
                if not take(subject, cls, name, seen, values):
                    return None
    for name in names:
        if not take(subject, cls, name, seen, values):
            return None
    return tuple(values)


def take(subject: object, cls: type, name: str, seen: set[str], values: list[object]) -> bool:
    """Appends one attribute; False if there is none."""
    if name in seen:
        raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute {name!r}")
    seen.add(name)
    try:
        values.append(getattr(subject, name))
    except AttributeError:
        return False
    return True


HELPERS: dict[str, Callable[..., object]] = {
    "__match_class__": match_class,
    "__match_mapping__": match_mapping,
    "__match_sequence__": match_sequence,
}
