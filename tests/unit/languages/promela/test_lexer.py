"""Tokens: what they are, what they are worth and where they stand."""

import pytest

from assay.languages.promela.lexer import align_columns, tokenize, without_comments
from assay.languages.promela.syntax import Location
from assay.transition_system.interface import SourceProblem


def kinds(text):
    return [token.kind for token in tokenize(text, "m.pml")][:-1]


def places(text):
    return [(token.text, token.line, token.column) for token in tokenize(text, "m.pml")][:-1]


def test_operators_are_cut_as_long_as_possible():
    assert kinds("::->--++<<<=>>>===!=!!??&&||..") == [
        "::", "->", "--", "++", "<<", "<=", ">>", ">=", "==", "!=", "!!", "??", "&&", "||", "..",
    ]  # fmt: skip


def test_single_characters_that_could_start_something_longer():
    assert kinds("- + < > = ! ? & | . : ; , ^ ~ % * / @ ( ) { } [ ]") == list("-+<>=!?&|.:;,^~%*/@(){}[]")


def test_keywords_and_names_are_told_apart():
    assert kinds("do Do doo _do in d_step") == ["do", "name", "name", "name", "name", "d_step"]


def test_every_token_knows_its_line_and_column():
    assert places("byte  x;\n\n\tx = 12 ;") == [
        ("byte", 1, 1),
        ("x", 1, 7),
        (";", 1, 8),
        ("x", 3, 2),
        ("=", 3, 4),
        ("12", 3, 6),
        (";", 3, 9),
    ]


def test_every_token_knows_whether_a_newline_stood_before_it():
    assert [token.after_newline for token in tokenize("a b\nc\n\n d", "m.pml")][:-1] == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("010", 10),  # decimal, whatever C thinks
        ("255", 255),
        ("2147483647", 2147483647),
        ("2147483648", -2147483648),
        ("4294967297", 1),
        ("9223372036854775807", -1),
    ],
)
def test_numbers_are_decimal_and_keep_32_bits(text, value):
    assert tokenize(text, "m.pml")[0].value == value


def test_a_number_beyond_64_bits_is_refused():
    with pytest.raises(SourceProblem) as problem:
        tokenize("x = 9223372036854775808", "m.pml")
    assert str(problem.value) == "m.pml:1:5: number 9223372036854775808 is too large"


def test_a_number_of_many_digits_is_refused_shortly():
    with pytest.raises(SourceProblem) as problem:
        tokenize("9" * 100_000, "m.pml")
    assert str(problem.value) == "m.pml:1:1: number 99999999999999999999... is too large"


def test_hexadecimal_is_a_number_and_a_name():
    assert kinds("0x10") == ["number", "name"]


@pytest.mark.parametrize(
    ("text", "value"), [("'a'", 97), ("'\\n'", 10), ("'\\t'", 9), ("'\\''", 39), ("'''", 39), ("' '", 32)]
)
def test_character_constants(text, value):
    (token, _) = tokenize(text, "m.pml")
    assert (token.kind, token.value) == ("character", value)


def test_a_string_ends_at_its_quote_and_not_at_an_escaped_one():
    assert [token.text for token in tokenize(r'"a \" b" "c"', "m.pml")][:-1] == [r'"a \" b"', '"c"']


def test_a_string_does_not_reach_over_the_end_of_the_line():
    assert kinds('"abc\n"') == ["bad", "name", "bad"]


def test_embedded_c_is_taken_whole_with_its_braces_strings_and_comments():
    text = "c_code { if (x) { y = \"}\"; z = '}'; /* } */ } } ; a"
    first, semicolon, name, _ = tokenize(text, "m.pml")
    assert first.text == " if (x) { y = \"}\"; z = '}'; /* } */ } "
    assert (semicolon.kind, name.text, name.column) == (";", "a", 51)


def test_embedded_c_may_have_a_precondition():
    token = tokenize("c_expr [a[1] > 0] { b }", "m.pml")[0]
    assert (token.precondition, token.text) == ("a[1] > 0", " b ")


def test_lines_inside_embedded_c_are_counted():
    assert places("c_code {\n x\n}\n  y")[1] == ("y", 4, 3)


def test_embedded_c_without_end_is_refused_where_it_starts():
    with pytest.raises(SourceProblem) as problem:
        tokenize("a\n  c_code { { }", "m.pml")
    assert str(problem.value) == "m.pml:2:3: the block of c_code has no closing '}'"


def test_an_ltl_formula_is_taken_whole():
    token = tokenize("ltl p {\n [] x }", "m.pml")[0]
    assert (token.kind, token.precondition, token.text) == ("ltl", "p", "\n [] x ")
    assert token.content == Location("m.pml", 1, 8)


def test_temporal_operators_exist_only_in_formulas():
    assert kinds("[] <> <-> U") == ["[", "]", "<", ">", "<", "->", "name"]
    tokens = tokenize("[] <> <-> -> U until always", "m.pml", temporal=True)
    assert [token.kind for token in tokens][:-1] == ["[]", "<>", "<->", "->", "U", "U", "[]"]


def test_line_markers_set_file_and_line():
    tokens = tokenize('# 7 "dir/a \\"b\\".h" 1\nx\n# 3 "m.pml" 2\ny', "m.pml")
    assert [str(token.where) for token in tokens][:-1] == ['dir/a "b".h:7:1', "m.pml:3:1"]


def test_a_line_marker_inside_embedded_c_is_no_part_of_it():
    token, name, _ = tokenize('c_code { a;\n# 20 "m.pml"\nb; } x', "m.pml")
    assert token.text == " a;\nb; "
    assert (name.line, name.column) == (20, 6)


def test_other_characters_become_bad_tokens_for_the_parser_to_judge():
    assert kinds("x # \u00e9 `") == ["name", "bad"]
    assert kinds("\u00e9") == ["bad"]


def test_comments_become_blanks_and_keep_their_newlines():
    assert without_comments("a /* b\n c */ d // e\nf", "m") == "a     \n      d     \nf"


def test_comment_signs_inside_strings_and_characters_are_text():
    assert without_comments('"/*" \'"\' // "', "m") == '"/*" \'"\'     '


def test_a_comment_without_end_is_refused_where_it_starts():
    with pytest.raises(SourceProblem) as problem:
        without_comments("a\n b /* c", "m.pml")
    assert str(problem.value) == "m.pml:2:4: comment is not closed"


def test_more_tokens_than_the_limit_are_refused():
    with pytest.raises(SourceProblem, match="more than 10 tokens"):
        tokenize("x " * 20, "m.pml", limit=10)


def test_columns_are_those_of_the_source_before_and_after_a_macro():
    source = "x   =  N  +   1 ;"
    tokens = tokenize("x = (2 * 3) + 1 ;", "m.pml")
    align_columns(tokens, {"m.pml": source})
    assert [(token.text, token.column) for token in tokens][:-1] == [
        ("x", 1),
        ("=", 5),
        ("(", 8),
        ("2", 8),
        ("*", 8),
        ("3", 8),
        (")", 8),
        ("+", 11),
        ("1", 15),
        (";", 17),
    ]
