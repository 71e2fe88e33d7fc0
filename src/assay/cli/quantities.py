"""Amounts as people write them: `2GiB`, `60s`, `NAME=VALUE`."""

from __future__ import annotations

import math
import re
from typing import Any

import click

BYTES = {
    "": 1, "b": 1,
    "k": 2**10, "kib": 2**10, "kb": 10**3,
    "m": 2**20, "mib": 2**20, "mb": 10**6,
    "g": 2**30, "gib": 2**30, "gb": 10**9,
    "t": 2**40, "tib": 2**40, "tb": 10**12,
}  # fmt: skip
SECONDS = {"": 1.0, "s": 1.0, "ms": 0.001, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*")


def parse_bytes(text: str) -> int:
    number, unit = _split(text, "an amount of memory such as 512MiB or 2GiB")
    if unit.lower() not in BYTES:
        raise ValueError(f"expected an amount of memory such as 512MiB or 2GiB, got {text!r}")
    return math.ceil(number * BYTES[unit.lower()])


def parse_seconds(text: str) -> float:
    number, unit = _split(text, "a duration such as 60s, 5m or 1h")
    if unit.lower() not in SECONDS:
        raise ValueError(f"expected a duration such as 60s, 5m or 1h, got {text!r}")
    return number * SECONDS[unit.lower()]


def _split(text: str, expected: str) -> tuple[float, str]:
    found = AMOUNT.fullmatch(text)
    number = float(found[1]) if found else 0.0
    if found is None or not 0 < number < 1e18:
        raise ValueError(f"expected {expected}, got {text!r}")
    return number, found[2]


class Count(click.ParamType[int]):
    """A whole number between two bounds."""

    name = "n"

    def __init__(self, low: int, high: int) -> None:
        self._low = low
        self._high = high

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if not re.fullmatch(r"[0-9]{1,20}", text) or not self._low <= int(text) <= self._high:
            self.fail(f"expected a number from {self._low:,} to {self._high:,}, got {text!r}", param, ctx)
        return int(text)


class CountOrShare(click.ParamType["int | float"]):
    """A whole number, or a percentage as a share: `25%` is 0.25."""

    name = "n|n%"

    def __init__(self, high: int) -> None:
        self._count = Count(1, high)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        text = str(value)
        if not text.endswith("%"):
            return self._count.convert(value, param, ctx)
        if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?%", text) or not 0 < float(text[:-1]) <= 100:
            self.fail(f"expected a percentage such as 25%, got {text!r}", param, ctx)
        return float(text[:-1]) / 100


class Memory(click.ParamType[int]):
    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return value if isinstance(value, int) else parse_bytes(value)
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


class Duration(click.ParamType[float]):
    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return value if isinstance(value, float) else parse_seconds(value)
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


class Definition(click.ParamType[str]):
    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if not re.fullmatch(r"[A-Za-z_]\w*(=.*)?", text, re.DOTALL):
            self.fail(f"expected NAME or NAME=VALUE, got {text!r}", param, ctx)
        return text
