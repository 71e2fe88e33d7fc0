"""Numbers as people read them."""

from __future__ import annotations


def bytes_text(count: int) -> str:
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit in {"B", "KiB"} else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def seconds_text(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def rate_text(per_second: float) -> str:
    if per_second >= 1e12:  # of sets, not one by one
        return f"{per_second:.1e} /s"
    if per_second >= 1e6:
        return f"{per_second / 1e6:.2f} M/s"
    if per_second >= 1e3:
        return f"{per_second / 1e3:.0f} k/s"
    return f"{per_second:.0f} /s"


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def value_text(value: object) -> str:
    """A variable's value as the console shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(value_text(part) for part in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {value_text(part)}" for name, part in value.items()) + "}"
    return str(value)
