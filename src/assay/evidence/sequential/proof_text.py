"""A proof as people read it, from its file alone: C without widths and conversions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.transition_system.sequential.bitvectors import signed
from assay.transition_system.sequential.c_text import INFIX, MOST_CHARACTERS, UNSIGNED


def lines_of(written: Any) -> Iterator[str]:
    """One for each location; of a body that nobody has checked."""
    if not isinstance(written, dict) or not isinstance(written.get("locations"), list):
        return
    if written.get("bound") is not None:
        yield f"no run passes a loop or a label of these more than {written['bound']} times in all"
    texts: list[str] = []
    for node in written["nodes"]:
        try:
            texts.append(_text(node, texts))
        except (IndexError, TypeError, KeyError, ValueError):
            texts.append("?")
    for one in written.get("contracts", ()):
        for half, what in (("before", "when {} is called"), ("after", "when {} returns")):
            held = [texts[at] for at in one[half] if type(at) is int and 0 <= at < len(texts)]
            yield f"{what.format(one['function'])}: {' && '.join(held) or 'anything'}"
    for one in written["locations"]:
        held = [texts[at] for at in one["holds"] if type(at) is int and 0 <= at < len(texts)]
        path = written["instances"][one["instance"]]
        called = "".join(
            f", called in line {line} as {name}" if line else f", in {name}" for line, _, name in path
        )
        anything = "" if written.get("bound") is not None else ": anything"
        yield f"at line {one['line']}{called}" + (f": {' && '.join(held)}" if held else anything)


def _text(node: Any, texts: list[str]) -> str:
    kind = node[0]
    if kind in ("g", "s", "m"):
        return str(node[1])
    if kind == "l":
        return str(node[2])
    if kind == "r":
        return f"(what the call in line {node[2]} returned)"
    if kind == "p":
        return str(node[2])
    if kind == "o":
        return f"old({node[2]})"
    if kind == "x":
        return "result"
    if kind == "e":
        return "each"
    if kind == "c":
        return str(signed(node[1], node[2]) if node[2] else bool(node[1]))
    given = [texts[at] for at in node[2]]
    if kind in INFIX:
        sign = "u" if kind in UNSIGNED else ""
        found = f" {INFIX[kind]}{sign} ".join(given)
    elif kind == "not":
        found = f"!{given[0]}"
    elif kind == "ite":
        found = f"{given[0]} ? {given[1]} : {given[2]}"
    elif kind == "select":
        found = f"{given[0]}[{given[1]}]"
    elif kind in ("zero_extend", "sign_extend"):
        found = given[0]
    else:
        found = f"{kind}({', '.join(given)})"
    return f"({found})" if len(found) <= MOST_CHARACTERS else "(...)"
