"""Terms as a person who knows C writes them. For reading only: widths and conversions are left out."""

from __future__ import annotations

from collections.abc import Mapping

from assay.transition_system.sequential.bitvectors import BOOLEAN, Term, each, signed

INFIX: Mapping[str, str] = {
    "bvadd": "+",
    "bvsub": "-",
    "bvmul": "*",
    "bvudiv": "/",
    "bvsdiv": "/",
    "bvurem": "%",
    "bvsrem": "%",
    "bvand": "&",
    "bvor": "|",
    "bvxor": "^",
    "bvshl": "<<",
    "bvlshr": ">>",
    "bvashr": ">>",
    "bvult": "<",
    "bvule": "<=",
    "bvslt": "<",
    "bvsle": "<=",
    "=": "==",
    "and": "&&",
    "or": "||",
}
UNSIGNED = frozenset({"bvult", "bvule", "bvudiv", "bvurem", "bvlshr"})
MOST_CHARACTERS = 2_000


def plain_name(name: str) -> str:
    """Without the procedure and the numbers that make names different."""
    return name.rpartition("::")[2].partition("@")[0].partition("#")[0].partition("!")[0]


def as_c(term: Term, *, is_unsigned: bool = False) -> str:
    text = _text(term, is_unsigned=is_unsigned, depth=0)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} ..."


def _text(term: Term, *, is_unsigned: bool, depth: int) -> str:
    if depth > 40:
        return "..."
    operator = term.operator
    if operator == "variable":
        return plain_name(term.name)
    if operator == "constant":
        if term.sort == BOOLEAN:
            return str(term.value)
        return f"{term.value}u" if is_unsigned else str(signed(term.value, term.width))
    inner = is_unsigned or operator in UNSIGNED
    given = [_text(one, is_unsigned=inner, depth=depth + 1) for one in term.operands]
    if operator == "not":
        negated = term.operands[0]
        if negated.operator == "=":
            return f"{_inner(negated, 0, inner, depth)} != {_inner(negated, 1, inner, depth)}"
        return f"!({given[0]})"
    if operator in INFIX:
        return f" {INFIX[operator]} ".join(
            f"({text})" if one.operator in INFIX or one.operator in ("ite", "not") else text
            for text, one in zip(given, term.operands, strict=True)
        )
    if operator == "ite":
        return f"{given[0]} ? {given[1]} : {given[2]}"
    if operator in ("zero_extend", "sign_extend"):
        return given[0]
    if operator == "extract":
        high, low = term.parameters
        return f"({given[0]})[{high}:{low}]"
    if operator == "select":
        return f"{given[0]}[{given[1]}]"
    if operator == "forall":
        return f"for all {plain_name(each(term.parameters[0]).name)}: {given[0]}"
    if operator in ("bvnot", "bvneg"):
        return f"{'~' if operator == 'bvnot' else '-'}({given[0]})"
    return f"{operator}({', '.join(given)})"


def _inner(term: Term, at: int, is_unsigned: bool, depth: int) -> str:
    one = term.operands[at]
    text = _text(one, is_unsigned=is_unsigned, depth=depth + 1)
    return f"({text})" if one.operator in INFIX or one.operator == "ite" else text
