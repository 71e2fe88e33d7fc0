"""Numbers that are addresses, and texts of what stands for something: no program may see either.

Each program of REFUSED ends otherwise in CPython from run to run, or in another way than the machine could
tell; those of HOLD end in CPython as in the machine.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import assay
from assay.transition_system.interface import SourceProblem

OBJECTS = """
import collections, collections.abc, concurrent.futures, copy, functools, json, operator, threading, weakref
class X:
    pass
"""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def verify(text: str) -> assay.Result:
    Path("program.py").write_text(OBJECTS + textwrap.dedent(text))
    return assay.verify("program.py")


GONE = {
    "two ids of one that is gone": """
        x = X(); a = id(x); b = id(x); del x
        y = X()
        same = id(y) == a
        a = b = None
        assert not same
        """,
    "a key of a dict that is gone": """
        seen = {}
        x = X(); seen[id(x)] = 1; x = None
        y = X(); hit = id(y) in seen
        seen.clear()
        assert not hit
        """,
    "a cycle that is gone": """
        x = X(); x.me = x; a = id(x); del x
        y = X()
        same = id(y) == a
        a = None
        assert not same
        """,
    "held by what is gone": """
        holder = [X()]; a = id(holder[0]); holder.append(holder); del holder
        y = X()
        same = id(y) == a
        a = None
        assert not same
        """,
    "temporaries": "assert id(X()) != id(X())",
    "temporary lists": "assert id([]) != id([])",
    "temporaries of a loop": "assert len(set(map(id, (X() for _ in range(3))))) == 3",
    "in what a built-in calls": """
        class K:
            def __eq__(self, other):
                return id(X()) == id(X())
            __hash__ = None
        assert [K()] == [K()]
        """,
    "a weak reference that is hashed": """
        x = X(); r = weakref.ref(x); del x
        d = {r: 1}
        r = d = None
        """,
    "an entry of a weak dict that is deleted": """
        d = weakref.WeakValueDictionary()
        x = X(); d["x"] = x; del x
        del d["x"]
        """,
}
NUMBERS = {
    "sorted by id": "sorted([X(), X()], key=id)",
    "least by id": "min([X(), X()], key=id)",
    "sort by id": "[X(), X()].sort(key=id)",
    "property": "class P:\n    p = property(id)\nprint(P().p)",
    "method of object": "print(X().__hash__())",
    "method of its class": "print(object.__hash__(X()))",
    "method caller": "print(operator.methodcaller('__hash__')(X()))",
    "handed on": "print(sorted([X(), X()], key=object.__hash__))",
    "tuple": "print(hash((X(), 1)))",
    "frozen set": "print(hash(frozenset([X()])))",
    "class": "print(hash(X))",
    "function": "print(hash(print))",
    "sorted by hash": "print(sorted([X(), X()], key=hash))",
    "through a method": """
        class K:
            def __init__(self, x):
                self.x = x
            def __hash__(self):
                return hash(self.x)
        print(hash((K(X()), 1)))
        """,
    "sorted through a method": """
        class K:
            def __hash__(self):
                return hash(X)
        print(sorted([K(), K()], key=hash))
        """,
    "kept by a method": """
        class K:
            def __init__(self, x):
                self.x = x
            def __hash__(self):
                self.kept = hash(self.x)
                return self.kept
        d = {K(X()): 1}
        """,
    "returned by a method": """
        class K:
            def __hash__(self):
                return id(self)
        print(hash(K()))
        """,
    "kept and returned": """
        class K:
            kept = hash(range(0, 0))
            def __hash__(self):
                return self.kept
        d = {K(): 1}
        """,
    "kept and compared": "kept = hash(X)\nassert kept == kept",
    "kept and tested": "kept = hash((X(), 1))\nassert kept",
    "json": "x = X()\njson.dumps([id(x)])",
}


@pytest.mark.parametrize("text", [*GONE.values(), *NUMBERS.values()], ids=[*GONE, *NUMBERS])
def test_no_program_sees_an_address(text):
    with pytest.raises(SourceProblem):
        verify(text)


HOLD = """
x, y = X(), X()
assert id(x) == id(x) and id(x) != id(y)
assert len({id(x), id(y), id(x)}) == 2
assert len(set(map(id, [x, y]))) == 2

class K:
    def __init__(self, x):
        self.x = x
    def __hash__(self):
        return hash((K, self.x))
    def __eq__(self, other):
        return self.x is other.x

class Same:
    def __hash__(self):
        return id(self)
    def __eq__(self, other):
        return id(self) == id(other)

class Plain:
    __hash__ = object.__hash__
    def __eq__(self, other):
        return self is other

class Above(Plain):
    def __hash__(self):
        return super().__hash__()

d = {K(x): 1, K(y): 2}
assert d[K(x)] == 1 and K(y) in d and len(d) == 2
for kind in (Same, Plain, Above):
    one, two = kind(), kind()
    assert {one: 1, two: 2}[two] == 2
r = weakref.ref(x)
assert {r: 1}[weakref.ref(x)] == 1
kept = hash(range(0, 0)), hash(x)
class A(collections.abc.Hashable):
    EMPTY = hash(range(0, 0))
    __hash__ = object.__hash__
assert A() is not None
assert hash("a") == hash("a") and hash((1, 2)) == (1, 2).__hash__()
assert sorted([3, 1, 2], key=hash) == [1, 2, 3]
assert repr(operator.methodcaller("f", 1, a=2)) == "operator.methodcaller('f', 1, a=2)"
"""


def test_what_does_not_depend_on_an_address_is_as_in_cpython():
    assert verify(HOLD).verdict is assay.Verdict.VERIFIED
    subprocess.run([sys.executable, "program.py"], check=True)


def test_ids_are_told_apart_while_threads_run():
    result = verify("""
        import threading
        kept, seen, lock = [], {}, threading.Lock()
        def work():
            x = X()
            kept.append(x)
            with lock:
                assert id(x) not in seen
                seen[id(x)] = len(seen)
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seen.values()) == [0, 1] and all(id(x) in seen for x in kept)
        """)
    assert result.verdict is assay.Verdict.VERIFIED


IMPORTS = "import collections, copy, json, operator, os, socket, subprocess, typing\n"
SHOWN = (
    "repr([socket.socket])",
    "str({1: socket.socket})",
    "repr(collections.deque([socket.socket]))",
    "repr(ValueError(socket.socket))",
    "'{0[0]}'.format([socket.socket])",
    "'%s' % (socket.socket,)",
    "json.dumps([1, socket.AF_INET])",
    "repr(list[socket.socket])",
    "[socket.socket].index(socket.socket)",
    "copy.copy([subprocess.run])[0] is subprocess.run",
    "len({socket.socket, subprocess.run})",
)
HIDDEN = (
    "repr([subprocess.run])",
    "str({1: socket})",
    "'{}'.format([subprocess.run])",
    "'%s' % [socket]",
    "repr(typing.Optional[socket.socket])",
    "repr(socket.socket | None)",
    "repr(collections.Counter([socket.socket]))",
    "json.dumps([subprocess.run], default=str)",
    "list(filter(callable, [socket]))",
    "sorted([socket, 1], key=callable)",
    "list(map(type, [socket]))",
    "', '.join([socket.socket])",
    "round(socket.socket)",
    "repr(os)",
    "hash(socket.socket) % 2",
)


def test_the_text_of_an_absent_class_in_a_container_is_that_of_cpython():
    shown = subprocess.run(
        [sys.executable, "-c", f"{IMPORTS}print([{', '.join(SHOWN)}])"],
        check=True,
        capture_output=True,
        text=True,
    )
    program = f"{IMPORTS}shown = [{', '.join(SHOWN)}]\nassert shown == {shown.stdout}"
    assert verify(program).verdict is assay.Verdict.VERIFIED


@pytest.mark.parametrize("expression", HIDDEN)
def test_a_built_in_that_would_show_what_stands_for_something_is_refused(expression):
    with pytest.raises(SourceProblem):
        verify(f"{IMPORTS}r = {expression}\n")


READ = {
    "equal": "repr(x) == repr(y)",
    "unequal": "str(x) != str(y)",
    "in lists": "f'{[x]}' == f'{[y]}'",
    "formatted": "'%s' % x < '%s' % y",
    "of a format": "'{}'.format(x) == '{}'.format(y)",
    "of methods": "x.__repr__() == object.__repr__(y)",
    "of exceptions": "str(ValueError(x)) == str(ValueError(y))",
    "of built-ins": "repr([].append) == repr([].append)",
    "of functions": "'%s' % (lambda: 1) == '%s' % (lambda: 1)",
    "of locks": "str(threading.Lock()) == str(threading.Lock())",
    "of events": "str(threading.Event()) == str(threading.Event())",
    "of futures": "str(concurrent.futures.Future()) == str(concurrent.futures.Future())",
    "as ascii": "ascii(x) == ascii(y)",
    "formatted as ascii": "'%a' % x == f'{y!a}'",
    "bytes": "b'%a' % x",
    "byte array": "bytearray(b'%a') % x",
    "json": "json.dumps(x, default=str) == json.dumps(y, default=str)",
    "set": "len({repr(x), repr(y)}) == 1",
    "set of a map": "set(map(repr, [x, y]))",
    "key": "repr(y) in {repr(x): 1}",
    "keys": "dict.fromkeys([repr(x)])",
    "counter": "collections.Counter(map(repr, [x, y]))",
    "member": "repr(x) in [repr(y)]",
    "index": "[repr(x)].index(repr(y)) == 0",
    "sorted": "sorted([repr(x), repr(y)])",
    "sorted with others": "sorted(['a', repr(x), 'b', repr(y)])",
    "greatest": "max(map(str, [x, y]))",
    "lists": "[str(x)] == [str(y)]",
    "tuples": "(str(x), 1) < (str(y), 2)",
    "operator": "operator.eq(str(x), str(y))",
    "method": "list(map(str.__eq__, [str(x)], [str(y)]))",
    "named tuples": "collections.namedtuple('N', 'a')(str(x)) == (str(y),)",
    "derived": "S(x) == S(y)",
    "derived in a set": "{S(x)}",
    "hash": "hash(str(x))",
    "hash by its method": "str(x).__hash__()",
    "length": "len(str(x)) == 4",
    "lengths": "list(map(len, [str(x)]))",
    "item": "str(x)[-2]",
    "iteration": "any(c == '7' for c in str(x))",
    "part": "'7f' not in str(x)",
    "long part": "'object at 0x7' in str(x)",
    "text in text": "str(x) in str([y])",
    "count": "str(x).count('7')",
    "number": "int(str(x).split('0x')[1].rstrip('>'), 16)",
    "encoded": "str(x).encode()",
    "as bytes": "bytes(str(x), 'utf-8')",
    "pattern": "re.search('0x[0-9a-f]+', str(x)) is None",
    "attribute": "getattr(x, str(x), 1)",
    "cache": "functools.lru_cache(lambda text: text)(str(x))",
}


@pytest.mark.parametrize("expression", READ.values(), ids=READ)
def test_nobody_reads_the_address_in_a_text(expression):
    with pytest.raises(SourceProblem, match="shows the address of an object"):
        verify(f"import re\nclass S(str):\n    pass\nx, y = X(), X()\nassert {expression} or True\n")


KEPT = """
x, y = X(), X()
assert str(x) and '.X object at 0x' in repr(x) and 'foo' not in repr(x) and ' at 1' not in repr(x)
assert repr(x) != 'X' and '<a' > repr(x) and repr(x) not in ['', '<X object at 0x', '<object object at 0x7f']
assert f'{x}'.startswith('<X') or str(x).startswith('<__main__.X object')
log = []
log.append('got ' + str(x).upper().strip())
log.append("%s and %a" % (x, y))
kept = {'text': repr(x)}
kept['other'] = ' '.join(log)
assert len(log) == 2 and 'text' in kept and kept['text'] is not None and isinstance(kept['text'], str)
text = repr(x)
assert text == text and text in [text]
try:
    raise ValueError(f'bad {x}')
except ValueError as error:
    assert 'bad' in str(error)
"""


def test_a_text_with_an_address_is_kept_and_shown():
    assert verify(KEPT).verdict is assay.Verdict.VERIFIED
    subprocess.run([sys.executable, "program.py"], check=True)


TEXTS = (
    "repr(x) str(x) format(x) ascii(x) x.__repr__() x.__str__() object.__repr__(x) f'{x!r:>9}' '%s'%x "
    "'%r'%[x] '{0}'.format(x) str({1:x}) repr(collections.deque([x])) repr(collections.OrderedDict(a=x)) "
    "str(KeyError(x)) repr(ValueError(x)) repr(object()) '%s'%object() repr([].append) '%s'%[].append "
    "'%s'%x.__str__ repr(zip([1])) '%s'%iter({}) repr(memoryview(b'')) '%s'%functools.partial(print,x) "
    "json.dumps(x,default=str) '%s'%operator.itemgetter(x) repr(x.__init__) '%s'%(lambda:1) "
    "repr(collections.ChainMap({1:x})) str((x,)) ascii([x]) '%a'%x f'{x!a}' repr(threading.Lock()) "
    "str(threading.Event()) str(threading.RLock()) repr(threading.Semaphore()) str(threading.Barrier(2)) "
    "repr(threading.Condition()) str(concurrent.futures.Future())"
).split()


def test_no_text_that_cpython_makes_shows_an_address():
    # With CPython's own addresses taken out they are the texts of CPython.
    program = "x = X()\nshown = [" + ", ".join(TEXTS) + "]\n"
    real = subprocess.run(
        [sys.executable, "-c", f"{OBJECTS}{program}print(shown)"], check=True, capture_output=True, text=True
    )
    expected = re.sub(r"0x[0-9a-f]{6,}", "0x\u22ef", real.stdout)
    shown = verify(f"{program}assert False, '|'.join(shown)\n").violations[0].message
    assert shown.removeprefix("AssertionError: ") == "|".join(ast.literal_eval(expected))
