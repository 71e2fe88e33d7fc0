"""What the parser says when it refuses: the place, what it expected and what it got."""

import pytest

from assay.languages.promela import parser
from assay.languages.promela.parser import parse_expression, parse_text
from assay.languages.promela.syntax import Location
from assay.transition_system.interface import SourceProblem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: expected a declaration or a process, got the end of the file"),
        ("byte x;\nfoo", "2:1: expected a declaration or a process, got 'foo'"),
        ("$", "1:1: expected a declaration or a process, got '$'"),
        ("byte", "1:5: expected a new name, got the end of the file"),
        ("byte x,", "1:8: expected a new name, got the end of the file"),
        ("byte do", "1:6: expected a new name, got 'do'"),
        ("int a[2] = { 1, 2 }, b", "1:20: expected a declaration or a process, got ','"),
        ("int a[x + 1]", "1:9: expected ']', got '+'"),
        ("int a = { 1 }", "1:9: a must be an array"),
        ("int a[2] = { -1 }", "1:14: expected a constant, got '-'"),
        ("byte c = [1] of { byte }", "1:10: expected a value for c, got a channel"),
        ("chan c = [1] of { unsigned }", "1:19: unsigned cannot be the type of a message field"),
        ("chan c = [1] of { T }", "1:19: expected the type of a message field, got 'T'"),
        ("byte x : 3", "1:10: only an unsigned can have a number of bits, x is byte"),
        ("unsigned x", "1:10: unsigned x needs its number of bits: unsigned x : 8"),
        ("unsigned x : 32", "1:14: expected a number of bits from 1 to 31, got 32"),
        ("hidden bit x", "1:12: the bit variable x cannot be hidden"),
        ("mtype = { a a }", "1:13: a stands twice in this mtype declaration"),
        ("mtype = { a }; mtype = { a }", "1:26: expected a new name, got 'a'"),
        ("mtype = { a }; byte a", "1:21: expected a new name, got 'a'"),
        ("byte = { a }", "1:8: expected a name, got '{'"),
        ("hidden mtype = { a }", "1:1: an mtype declaration cannot be hidden"),
        ("init { mtype = { a } }", "1:8: an mtype declaration must stand outside of processes"),
        ("typedef T { }", "1:13: expected the type of a field, got '}'"),
        ("typedef T { T t }", "1:13: expected the type of a field, got 'T'"),
        ("proctype P { skip }", "1:12: expected '(', got '{'"),
        ("proctype P(byte a;) { skip }", "1:19: expected the type of a parameter, got ')'"),
        ("proctype P(byte a = 1) { skip }", "1:17: parameter a of P has an initial value"),
        ("proctype P() { skip } proctype P() { skip }", "1:32: expected a name for the proctype, got 'P'"),
        ("active [2] P() { skip }", "1:12: expected 'proctype', got 'P'"),
        ("init { }", "1:8: expected a statement, got '}'"),
        ("init { ; skip }", "1:8: expected a statement, got ';'"),
        ("init { skip", "1:12: expected ';' or '}', got the end of the file"),
        ("init { skip skip }", "1:13: expected ';' or '}', got 'skip'"),
        ("init { x = 1 +\n }", "2:2: expected an expression, got '}'"),
        ("init { x\n = 1 }", "2:2: expected a statement, got '='"),
        ("init { x = }", "1:12: expected an expression, got '}'"),
        ("init { x = 0x10 }", "1:13: expected ';' or '}', got 'x10'"),
        ("init { x = (1 }", "1:15: expected ')', got '}'"),
        ("init { if fi }", "1:11: expected '::', got 'fi'"),
        ("init { if :: skip od }", "1:19: expected ';', '::' or 'fi', got 'od'"),
        ("init { do :: skip }", "1:19: expected ';', '::' or 'od', got '}'"),
        ("init { do :: skip ;;; :: skip od }", "1:23: expected a statement, got '::'"),
        ("init { goto 1 }", "1:13: expected a label, got '1'"),
        ("init { L: byte x }", "1:8: label L stands before a declaration"),
        ("init { x unless y unless z }", "1:19: expected ';' or '}', got 'unless'"),
        ("init { select(x : 3 .. 1) }", "1:8: the range 3 .. 1 of select is empty"),
        ("init { select(x : 1 .. 99) unless { x } }", "1:28: expected ';', got 'unless'"),
        ("init { for (x = 1 .. 2) { skip } }", "1:15: expected ':' or 'in', got '='"),
        ("init { for (x : 1 .. 2) skip }", "1:25: expected '{', got 'skip'"),
        ("init { q!  }", "1:12: expected an expression, got '}'"),
        ("init { q?x + 1 }", "1:12: expected ';' or '}', got '+'"),
        ("init { q?run }", "1:10: expected a variable, a constant, eval(...) or _, got 'run'"),
        ("init { if (x == 0) { skip } }",
         "1:11: expected '::', got '('; write: if :: (x == 0) -> ... :: else -> ... fi"),
        ("init { do { skip } od }", "1:11: expected '::', got '{'; write: do :: ... :: (x == 0) -> break od"),
        ("init { while (x < 3) { skip } }",
         "1:8: Promela has no while; write: do :: (x < 3) -> ... :: else -> break od"),
        ("init { if :: x => skip fi }",
         "1:16: expected ';', '::' or 'fi', got '=>'; an arrow is written '->'"),
        ("byte x; init { x += 1 }", "1:19: expected an expression, got '='; write: x = x + 1"),
        ("byte x; init { x <> 1 }", "1:19: expected an expression, got '>'; different is written '!='"),
        ("byte x; init { x = x == 1 ? 2 : 3 }",
         "1:27: expected ';' or '}', got '?'; write: x = (y == 1 -> 2 : 3)"),
        ("init { for (int i = 0; i < 3; i++) { skip } }",
         "1:13: expected a variable, got 'int'; declare it before: int i; for (i : 0 .. 2) { ... }"),
        ("void f() { skip }", "1:1: expected a declaration or a process, got 'void'; "
         "write: active proctype main() { ... }, or inline f(x) { ... } for what is called"),
        ("init { printf(x) }", "1:15: expected a string, got 'x'"),
        ('init { printf("a }', "1:15: expected a string, got a string that is not closed"),
        ("init { x = 'ab' }", "1:12: expected an expression, got '"),
        ("init { !full(q) }",
         "1:8: empty, nempty, full and nfull can only be combined by && and || (and not negated)"),
        ("init { full(q) == 1 }",
         "1:16: empty, nempty, full and nfull can only be combined by && and || (and not negated)"),
        ("init { q!full(q) }",
         "1:10: empty, nempty, full and nfull can only be combined by && and || (and not negated)"),
        ("init { return 1 }", "1:8: return stands outside an inline that is called as `x = f(...)`"),
        ("proctype P() { skip } init { P }", "1:32: expected '[', '@' or ':', got '}'"),
        ("inline f(1) { skip }", "1:10: expected the name of a parameter, got '1'"),
        ("inline f() skip", "1:12: expected '{', got 'skip'"),
        ("inline f() { { skip }", "1:12: the body of inline f has no closing '}'"),
        ("inline f() { skip } inline f() { skip }", "1:28: inline f is defined twice"),
        ("inline f(a) { a } init { f() }", "1:26: inline f takes 1 argument, got 0"),
        ("inline f(a, b) { a } init { f(1) }", "1:29: inline f takes 2 arguments, got 1"),
        ("inline f() { f() } init { f() }", "1:14: inline f calls itself"),
        ("inline f() { skip + } init { f() }", "1:21: expected an expression, got '}'"),
        ('c_state "int x" init { skip }', "1:17: expected a string after c_state, got 'init'"),
        ("c_code x", "1:1: expected '{' after c_code, got 'x'"),
        ("ltl p x", "1:5: expected a name or '{' after ltl, got 'p'"),
        ("ltl p { a U }", "1:13: expected an expression, got '}'"),
        ("ltl p { a b }", "1:11: expected a temporal operator or '}', got 'b'"),
    ],
)  # fmt: skip
def test_refusal(text, message):
    with pytest.raises(SourceProblem) as problem:
        parse_text(text, "m")
    assert str(problem.value) == f"m:{message}"
    assert isinstance(problem.value.where, Location)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: expected an expression, got the end of the file"),
        ("x =", "1:3: expected an operator or the end, got '='"),
        ("x = 1", "1:3: expected an operator or the end, got '='"),
        ("a implies", "1:10: expected an expression, got the end of the file"),
        ("next.", "1:6: expected a variable, a channel test or a label after next., got the end of the file"),
        ("next.3", "1:6: expected a variable, a channel test or a label after next., got '3'"),
        ("P[1]@", "1:6: expected a label, got the end of the file"),
    ],
)
def test_refusal_of_a_property(text, message):
    with pytest.raises(SourceProblem) as problem:
        parse_expression(text, "p", allow_next=True)
    assert str(problem.value) == f"p:{message}"


def test_newlines_that_end_a_statement_are_told_as_such():
    with pytest.raises(SourceProblem) as problem:
        parse_text("init {\n  for (x : 1 .. 2\n  )\n  if\n}", "m")
    assert str(problem.value) == "m:4:3: expected '{', got 'if'"
    with pytest.raises(SourceProblem) as problem:
        parse_text("init {\n  goto\n  L\n  select x\n}", "m")
    assert str(problem.value) == "m:4:10: expected '(', got 'x'"
    with pytest.raises(SourceProblem) as problem:
        parse_text("init {\n  a[x\n  ] = 1\n}", "m")
    assert str(problem.value) == "m:2:6: expected ']', got the end of the line"


def nested(opening, closing, depth):
    return f"byte x; init {{ {opening * depth} x {closing * depth} }}"


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("(", ")"), ("!(", ")"), ("- ", ""), ("x[", "]"), ("(1 -> ", " : 2)"), ("run P(", ")"), ("L: ", "")],
)
def test_nesting_is_accepted_up_to_a_limit_and_refused_in_words_beyond(opening, closing):
    parse_text(nested(opening, closing, 60))
    for depth in (250, 5_000):
        with pytest.raises(SourceProblem, match="nested more than 200 levels deep"):
            parse_text(nested(opening, closing, depth))


@pytest.mark.parametrize(("opening", "closing"), [("{ ", " }"), ("if :: ", " fi"), ("x unless { ", " }")])
def test_blocks_are_accepted_up_to_a_limit_and_refused_in_words_beyond(opening, closing):
    parse_text(nested(opening, closing, 60))
    for depth in (250, 5_000):
        with pytest.raises(SourceProblem, match="nested more than 200 levels deep"):
            parse_text(nested(opening, closing, depth))


def test_long_expressions_are_accepted_up_to_a_limit_and_refused_in_words_beyond():
    parse_text("init { x = " + "x + " * 5000 + "1 }")
    with pytest.raises(SourceProblem, match="more than 5000 operators in one statement"):
        parse_text("init { x = " + "x + " * 5001 + "1 }")


def test_inlines_that_grow_without_end_are_refused(monkeypatch):
    monkeypatch.setattr(parser, "TOKEN_LIMIT", 10_000)
    inlines = ["inline f0() { x = 1 }"]
    inlines += [f"inline f{i}() {{ {'; '.join([f'f{i - 1}()'] * 20)} }}" for i in range(1, 8)]
    with pytest.raises(SourceProblem, match="more than 10,000 tokens after its inlines are expanded"):
        parse_text("\n".join(inlines) + "\ninit { f7() }")
