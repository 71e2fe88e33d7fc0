"""What packages look at besides values: annotations, codes, metaclasses, and the files that they came with.

Each text runs in CPython too: what holds there must be verified, and what some schedule breaks must be found.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import assay
from assay.transition_system.interface import SourceProblem
from tests.python.test_packages import is_verified, make_environment, verify

HOLDS = {
    "annotations of a function": """
        import functools, inspect, typing
        class P: pass
        def f(a: int, /, b: 'P' = None, *c: typing.Optional["P"], d: typing.List[int], **e) -> None: pass
        assert list(f.__annotations__) == ['b', 'a', 'c', 'd', 'return']
        assert typing.get_type_hints(f)['c'] == typing.Optional[P]
        assert typing.get_type_hints(f)['return'] is type(None)
        assert inspect.signature(f).parameters['a'].annotation is int
        assert inspect.signature(f).parameters['e'].annotation is inspect.Parameter.empty
        assert inspect.getfullargspec(f).annotations['a'] is int
        @functools.wraps(f)
        def g(*given): pass
        assert g.__annotations__ == f.__annotations__
        del g.__annotations__
        assert g.__annotations__ == {}
        g.__annotations__ = {'x': int}
        g.__annotations__['y'] = str
        assert g.__annotations__ == {'x': int, 'y': str}
        """,
    "annotations of a class": """
        import typing
        from dataclasses import dataclass, fields
        @dataclass
        class P:
            x: int = 0
            y: "str" = ""
            z: typing.ClassVar[int] = 3
        class Q(P):
            w: 'P'
        assert P.__annotations__ == {'x': int, 'y': 'str', 'z': typing.ClassVar[int]}
        assert [one.type for one in fields(P)] == [int, 'str']
        assert typing.get_type_hints(Q) == {'x': int, 'y': str, 'z': typing.ClassVar[int], 'w': P}
        """,
    "what a metaclass is given": """
        class Meta(type):
            def __new__(cls, name, bases, namespace):
                made = super().__new__(cls, name, bases, namespace)
                made.kinds = dict(namespace.get('__annotations__', {}))
                return made
        class Model(metaclass=Meta):
            size: int
            name: str
        assert Model.kinds == {'size': int, 'name': str}
        """,
    "annotations that are texts": """
        from __future__ import annotations
        import typing
        def f(a: int) -> list[int]: pass
        assert f.__annotations__ == {'a': 'int', 'return': 'list[int]'}
        assert typing.get_type_hints(f) == {'a': int, 'return': list[int]}
        """,
    "dispatch by annotations": """
        import functools
        @functools.singledispatch
        def f(x): return 'other'
        @f.register
        def _(x: int): return 'int'
        @f.register
        def _(x: list): return 'list'
        assert [f(1), f([]), f('')] == ['int', 'list', 'other']
        try:
            f.register(lambda x: x)
        except TypeError:
            pass
        else:
            raise AssertionError
        """,
    "code of a function": """
        def f(a, b=1, *c, d, **e):
            x = 1
            return lambda: x
        code = f.__code__
        assert code.co_varnames[:code.co_argcount] == ('a', 'b') and code.co_name == 'f'
        assert code.co_flags & 4 and code.co_flags & 8 and code.co_kwonlyargcount == 1
        assert f.__code__ == code and f(1, d=2).__code__.co_freevars == ('x',)
        """,
    "a metaclass has its say": """
        class Meta(type):
            def __instancecheck__(cls, value):
                asked.append(1)
                return isinstance(value, (bytes, str))
            def __subclasscheck__(cls, kind):
                return super().__subclasscheck__(kind) or issubclass(kind, str)
        class Text(metaclass=Meta): pass
        class Derived(Text): pass
        asked = []
        assert isinstance('a', Text) and not isinstance(1, Text) and isinstance(b'', (int, (float, Text)))
        assert issubclass(str, Text) and issubclass(Derived, (int, Text)) and not issubclass(int, Text)
        assert len(asked) == 3 and isinstance(Text(), Text) and len(asked) == 3
        """,
    "texts in memory": """
        import io, json
        stream = io.StringIO('first\\nsecond')
        assert stream.readline() == 'first\\n' and stream.tell() == 6 and stream.read(3) == 'sec'
        assert stream.read() == 'ond' and stream.read() == '' and stream.getvalue() == 'first\\nsecond'
        stream.seek(0); stream.write('FIRST'); print('!', file=stream)
        assert stream.getvalue() == 'FIRST!\\necond'
        assert list(io.StringIO('a\\nb\\n')) == ['a\\n', 'b\\n']
        assert io.StringIO('a\\nb').readlines() == ['a\\n', 'b']
        with io.BytesIO(b'ab') as data:
            assert data.read(1) == b'a' and data.seek(0, 2) == 2 and data.write(b'c') == 1
            assert data.getvalue() == b'abc'
        assert data.closed
        try:
            data.read()
        except ValueError:
            pass
        else:
            raise AssertionError
        gap = io.BytesIO(); gap.seek(3); gap.write(b'x')
        assert gap.getvalue() == b'\\0\\0\\0x' and gap.truncate(2) == 2 and gap.getvalue() == b'\\0\\0'
        assert json.load(io.StringIO('[1]')) == [1]
        """,
    "hashes of tuples": """
        class Key:
            def __init__(self, name): self.name = name
            def __hash__(self): return hash((Key, self.name)) if False else len(self.name)
            def __eq__(self, other): return self.name == other.name
        assert hash((Key('abc'), 'x', 1.5, -7)) == hash((3, 'x', 1.5, -7))
        assert hash((Key(''),)) == hash((0,))
        """,
    "what is there and what is not": """
        import asyncio, importlib.util, locale, sys, uuid
        assert importlib.util.find_spec('threading')
        assert importlib.util.find_spec('not_there_at_all') is None
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            raise AssertionError
        assert str(uuid.uuid5(uuid.NAMESPACE_DNS, 'python.org')) == '886313e1-3b8a-5372-9b90-0c9aee199e5d'
        assert str(uuid.uuid3(uuid.NAMESPACE_DNS, 'python.org')) == '6fa459ea-ee8a-3ca4-894e-db77e160355e'
        made = uuid.uuid4()
        assert made.version == 4 and made.urn == 'urn:uuid:' + str(made)
        assert uuid.UUID(bytes=made.bytes) == made
        assert sys.getdefaultencoding() == 'utf-8'
        """,
    "members of an enumeration": """
        import enum
        class Colour(enum.Enum):
            RED = 1
            BLUE = 2
        assert 1 in Colour._value2member_map_ and 3 not in Colour._value2member_map_
        assert Colour._member_map_['BLUE'] is Colour.BLUE
        """,
    "views of bytes": """
        view = memoryview(b'abcdef')[2:5]
        def work(): kept.append(bytes(view))
        kept = []
        threads = [threading.Thread(target=work) for _ in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert kept == [b'cde', b'cde'] and view[0] == 99 and len(view) == 3
        """,
}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_environment("venv", {})


@pytest.mark.parametrize("name", HOLDS)
def test_what_holds_in_cpython_is_verified(name):
    text = textwrap.dedent(HOLDS[name])
    future = "from __future__ import annotations\n"
    text = text.replace(future, "")
    Path("program.py").write_text(
        (future if future in HOLDS[name].replace("    ", "") else "") + "import threading\n" + text
    )
    assert subprocess.run([sys.executable, "program.py"], check=False).returncode == 0
    assert is_verified(assay.verify("program.py", python="venv"))


RACES = {
    # Each has a state that must not be forgotten: two threads, and an assertion that some schedule breaks.
    "annotations that a thread stores": """
        def f(x: int): pass
        f.__annotations__ = {'x': int}
        def one(): f.__annotations__['x'] = str
        def two(): f.__annotations__['x'] = float
        LAST = "assert f.__annotations__['x'] is float"
        """,
    "a stream that two write": """
        import io
        stream = io.StringIO()
        def one(): stream.write('a'); stream.write('b')
        def two(): stream.write('c')
        LAST = "assert stream.getvalue() != 'acb'"
        """,
    "a stream that two read": """
        import io
        stream = io.BytesIO(b'12')
        got = []
        def one(): got.append(stream.read(1))
        def two(): got.append(stream.read(1)); got.append(0)
        LAST = "assert got != [b'1', b'2', 0]"
        """,
    "a metaclass that asks a variable": """
        allowed = [int]
        class Meta(type):
            def __instancecheck__(cls, value): return type(value) in allowed
        class Allowed(metaclass=Meta): pass
        got = []
        def one(): got.append(isinstance('a', Allowed))
        def two(): allowed.append(str)
        LAST = "assert got == [False]"
        """,
    "a tuple of keys whose hash changes": """
        class Key:
            def __init__(self): self.n = 0
            def __hash__(self): return self.n
        key = Key()
        got = []
        def one(): got.append(hash((key,)) == hash((0,)))
        def two(): key.n = 1
        LAST = "assert got == [True]"
        """,
    "a function made again with its annotations": """
        made = []
        def make(kind):
            def f(x: kind): pass
            return f
        def one(): made.append(make(int))
        def two(): made.append(make(str))
        LAST = "assert made[0].__annotations__['x'] is int"
        """,
    "random bytes": """
        import os
        got = {}
        def one(): got['a'] = os.urandom(8)
        def two(): got['a'] = os.urandom(8); got['b'] = got['a']
        LAST = "assert got['a'] == got['b']"
        """,
}
THREADS = """
threads = [threading.Thread(target=one), threading.Thread(target=two)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


@pytest.mark.parametrize("name", RACES)
def test_what_some_schedule_breaks_is_found(name):
    text, _, last = textwrap.dedent(RACES[name]).partition("LAST = ")
    result = verify(text + THREADS + last.strip().strip('"') + "\n")
    assert result.verdict is assay.Verdict.VIOLATED


REFUSED = (
    ("def f(x: int): pass\nf.__annotations__ is f.__annotations__", "`is` between the annotations"),
    ("def f(x: int): pass\nf.__annotations__['y'] = 1", "changing __annotations__"),
    ("v = memoryview(b'a')\nv.release()", "memoryview"),
    ("with memoryview(b'a') as v: pass", "memoryview"),
    ("import sys\nsys._getframe(0).f_locals", "f_locals of a frame"),
    ("import os\nos.urandom(1)", "so few bytes"),
    ("import io\nclass S(io.RawIOBase): pass\nS()", "a stream of the program's own"),
    ("import locale\nlocale.setlocale(locale.LC_ALL, 'de_DE')", "setlocale"),
    ("import types\ndef f(): pass\ntypes.FunctionType(f.__code__, {})", "made of a code"),
)


@pytest.mark.parametrize(("text", "what"), REFUSED)
def test_what_would_hide_something_is_refused(text, what):
    with pytest.raises(SourceProblem, match=what):
        verify(text + "\n")


READS = """
import os
from pathlib import Path
HERE = os.path.dirname(__file__)
def version():
    with open(os.path.join(HERE, 'VERSION')) as file:
        return file.read().strip()
def names():
    return Path(__file__).parent.joinpath('data', 'names.txt').read_text(encoding='utf-8').splitlines()
def is_there(name):
    return os.path.exists(os.path.join(HERE, name)), os.path.isdir(os.path.join(HERE, name))
def outside():
    return open('/etc/hostname').read()
def escape():
    return open(os.path.join(HERE, 'link')).read()
"""


def package_that_reads() -> Path:
    files = {"reads/__init__.py": READS, "reads/VERSION": "1.5\n", "reads/data/names.txt": "a\nb\n"}
    return make_environment("venv", files)


def test_packages_read_the_files_that_they_came_with():
    package_that_reads()
    asked = """
        import reads
        assert reads.version() == '1.5' and reads.names() == ['a', 'b']
        assert reads.is_there('VERSION') == (True, False) and reads.is_there('data') == (True, True)
        assert reads.is_there('nothing') == (False, False)
        """
    assert is_verified(verify(asked))


def test_a_file_that_changes_is_another_program():
    folder = package_that_reads()
    Path("program.py").write_text("import reads\nassert reads.version() == '1.5'\n")
    assert is_verified(assay.verify("program.py", python="venv", certificate="one.assay"))
    assert assay.certify("program.py", "one.assay", python="venv").verdict is assay.Verdict.VERIFIED
    (folder / "reads" / "VERSION").write_text("1.6\n")
    assert assay.verify("program.py", python="venv").verdict is assay.Verdict.VIOLATED
    changed = assay.certify("program.py", "one.assay", python="venv")
    assert changed.verdict is not assay.Verdict.VERIFIED
    assert "VERSION" in " ".join(changed.reasons)


def test_files_of_others_are_refused():
    folder = package_that_reads()
    (folder / "reads" / "link").symlink_to("/etc/hostname")
    for call in ("outside", "escape"):
        with pytest.raises(SourceProblem, match="packages of the program"):
            verify(f"import reads\nreads.{call}()\n")


OPTIONAL = "try:\n    from .wrapper import *\n    SPEED = 2\nexcept ImportError:\n    SPEED = 1\n"


def test_a_module_in_c_is_left_out_where_a_second_module_imports_it():
    files = {"fast/__init__.py": OPTIONAL, "fast/wrapper.py": "from fast._speed import run\n"}
    folder = make_environment("venv", files)
    version = f"{sys.version_info.major}{sys.version_info.minor}"
    (folder / "fast" / f"_speed.cpython-{version}-x86_64-linux-gnu.so").write_bytes(b"")
    result = verify("import fast\nassert fast.SPEED == 1\n")
    assert is_verified(result)
    assert any("written in C" in note for note in result.notes)
