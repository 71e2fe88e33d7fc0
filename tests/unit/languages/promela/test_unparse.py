"""Statements and expressions as one line of text."""

import pytest

from assay.languages.promela.parser import parse_expression, parse_text
from assay.languages.promela.unparse import unparse


def statement(text):
    before = "mtype = { red, green }; inline f(a, b) { a = b } inline g(a) { return a }"
    return unparse(parse_text(f"{before}\ninit {{ {text} }}").units[-1].body.body[0])


@pytest.mark.parametrize(
    "text",
    [
        "x = x+1",
        "x++",
        "t[i].h--",
        "x = (a -> 1 : 2)",
        "q!red,3",
        "q[1]!!x,y+1",
        "q?red,x",
        "q??eval(x),_",
        "q?<1,x>",
        "q??<-1>",
        "q?[1]",
        "(a == b)",
        "(x)",
        "(!(a && b) || c)",
        "skip",
        "else",
        "timeout",
        "run P(1, x) priority 3",
        "len(q)",
        "empty(q)",
        "(len(q) > 1)",
        "(q?[red,x] && y)",
        "assert(x < 3)",
        'printf("%d\\n", x)',
        'printf("done")',
        "printm(red)",
        "goto L",
        "break",
        "L: x = 1",
        "f(x, 3)",
        "x = g(y)",
        "select(x : 1 .. 9)",
        "for (i : 0 .. N-1) { a[i] = 0 }",
        "for (i in a) { skip }",
        "atomic { x = 1; y = 2 }",
        "d_step { x = 1 }",
        "{ x = 1; skip }",
        "if :: (x > 1); y = 1 :: else; skip fi",
        "do :: break od",
        "x = 1 unless { y = 2 }",
        "byte z",
        "hidden int z[3] = 4",
        "unsigned u : 3 = 1",
        "chan c = [2] of { mtype, byte }",
        "mtype:colour m",
        "int a[2] = { 1, 2 }",
        "xr q, c[1]",
        "set_priority(x, 2)",
        "c_code { x = 1; }",
        "c_code [x > 1] { x = 1; }",
        "c_expr { x == 1 }",
        "enabled(1)",
    ],
)
def test_a_statement_prints_as_it_was_written(text):
    assert statement(text) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("x=x  +  1", "x = x+1"),
        ("((a==b))", "(a == b)"),
        ("q ! red ( 3 )", "q!red,3"),
        ("q?red(x,_)", "q?red,x,_"),
        ("1", "(1)"),
        ("assert x", "assert(x)"),
        ("c_code {\n  x = 1;\n\n  y = 2;\n}", "c_code { x = 1; y = 2; }"),
        ("if\n :: else\n fi", "if :: else fi"),
    ],
)
def test_a_statement_is_tidied(text, printed):
    assert statement(text) == printed


@pytest.mark.parametrize(
    "text",
    [
        "a-b-c",
        "a-(b-c)",
        "(a+b)*c",
        "a+b*c",
        "a - -b",
        "- -a",
        "!(a == b)",
        "!a == b",
        "~(a & b) | c ^ d",
        "a < b == c < d",
        "(a == b) < c",
        "(a -> b : c)+1",
        "a << 2 >> (1 << b)",
        "(a || b) && c",
        "P[1]@cs && P:x == 1",
        "next.t[i].f >= t[i].f",
        "!next.empty(q)",
        "true && 'a' == x",
    ],
)
def test_an_expression_prints_with_the_parentheses_it_needs(text):
    assert unparse(parse_expression(text, allow_next=True)) == text


def test_the_longest_expression_prints():
    text = "x" + "+x" * 2000
    assert unparse(parse_expression(text)) == text
