"""C text -> the tree of pycparser, which knows `typeof` in a dialect that has other new words as well.

`bool`, `true` and their like are names in gnu11, so that dialect is not what gcc reads: only the one word is
told to the parser. GNU C's `case 1 ... 5` and `a ?: b` are read here as well: the first as a `Case` of a
`BinaryOp` with `...`, the second as `a ? a : b`, if `a` can be computed twice.
"""

from __future__ import annotations

from pycparser import c_ast, c_lexer, c_parser

ParseError = c_parser.ParseError
RANGE = "..."  # of numbers, in a case


class _Lexer(c_lexer.CLexer):  # type: ignore[misc]
    def token(self) -> c_lexer.Token | None:
        found = super().token()
        if found is not None and found.type == "ID" and found.value == "typeof":
            found.type = "TYPEOF"
        return found


class _Parser(c_parser.CParser):  # type: ignore[misc]
    _case = False  # whether the next constant is that of a case

    def _parse_constant_expression(self) -> c_ast.Node:
        is_case, self._case = self._case, False
        low = super()._parse_constant_expression()
        if is_case and self._accept("ELLIPSIS"):
            return c_ast.BinaryOp(RANGE, low, super()._parse_constant_expression(), low.coord)
        return low

    def _parse_labeled_statement(self) -> c_ast.Node:
        self._case = self._peek_type() == "CASE"
        return super()._parse_labeled_statement()

    def _parse_conditional_expression(self) -> c_ast.Node:
        condition = self._parse_binary_expression()
        if not self._accept("CONDOP"):
            return condition
        if self._accept("COLON"):
            if not _is_plain(condition):
                raise ParseError(f"{condition.coord}: what is before ?: has an effect; use a variable")
            yes = condition
        else:
            yes = self._parse_expression()
            self._expect("COLON")
        return c_ast.TernaryOp(condition, yes, self._parse_conditional_expression(), condition.coord)


def _is_plain(node: c_ast.Node) -> bool:
    """Whether it can be computed once more: nothing is changed or asked for."""
    is_effect = isinstance(node, c_ast.FuncCall | c_ast.Assignment | c_ast.Compound) or (
        isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")
    )
    return not is_effect and all(_is_plain(child) for _, child in node.children())


def parse(text: str, path: str = "") -> c_ast.FileAST:
    """Raises `ParseError`."""
    return _Parser(lexer=_Lexer).parse(text, path)
