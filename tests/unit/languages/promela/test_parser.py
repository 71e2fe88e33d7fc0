"""The trees that Promela's constructs become.

`shape` writes a tree as text without places: a reference and a number as in the
source, every other node as Class(fields), leaving out fields that have their default.
"""

import dataclasses
import enum

import pytest

from assay.languages.promela import syntax
from assay.languages.promela.parser import parse_expression, parse_text
from assay.transition_system.interface import SourceProblem


def shape(node):
    if isinstance(node, syntax.Number):
        return str(node.value)
    if isinstance(node, syntax.Reference):
        return ".".join(map(shape, node.parts))
    if isinstance(node, syntax.Part):
        return node.name if node.index is None else f"{node.name}[{shape(node.index)}]"
    if isinstance(node, tuple):
        return f"[{', '.join(map(shape, node))}]"
    if isinstance(node, enum.Enum):
        return node.name
    if dataclasses.is_dataclass(node):
        fields = [
            shape(getattr(node, field.name))
            for field in dataclasses.fields(node)
            if field.name not in ("where", "formula_where", "code")
            and getattr(node, field.name) != field.default
        ]
        return f"{type(node).__name__}({', '.join(fields)})"
    return str(node)


def expression(text):
    return shape(parse_expression(text))


def body(text, before="mtype = { red, green }; byte x, y; chan q = [1] of { byte };"):
    """The shapes of the statements of a process."""
    units = parse_text(f"{before}\ninit {{ {text} }}").units
    return [shape(step) for step in units[-1].body.body]


def statement(text, before="mtype = { red, green };"):
    (only,) = body(text, before)
    return only


def unit(text):
    (only,) = parse_text(text).units
    return shape(only)


# --- expressions -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a - b - c", "Binary(-, Binary(-, a, b), c)"),
        ("a + b * c", "Binary(+, a, Binary(*, b, c))"),
        ("a * b + c", "Binary(+, Binary(*, a, b), c)"),
        ("a << b + c", "Binary(<<, a, Binary(+, b, c))"),
        ("a < b << c", "Binary(<, a, Binary(<<, b, c))"),
        ("a == b < c", "Binary(==, a, Binary(<, b, c))"),
        ("a & b == c", "Binary(&, a, Binary(==, b, c))"),
        ("a ^ b & c", "Binary(^, a, Binary(&, b, c))"),
        ("a | b ^ c", "Binary(|, a, Binary(^, b, c))"),
        ("a && b | c", "Binary(&&, a, Binary(|, b, c))"),
        ("a || b && c", "Binary(||, a, Binary(&&, b, c))"),
        ("a && b || c && d", "Binary(||, Binary(&&, a, b), Binary(&&, c, d))"),
        ("!a == b", "Binary(==, Unary(!, a), b)"),
        ("-a * ~b", "Binary(*, Unary(-, a), Unary(~, b))"),
        ("- - a", "Unary(-, Unary(-, a))"),
        ("(a + b) * c", "Binary(*, Binary(+, a, b), c)"),
        ("a >= b != c <= d", "Binary(!=, Binary(>=, a, b), Binary(<=, c, d))"),
        ("a % b >> c", "Binary(>>, Binary(%, a, b), c)"),
        ("(a -> b : c)", "Conditional(a, b, c)"),
        ("(a -> (b -> 1 : 2) : 3) + 1", "Binary(+, Conditional(a, Conditional(b, 1, 2), 3), 1)"),
        ("true && !false || skip", "Binary(||, Binary(&&, 1, Unary(!, 0)), 1)"),
        ("'a' + 010", "Binary(+, 97, 10)"),
        ("t[i + 1].f[2].g", "t[Binary(+, i, 1)].f[2].g"),
        ("len(q) < 3", "Binary(<, Length(q), 3)"),
        ("empty(q) && nfull(c[1])", "Binary(&&, ChannelTest(empty, q), ChannelTest(nfull, c[1]))"),
        ("q?[a, 1, eval(x), _]", "Poll(q, False, [MessageField(STORE, a), MessageField(EQUAL, 1), "
         "MessageField(EQUAL, x, True), MessageField(IGNORE, None)])"),
        ("q??[-1]", "Poll(q, True, [MessageField(EQUAL, Unary(-, 1))])"),
        ("run P(1, x) priority 3", "Run(P, [1, x], 3)"),
        ("run P()", "Run(P, [])"),
        ("timeout || np_", "Binary(||, Timeout(), NonProgress())"),
        ("enabled(1) && pc_value(x) == get_priority(_pid)",
         "Binary(&&, Enabled(1), Binary(==, PcValue(x), GetPriority(_pid)))"),
        ("c_expr { now.x > 1 }", "EmbeddedCExpression( now.x > 1 )"),
        ("P@here", "RemoteLabel(P, None, here)"),
        ("P[x + 1]@here", "RemoteLabel(P, Binary(+, x, 1), here)"),
        ("P:v[2] == 1", "Binary(==, RemoteVariable(P, None, v[2]), 1)"),
        ("P[0]:v", "RemoteVariable(P, 0, v)"),
    ],
)  # fmt: skip
def test_expression(text, tree):
    assert expression(text) == tree


def test_an_implication_of_the_command_line_is_weakest_and_leans_right():
    assert expression("a || b implies c implies d") == (
        "Binary(||, Unary(!, Binary(||, a, b)), Binary(||, Unary(!, c), d))"
    )


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("next.x >= x", "Binary(>=, Next(x), x)"),
        ("next.a[i].f", "Next(a[i].f)"),
        ("next.P[1]:x", "Next(RemoteVariable(P, 1, x))"),
        ("next.P[0]@l", "Next(RemoteLabel(P, 0, l))"),
        ("next.len(q) == len(q) + 1", "Binary(==, Next(Length(q)), Binary(+, Length(q), 1))"),
        ("!next.empty(q)", "Unary(!, Next(ChannelTest(empty, q)))"),
        ("next + 1", "Binary(+, next, 1)"),
    ],
)
def test_the_state_after_a_step(text, tree):
    assert shape(parse_expression(text, allow_next=True)) == tree


def test_without_a_step_next_is_a_name_like_others():
    assert expression("next.x") == "next.x"


def test_in_a_choice_a_colon_separates_unless_a_proctype_stands_before_it():
    assert expression("(c -> a : b)") == "Conditional(c, a, b)"
    tree = parse_expression("(c -> P:a : b)", proctypes=["P"])
    assert shape(tree) == "Conditional(c, RemoteVariable(P, None, a), b)"


def test_channel_tests_may_be_negated_on_the_command_line_only():
    assert expression("!empty(q)") == "Unary(!, ChannelTest(empty, q))"


def test_every_node_knows_where_it_starts():
    tree = parse_expression("a &&\n  (b + c) == d", "p")
    assert str(tree.where) == "p:1:1"
    assert str(tree.right.where) == "p:2:4"
    assert str(tree.right.right.where) == "p:2:14"


# --- declarations ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("byte x", "Declare([Variable(byte, x)])"),
        ("bool b = true, c", "Declare([Variable(bool, b, 1), Variable(bool, c)])"),
        ("byte x = 3, y[4] = 1",
         "Declare([Variable(byte, x, 3), Variable(byte, y, 4, 1)])"),
        ("int a[3] = { 1, 2, 3 }", "Declare([Variable(int, a, 3, [1, 2, 3])])"),
        ("short a[2 * (3 + 1)]", "Declare([Variable(short, a, Binary(*, 2, Binary(+, 3, 1)))])"),
        ("byte a[N]", "Declare([Variable(byte, a, N)])"),
        ("unsigned u : 3 = 5", "Declare([Variable(unsigned, u, 3, 5)])"),
        ("hidden int h", "Declare([Variable(int, h, hidden)])"),
        ("mtype:colour c", "Declare([Variable(mtype, c, colour)])"),
        ("chan q = [2] of { mtype, byte }",
         "Declare([Variable(chan, q, ChannelSpec(2, [mtype, byte], [None, None]))])"),
        ("chan q[3] = [0] of { mtype:colour }",
         "Declare([Variable(chan, q, 3, ChannelSpec(0, [mtype], [colour]))])"),
        ("mtype = { a, b }", "MtypeDeclaration(None, [a, b])"),
        ("mtype { a b,, c, }", "MtypeDeclaration(None, [a, b, c])"),
        ("mtype:colour = { red }", "MtypeDeclaration(colour, [red])"),
        ("typedef T { byte a, b; int c[2]; }",
         "Typedef(T, [Variable(byte, a), Variable(byte, b), Variable(int, c, 2)])"),
        ('c_state "int x" "Global" "3"',
         'EmbeddedCDeclaration(c_state, "int x" "Global" "3", [int x, Global, 3])'),
        ("c_decl { int x; }", "EmbeddedCDeclaration(c_decl,  int x; )"),
    ],
)  # fmt: skip
def test_declaration(text, tree):
    assert unit(text) == tree


def test_a_typedef_names_a_type_from_its_closing_brace_on():
    units = parse_text("typedef T { byte a } T t; typedef U { T s[2] }; chan q = [1] of { byte, T }").units
    assert [shape(found) for found in units[1:]] == [
        "Declare([Variable(T, t)])",
        "Typedef(U, [Variable(T, s, 2)])",
        "Declare([Variable(chan, q, ChannelSpec(1, [byte, T], [None, None]))])",
    ]


def test_global_declarations_need_no_separator():
    assert len(parse_text("byte x int y; ;; -> bit z init { skip }").units) == 4


# --- processes -------------------------------------------------------------------


def test_proctype_with_everything():
    tree = unit("active [2] proctype P(byte a, b; chan c) priority 3 provided (a > 1) { skip }")
    assert tree == (
        "Proctype(P, [Variable(byte, a), Variable(byte, b), Variable(chan, c)], "
        "Sequence([Condition(1)]), 2, 3, Binary(>, a, 1))"
    )


def test_an_active_proctype_has_one_instance_and_others_none():
    units = parse_text("active proctype A() { skip } proctype B() { skip } D_proctype C() { skip }").units
    assert [shape(found.active) for found in units] == ["1", "None", "None"]
    assert [found.deterministic for found in units] == [False, False, True]


def test_init_is_a_process_of_its_own():
    assert unit("init priority 2 { skip }") == "Proctype(init, [], Sequence([Condition(1)]), 1, 2, True)"


def test_never_and_trace_are_kept():
    units = parse_text("never { skip } never name { skip } trace { skip } notrace { skip }").units
    assert [(found.kind, found.name) for found in units] == [
        ("never", None),
        ("never", "name"),
        ("trace", None),
        ("notrace", None),
    ]


# --- formulas --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("[] (a -> <> b)", "Unary([], Binary(->, a, Unary(<>, b)))"),
        ("[] a -> b", "Binary(->, Unary([], a), b)"),
        ("a -> b -> c", "Binary(->, Binary(->, a, b), c)"),
        ("a U b && c", "Binary(&&, Binary(U, a, b), c)"),
        ("a U b | c", "Binary(U, a, Binary(|, b, c))"),
        ("a == 1 W b", "Binary(W, Binary(==, a, 1), b)"),
        ("always eventually a", "Unary([], Unary(<>, a))"),
        ("a release b <-> next c", "Binary(<->, Binary(V, a, b), Unary(X, c))"),
        ("! a until b;", "Binary(U, Unary(!, a), b)"),
        ("P@l && P[1]:x", "Binary(&&, RemoteLabel(P, None, l), RemoteVariable(P, 1, x))"),
    ],
)
def test_ltl_formula(text, tree):
    claim, _ = parse_text(f"ltl p {{ {text} }} proctype P() {{ skip }}").units
    assert (claim.kind, claim.name, claim.formula) == ("ltl", "p", text)
    assert shape(claim.temporal) == tree


def test_a_mistake_in_a_formula_has_its_place_in_the_file():
    with pytest.raises(SourceProblem) as problem:
        parse_text("ltl p {\n [] ( ) }")
    assert str(problem.value) == "<text>:2:7: expected an expression, got ')'"


# --- statements ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x = y + 1", "Assign(x, Binary(+, y, 1))"),
        ("x++", "Assign(x, Binary(+, x, 1), ++)"),
        ("t[i].f--", "Assign(t[i].f, Binary(-, t[i].f, 1), --)"),
        ("x == 1", "Condition(Binary(==, x, 1))"),
        ("x", "Condition(x)"),
        ("skip", "Condition(1)"),
        ("run P()", "Condition(Run(P, []))"),
        ("q?[1] && x", "Condition(Binary(&&, Poll(q, False, [MessageField(EQUAL, 1)]), x))"),
        ("q!red, x + 1", "Send(q, False, [red, Binary(+, x, 1)])"),
        ("q!red(x, 2)", "Send(q, False, [red, x, 2])"),
        ("q[1]!!x", "Send(q[1], True, [x])"),
        ("q?red, x", "Receive(q, False, False, [MessageField(EQUAL, red), MessageField(STORE, x)])"),
        ("q?red(x, _)", "Receive(q, False, False, [MessageField(EQUAL, red), MessageField(STORE, x), "
         "MessageField(IGNORE, None)])"),
        ("q?(x)", "Receive(q, False, False, [MessageField(STORE, x)])"),
        ("q??eval(x)", "Receive(q, True, False, [MessageField(EQUAL, x, True)])"),
        ("q?<x>", "Receive(q, False, True, [MessageField(STORE, x)])"),
        ("q??<1, x>", "Receive(q, True, True, [MessageField(EQUAL, 1), MessageField(STORE, x)])"),
        ("assert(x == 1)", "Assert(Binary(==, x, 1))"),
        ("assert x == 1", "Assert(Binary(==, x, 1))"),
        ('printf("%d %e\\n", x, red)', "Print(%d %e\\n, [x, red])"),
        ("printm(red)", "Print(None, [red])"),
        ("goto L", "Goto(L)"),
        ("break", "Break()"),
        ("L: x = 1", "Labelled(L, Assign(x, 1))"),
        ("L: M: x = 1", "Labelled(L, Labelled(M, Assign(x, 1)))"),
        ("L:", "Labelled(L, Condition(1))"),
        ("{ x = 1; y = 2 }", "Block(Sequence([Assign(x, 1), Assign(y, 2)]))"),
        ("atomic { x = 1 }", "Atomic(Sequence([Assign(x, 1)]))"),
        ("d_step { x = 1 }", "DStep(Sequence([Assign(x, 1)]))"),
        ("if :: x -> y = 1 :: else fi",
         "If([Sequence([Condition(x), Assign(y, 1)]), Sequence([Else()])])"),
        ("do :: break od", "Do([Sequence([Break()])])"),
        ("x = 1 unless y", "Unless(Assign(x, 1), Condition(y))"),
        ("L: { x = 1 } unless { y }",
         "Unless(Labelled(L, Block(Sequence([Assign(x, 1)]))), Block(Sequence([Condition(y)])))"),
        ("for (x : 1 .. y + 1) { skip }", "ForRange(x, 1, Binary(+, y, 1), Sequence([Condition(1)]))"),
        ("for (x in a) { skip }", "ForIn(x, a, Sequence([Condition(1)]))"),
        ("int z = 2", "Declare([Variable(int, z, 2)])"),
        ("xr q, c[1]", "Exclusive(xr, [q, c[1]])"),
        ("set_priority(x, 2)", "Condition(SetPriority(x, 2))"),
        ("c_code { a; }", "EmbeddedC(c_code,  a; )"),
        ("c_code [x > 1] { a; }", "EmbeddedC(c_code,  a; , x > 1)"),
    ],
)  # fmt: skip
def test_statement(text, tree):
    assert statement(text) == tree


def test_select_is_unrolled_when_its_bounds_are_plain_numbers_close_together():
    assert statement("select(x : 1 .. 33)") == "Select(x, 1, 33, OPTIONS)"
    assert statement("select(x : 1 .. 34)") == "Select(x, 1, 34, TEXT_LOOP)"


@pytest.mark.parametrize(
    "text",
    [
        "select(x_1 : 1 .. 3)",
        "select(x : y .. 3)",
        "select(x : 1 .. 1 + 2)",
        "select(t[1] : 1 .. 3)",
        "select(x : (1) .. 3)",
        "select(x :\n 1 .. 3)",
    ],
)
def test_select_is_a_loop_otherwise(text):
    found = parse_text(f"init {{ {text} }}").units[0].body.body[0]
    assert found.form is syntax.SelectForm.LOOP


def test_select_in_an_inline_is_always_a_loop():
    text = "inline f() { select(x : 1 .. 3) } byte x; init { f() }"
    assert shape(parse_text(text).units[1].body) == ("Sequence([InlineBody(f, Sequence([Select(x, 1, 3)]))])")


# --- separators ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x = 1; y = 2",
        "x = 1 -> y = 2",
        "x = 1; y = 2;",
        "x = 1;;; y = 2 ;;;",
        "x = 1\n y = 2",
        "\n x = 1\n\n ; y = 2\n",
        "x = 1 ; -> y = 2",
        "x = (1\n)\n y = (\n2)",
    ],
)
def test_separators_and_newlines_between_two_statements(text):
    assert body(text) == ["Assign(x, 1)", "Assign(y, 2)"]


@pytest.mark.parametrize(
    "text",
    [
        "{ x = 1 } y = 2",
        "{ x = 1 }\n y = 2",
        "{ x = 1 ; } ; y = 2",
        "{\n x = 1\n }\n ; y = 2",
    ],
)
def test_a_closing_brace_ends_a_statement(text):
    assert body(text) == ["Block(Sequence([Assign(x, 1)]))", "Assign(y, 2)"]


@pytest.mark.parametrize("ending", ["fi", "od", "x++", "x--", "skip", "a[1]", "f(x)", "timeout", "break"])
def test_a_newline_ends_a_statement_after(ending):
    first = {"fi": "if :: skip fi", "od": "do :: skip od", "f(x)": "run P(x)"}.get(ending, ending)
    assert body(f"{first}\n y = 2")[1:] == ["Assign(y, 2)"]


def test_else_needs_no_separator():
    assert statement("if :: else x = 1 fi") == "If([Sequence([Else(), Assign(x, 1)])])"


def test_unless_may_stand_on_the_next_line_after_a_brace():
    assert statement("{ x = 1 }\n unless { y }") == (
        "Unless(Block(Sequence([Assign(x, 1)])), Block(Sequence([Condition(y)])))"
    )


def test_the_body_of_a_for_may_start_on_the_next_line():
    assert statement("for (x : 1 .. 2)\n { skip }") == "ForRange(x, 1, 2, Sequence([Condition(1)]))"


def test_a_label_may_stand_before_the_end_of_an_option_or_a_block():
    assert statement("do :: x -> L: :: y; M: od") == (
        "Do([Sequence([Condition(x), Labelled(L, Condition(1))]), "
        "Sequence([Condition(y), Labelled(M, Condition(1))])])"
    )


# --- names -----------------------------------------------------------------------


def test_in_is_a_name_outside_of_for():
    assert body("in = 1; for (in in in) { skip }", "byte in;") == [
        "Assign(in, 1)",
        "ForIn(in, in, Sequence([Condition(1)]))",
    ]


def test_a_proctype_is_known_by_name_in_its_own_body_and_after():
    text = "proctype P() { L: P[0]@L } init { P@L; P:x == 1 }"
    process, init = parse_text(text).units
    assert shape(process.body.body[0]) == "Labelled(L, Condition(RemoteLabel(P, 0, L)))"
    assert [shape(step) for step in init.body.body] == [
        "Condition(RemoteLabel(P, None, L))",
        "Condition(Binary(==, RemoteVariable(P, None, x), 1))",
    ]


# --- inlines ---------------------------------------------------------------------


def test_an_inline_is_a_block_with_its_parameters_replaced():
    text = "inline f(a, b) { a = b; q!b(a) } init { f(x, y + 1) }"
    assert shape(parse_text(text).units[0].body.body[0]) == (
        "InlineBody(f, Sequence([Assign(x, Binary(+, y, 1)), "
        "Send(q, False, [Binary(+, y, 1), x])]), [x, Binary(+, y, 1)])"
    )


def test_replacement_is_textual():
    text = "inline f(a) { x = a * 2 } init { f(1 + 1) }"
    assert shape(parse_text(text).units[0].body.body[0].body) == (
        "Sequence([Assign(x, Binary(+, 1, Binary(*, 1, 2)))])"
    )


def test_an_argument_is_not_searched_for_parameters_again():
    text = "inline g(a) { x = a } inline f(a, b) { g(b); g(a) } init { f(b, a) }"
    assert shape(parse_text(text).units[0].body.body[0].body) == (
        "Sequence([InlineBody(g, Sequence([Assign(x, a)]), [a]), "
        "InlineBody(g, Sequence([Assign(x, b)]), [b])])"
    )


def test_the_places_in_an_inline_are_those_of_its_body():
    init = parse_text("inline f(a) {\n  x = a\n}\ninit { skip;\n f(7) }").units[0]
    call = init.body.body[1]
    assert str(call.where) == "<text>:5:2"
    assert str(call.body.body[0].where) == "<text>:2:3"
    assert str(call.body.body[0].value.where) == "<text>:2:7"


def test_the_lines_of_an_inline_end_its_statements():
    text = "inline f(a) {\n a\n a = 1\n}\ninit {\n f(x)\n f(y)\n}"
    assert shape(parse_text(text).units[0].body) == (
        "Sequence([InlineBody(f, Sequence([Condition(x), Assign(x, 1)]), [x]), "
        "InlineBody(f, Sequence([Condition(y), Assign(y, 1)]), [y])])"
    )


def test_an_inline_can_return_a_value():
    text = "inline f(a) { return a + 1 } init { x = f(3) }"
    assert shape(parse_text(text).units[0].body.body[0]) == (
        "InlineBody(f, Sequence([Assign(x, Binary(+, 3, 1))]), [3], x)"
    )


def test_an_inline_that_nobody_calls_may_hold_anything_with_balanced_braces():
    assert len(parse_text("inline f() { if ( ] ` { } } init { skip }").units) == 1
