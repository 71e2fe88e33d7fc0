"""What built-ins are given is read, and sometimes changed, when they run: another thread may come before."""

import pytest

import assay

READS_TWICE = """
import threading
{setup}
def reader():
    x = {read}
    y = {read}
    assert x == y, (x, y)
def writer():
    {write}
ta = threading.Thread(target=reader)
tb = threading.Thread(target=writer)
ta.start(); tb.start(); ta.join(); tb.join()
"""
WORDS = 'D = {"a": 1, "b": 2}'
FOUND = {
    "the receiver of a key": (WORDS, 'max(["a", "b"], key=D.get)', 'D["a"] = 5'),
    "the receiver of a key that sorts": (WORDS, 'sorted(["a", "b"], key=D.get)', 'D["a"] = 5'),
    "the receiver of a key in a partial": (
        f'import functools\n{WORDS}\nf = functools.partial(max, ["a", "b"], key=D.get)', "f()", 'D["a"] = 5',
    ),
    "what a list of our own is made of": ("class C(list): pass\nL = [1]", "list(C(L))", "L.append(2)"),
    "what a tuple of our own is made of": ("class C(tuple): pass\nL = [1]", "len(C(L))", "L.append(2)"),
    "what a text of our own is made of": ("class C(str): pass\nL = [1]", "str(C(L))", "L.append(2)"),
    "what a tuple is made of by name": (
        "class C(tuple): pass\nL = [1]", "len(tuple.__new__(C, L))", "L.append(2)",
    ),
    "an argument with a name": (
        "import collections\nL = [1]", "list(collections.deque(iterable=L))", "L.append(2)",
    ),
}  # fmt: skip
BOTH_CHANGE = """
import threading
{setup}
def fa(): {first}
def fb(): {second}
ta = threading.Thread(target=fa)
tb = threading.Thread(target=fb)
ta.start(); tb.start(); ta.join(); tb.join()
assert {value} != {wrong}
"""
CHANGED = {
    "the receiver of a key that changes it": (
        "L = []", "max([1], key=L.append)", "max([2], key=L.append)", "L", "[1, 2]",
    ),
    "a buffer": (
        "import struct\nB = bytearray(1)", 'struct.pack_into("b", B, 0, 1)', 'struct.pack_into("b", B, 0, 2)',
        "bytes(B)", r"b'\x02'",
    ),
    "notes of an exception": (
        "X = ValueError(1)", 'X.add_note("1")', 'X.add_note("2")', "list(X.__notes__)", "['2', '1']",
    ),
}  # fmt: skip


def verdict_of(tmp_path, text):
    program = tmp_path / "program.py"
    program.write_text(text)
    return assay.verify(program).verdict


@pytest.mark.parametrize("name", FOUND)
def test_what_a_built_in_reads_may_change_between_two_calls(name, tmp_path):
    setup, read, write = FOUND[name]
    text = READS_TWICE.format(setup=setup, read=read, write=write)
    assert verdict_of(tmp_path, text) is assay.Verdict.VIOLATED


@pytest.mark.parametrize("name", CHANGED)
def test_what_a_built_in_changes_is_seen_in_every_order(name, tmp_path):
    setup, first, second, value, wrong = CHANGED[name]
    text = BOTH_CHANGE.format(setup=setup, first=first, second=second, value=value, wrong=wrong)
    assert verdict_of(tmp_path, text) is assay.Verdict.VIOLATED


@pytest.mark.parametrize(
    ("setup", "read", "write"),
    [
        ("import collections\nL = ['a']", "collections.Counter(L)['a']", "L.append('a')"),
        ("import collections\nL = [1]", "list(collections.UserList(L))", "L.append(2)"),
        ("class C: v = 1", "list(C.__dict__)", "C.w = 2"),
    ],
)
def test_what_cannot_be_followed_is_refused(setup, read, write, tmp_path):
    with pytest.raises(assay.SourceProblem, match=r"not modelled|no part of a state"):
        verdict_of(tmp_path, READS_TWICE.format(setup=setup, read=read, write=write))
