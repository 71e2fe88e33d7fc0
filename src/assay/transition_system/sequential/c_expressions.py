"""Terms as C expressions that mean exactly the same, whatever C does with types in between.

Every operand is converted to the unsigned type of its width, where all operators wrap. Where that changes
nothing (comparisons of variables with numbers) it is left out. What C cannot say like this is no expression:
memory, divisions, widths that C has no type for.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.transition_system.sequential.bitvectors import BOOLEAN, Term, signed

UNSIGNED = {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "unsigned long long"}
SIGNED = {8: "signed char", 16: "short", 32: "int", 64: "long long"}
WRAPPING = {"bvadd": "+", "bvsub": "-", "bvmul": "*", "bvand": "&", "bvor": "|", "bvxor": "^"}
COMPARING = {"bvult": "<", "bvule": "<=", "bvslt": "<", "bvsle": "<="}
MOST_CHARACTERS = 4_000

# The name of a variable in C, and whether its type is unsigned; None: it has none here.
Naming = Callable[[Term], "tuple[str, bool] | None"]


class NoExpression(Exception):
    """It cannot be said in C, or not in so few characters."""


def as_exact_c(term: Term, naming: Naming) -> str:
    """Raises NoExpression."""
    text = _Writer(naming).truth(term)
    if len(text) > MOST_CHARACTERS:
        raise NoExpression
    return text


class _Writer:
    def __init__(self, naming: Naming) -> None:
        self.naming = naming
        self.steps = 0

    def truth(self, term: Term) -> str:
        self.steps += 1
        if self.steps > MOST_CHARACTERS:
            raise NoExpression
        operator, given = term.operator, term.operands
        if operator == "constant":
            return str(term.value)
        if operator in ("and", "or"):
            return (" && " if operator == "and" else " || ").join(self._inner(one) for one in given)
        if operator == "not":
            one = given[0]
            if one.operator == "=" and one.operands[0].sort != BOOLEAN:
                return self._compared(one, "!=", is_unsigned=None)
            return f"!{self._inner(one)}"
        if operator == "=":
            if given[0].sort == BOOLEAN:
                return f"{self._inner(given[0])} == {self._inner(given[1])}"
            return self._compared(term, "==", is_unsigned=None)
        if operator in COMPARING:
            return self._compared(term, COMPARING[operator], is_unsigned=operator.startswith("bvu"))
        if operator == "ite":
            return " ? ".join((self._inner(given[0]), " : ".join(map(self._inner, given[1:]))))
        raise NoExpression

    def _inner(self, term: Term) -> str:
        text = self.truth(term)
        return text if text.isalnum() else f"({text})"

    def _compared(self, term: Term, sign: str, *, is_unsigned: bool | None) -> str:
        left, right = term.operands
        for wanted in (False, True) if is_unsigned is None else (is_unsigned,):
            plain = self._plain(left, wanted), self._plain(right, wanted)
            if all(plain):
                return f"{plain[0]} {sign} {plain[1]}"
        if is_unsigned is False:
            kind = SIGNED[self._width(left)]
            return f"({kind}){self.number(left)} {sign} ({kind}){self.number(right)}"
        return f"{self.number(left)} {sign} {self.number(right)}"

    def _plain(self, term: Term, is_unsigned: bool) -> str:
        """Without conversions, where the usual ones of C do the same; empty: they do not."""
        if term.is_constant:
            value = term.value if is_unsigned else signed(term.value, term.width)
            if not is_unsigned and value == -(1 << (term.width - 1)):
                return ""  # C has no such number
            return f"{value}{self._suffix(term.width, is_unsigned)}"
        if term.operator == "variable":
            named = self.naming(term)
            if named is None:
                raise NoExpression
            return named[0] if named[1] == is_unsigned else ""
        return ""

    @staticmethod
    def _suffix(width: int, is_unsigned: bool) -> str:
        return ("u" if is_unsigned else "") + ("ll" if width > 32 else "")

    def _width(self, term: Term) -> int:
        if term.width not in UNSIGNED:
            raise NoExpression
        return term.width

    @staticmethod
    def _narrow(width: int) -> str:
        """What C computes with shorter numbers it computes with `int`."""
        return "" if width >= 32 else f"({UNSIGNED[width]})"

    def number(self, term: Term) -> str:
        """Of the unsigned type of its width."""
        self.steps += 1
        if self.steps > MOST_CHARACTERS:
            raise NoExpression
        width = self._width(term)
        kind, given = UNSIGNED[width], term.operands
        if term.is_constant:
            number = f"{term.value}{self._suffix(width, True)}"
            return number if width >= 32 else f"({kind}){number}"
        if term.operator == "variable":
            named = self.naming(term)
            if named is None:
                raise NoExpression
            return named[0] if named[1] and width >= 32 else f"({kind}){named[0]}"
        if term.operator in WRAPPING:
            left, right = map(self.number, given)
            return f"{self._narrow(width)}({left} {WRAPPING[term.operator]} {right})"
        if term.operator in ("bvnot", "bvneg"):
            return f"{self._narrow(width)}({'~' if term.operator == 'bvnot' else '-'}{self.number(given[0])})"
        if term.operator == "zero_extend":
            return f"({kind}){self.number(given[0])}"
        if term.operator == "sign_extend":
            return f"({kind})({SIGNED[width]})({SIGNED[self._width(given[0])]}){self.number(given[0])}"
        if term.operator == "extract" and term.parameters[1] == 0:
            return f"({kind}){self.number(given[0])}"
        if term.operator == "ite":
            yes, no = map(self.number, given[1:])
            return f"({self._inner(given[0])} ? {yes} : {no})"
        raise NoExpression
