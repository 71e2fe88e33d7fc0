"""Packages and modules that a program imports: found where its environment is, used or not used.

The packages are made here, in folders like those that `pip` fills; `python -m tests.python.packages` tries
real ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import assay
from assay.languages.python.environment import package_folders
from assay.transition_system.interface import SourceProblem

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
TWO_THREADS = """
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_environment("venv", {})


def make_environment(name: str, files: dict[str, str]) -> Path:
    folder = Path(name) / "lib" / VERSION / "site-packages"
    folder.mkdir(parents=True, exist_ok=True)
    Path(name, "pyvenv.cfg").write_text("home = /usr/bin\n")
    for file, text in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(textwrap.dedent(text))
    return folder


def verify(text: str, **options: object) -> assay.Result:
    Path("program.py").write_text("import threading\n" + textwrap.dedent(text))
    return assay.verify("program.py", python="venv", **options)  # type: ignore[arg-type]


def threaded(setup: str, work: str, after: str = "", **options: object) -> assay.Result:
    body = textwrap.indent(textwrap.dedent(work).strip(), "    ")
    return verify(f"{textwrap.dedent(setup)}\ndef work():\n{body}\n{TWO_THREADS}{after}\n", **options)


def is_verified(result: assay.Result) -> bool:
    return result.verdict is assay.Verdict.VERIFIED


COUNTER = {
    "counting/__init__.py": "from .core import Counter\nfrom . import names\n__version__ = '1'\n",
    "counting/core.py": """
        class Counter:
            def __init__(self):
                self.count = 0

            def step(self):
                self.count += 1
        """,
    "counting/names.py": "def names():\n    return 'names'\n",
    "counting/old.py": "print 'Python 2'\n",
}


def test_a_package_of_the_environment_is_compiled_with_the_program():
    make_environment("venv", COUNTER)
    result = threaded("import counting\nc = counting.Counter()", "c.step()", "assert c.count == 2")
    assert result.verdict is assay.Verdict.VIOLATED
    locked = threaded(
        "from counting import Counter, names\nc = Counter()\nlock = threading.Lock()",
        "with lock:\n    c.step()",
        "assert c.count == 2 and names.names() == 'names'",
    )
    assert is_verified(locked)


def test_a_package_is_found_only_in_the_environment_that_is_named():
    make_environment("venv", COUNTER)
    make_environment("empty", {})
    Path("program.py").write_text("import counting\n")
    assert is_verified(assay.verify("program.py", python="venv"))
    with pytest.raises(SourceProblem, match="there is no module 'counting' here"):
        assay.verify("program.py", python="empty")


OPTIONAL = """
try:
    import counting
except ImportError:
    counting = None
"""


def test_an_optional_package_is_there_or_not_as_the_environment_says():
    make_environment("venv", COUNTER)
    make_environment("empty", {})
    Path("program.py").write_text(f"{OPTIONAL}\nassert counting is not None\n")
    assert is_verified(assay.verify("program.py", python="venv"))
    assert assay.verify("program.py", python="empty").verdict is assay.Verdict.VIOLATED


def test_environments_are_found_by_folder_interpreter_target_and_path_file():
    folder = make_environment("venv", COUNTER).resolve()
    Path("venv/bin").mkdir()
    Path("venv/bin/python").write_text("")
    Path("source/more").mkdir(parents=True)
    (folder / "more.pth").write_text(f"# a comment\nimport os\n{Path('source').resolve()}\n")
    for name in ("venv", "venv/bin/python"):
        found = [path.resolve() for path in package_folders(name)]
        assert found == [folder, Path("source").resolve()]
    Path("target/counting").mkdir(parents=True)
    assert package_folders("target") == (Path("target"),)
    with pytest.raises(SourceProblem, match="no environment 'nowhere'"):
        package_folders("nowhere")
    Path("other/lib/python3.9/site-packages").mkdir(parents=True)
    with pytest.raises(SourceProblem, match=r"'other' is for python3\.9"):
        package_folders("other")


IMPORTED = (
    "argparse array ctypes email gc inspect io multiprocessing optparse pickle select shutil signal socket "
    "sqlite3 ssl subprocess tempfile unittest urllib.request xml.etree.ElementTree errno contextvars "
    "http.client"
).split()


@pytest.mark.parametrize("module", IMPORTED)
def test_a_module_may_be_imported_and_not_used(module):
    assert is_verified(verify(f"import {module}\ndef main():\n    {module}.main()\n"))


USES = (
    ("import socket\nsocket.socket()", "the program calls socket.socket, and the module 'socket' of CPython"),
    ("import socket\nclass S(socket.socket): pass\nS()", "it derives from socket.socket"),
    ("import subprocess as s\nfor x in s.run: pass", "iterates over subprocess.run"),
    ("import signal\nwith signal.signal: pass", "enters signal.signal"),
    ("import shutil\nshutil.x = 1", "stores in shutil"),
    ("import socket\ntry:\n    raise ValueError\nexcept socket.socket:\n    pass", "catches socket.socket"),
    ("from os import fork\nfork()", "calls os.fork"),
    ("import json, socket\njson.dumps(socket.socket)", "gives a built-in socket.socket"),
)


@pytest.mark.parametrize(("text", "what"), USES)
def test_what_is_not_modelled_is_refused_where_it_is_used(text, what):
    with pytest.raises(SourceProblem, match=what):
        verify(text)


KNOWN = (
    "import socket\nassert socket.AF_INET == 2",
    "import socket\ntry:\n    raise OSError\nexcept socket.error:\n    pass",
    "import subprocess\nassert issubclass(subprocess.CalledProcessError, Exception)",
    "import socket\nassert socket.socket is not None and socket and callable(socket.socket)",
    "import io\nassert not isinstance([], io.IOBase) and not isinstance('x', (bytes, io.IOBase))",
    "import socket\nassert not hasattr(socket, 'no_such_name')\ntry:\n    socket.no_such_name\n"
    "except AttributeError:\n    pass\nelse:\n    assert False",
    "try:\n    from socket import no_such_name\nexcept ImportError:\n    pass\nelse:\n    assert False",
    "try:\n    import msvcrt\nexcept ImportError:\n    msvcrt = None\nassert msvcrt is None",
    "import socket\nkinds = {socket.socket: 1}\nassert kinds[socket.socket] == 1",
    "import pathlib, typing\nPaths = typing.Union[str, pathlib.Path]\nMaybe = pathlib.Path | None",
)


@pytest.mark.parametrize("text", KNOWN)
def test_what_can_be_said_of_what_is_absent_is_what_cpython_says(text):
    exec(compile(text, "real", "exec"), {})
    assert is_verified(verify(text))


def test_what_only_a_package_imports_is_compiled_once_it_is_used():
    make_environment(
        "venv", {"shown.py": "import colorsys\ndef show(x):\n    return colorsys.rgb_to_yiq(x, x, x)\n"}
    )
    unused = verify("import shown\n")
    assert unused.semantics["not_final"] == []
    used = verify("import shown\nassert shown.show(0) == (0, 0, 0)\n")
    assert is_verified(used)
    assert "module colorsys" in used.semantics["not_final"]


def test_extensions_in_c_are_refused_by_name_where_something_is_taken_from_them():
    folder = make_environment("venv", {"fast/__init__.py": "from . import _speed\n"})
    (folder / "fast" / "_speed.so").write_bytes(b"\x7fELF")
    assert is_verified(verify("import fast\n"))
    with pytest.raises(SourceProblem, match=r"the module 'fast\._speed' is written in C"):
        verify("import fast\nfast._speed.go()\n")


WITHOUT = {
    "quick/__init__.py": """
        try:
            from ._speed import step
        except ImportError:
            from ._slow import step
        try:
            from . import _speed
        except ImportError:
            _speed = None
        """,
    "quick/_slow.py": "def step(n):\n    return n + 1\n",
}


def test_a_package_does_without_its_part_in_c_and_the_verdict_says_so():
    folder = make_environment("venv", WITHOUT)
    (folder / "quick" / "_speed.so").write_bytes(b"\x7fELF")
    used = verify("import quick\nassert quick.step(1) == 2 and quick._speed is None\n")
    assert is_verified(used)
    assert any("'quick._speed' is written in C" in note for note in used.notes)
    # The program's own import is not taken for one that can fail.
    own = "try:\n    from quick import _speed\nexcept ImportError:\n    _speed = 0\nassert _speed != 0\n"
    assert is_verified(verify(own))


def test_the_text_beside_a_module_that_was_compiled_to_c_is_looked_at_and_the_verdict_says_so():
    folder = make_environment("venv", {"made/__init__.py": "", "made/core.py": "def one():\n    return 1\n"})
    (folder / "made" / "core.so").write_bytes(b"\x7fELF")
    used = verify("from made import core\nassert core.one() == 1\n")
    assert is_verified(used)
    assert any("'made.core' is compiled to C" in note for note in used.notes)


LATE = {
    "late.py": "async def wait():\n    pass\ndef bad():\n    return eval('one')\nclass Closes:\n"
    "    def __del__(self):\n        pass\ndef good():\n    return 1\n"
}


def test_what_is_not_modelled_in_a_package_fails_when_it_is_reached():
    make_environment("venv", LATE)
    assert is_verified(verify("import late\nassert late.good() == 1\n"))
    for call, what in (("wait", "async"), ("bad", "eval"), ("Closes", "__del__")):
        with pytest.raises(SourceProblem, match=what):
            verify(f"import late\nlate.{call}()\n")


INSPECTED = """
import inspect

def f(a, /, b, *args, c=3, **more):
    pass

class C:
    def m(self, x, y=2):
        pass

sig = inspect.signature(f)
assert list(sig.parameters) == ["a", "b", "args", "c", "more"]
assert [p.kind.name for p in sig.parameters.values()][0] == "POSITIONAL_ONLY"
assert sig.parameters["c"].default == 3 and sig.parameters["a"].default is inspect.Parameter.empty
assert list(inspect.signature(C().m).parameters) == ["x", "y"]
assert list(inspect.signature(C).parameters) == []
assert sig.bind(1, 2, 3, c=4, d=5).arguments == {"a": 1, "b": 2, "args": (3,), "c": 4, "more": {"d": 5}}
spec = inspect.getfullargspec(C.m)
assert spec.args == ["self", "x", "y"] and spec.defaults == (2,)
assert inspect.isclass(C) and inspect.isfunction(f) and inspect.ismethod(C().m)
assert not inspect.iscoroutinefunction(f)
"""


def test_inspect_tells_of_functions_what_cpython_tells():
    exec(compile(INSPECTED, "real", "exec"), {})
    assert is_verified(verify(INSPECTED))
    asked = "import inspect\ndef f(x: int): pass\n"
    assert is_verified(verify(asked + "assert inspect.signature(f).parameters['x'].annotation is int"))


MOVED = """
from dataclasses import dataclass
@dataclass
class Order:
    number: int
    amount: int = 0
orders = [Order(0)]
"""


def test_lists_of_instances_whose_fields_others_write_are_modelled():
    look = (
        "sorted(orders, key=lambda o: o.amount)\norders.append(Order(1))\norders[0].amount += 1\nlen(orders)"
    )
    assert is_verified(threaded(MOVED, look, "assert len(orders) == 3"))
    lost = threaded(MOVED, look, "assert orders[0].amount == 2")
    assert lost.verdict is assay.Verdict.VIOLATED
    # Comparing instances reads what others write: that is still refused.
    with pytest.raises(SourceProblem, match="reads what another thread changes"):
        threaded(MOVED, "orders[0].amount += 1\nOrder(0) in orders")


WEAK = """
import weakref
class Thing:
    pass
things = [Thing()]
names = weakref.WeakKeyDictionary()
values = weakref.WeakValueDictionary()
known = weakref.WeakSet()
known.add(things[0])
first = weakref.ref(things[0])
seen = {}
"""
FOLLOW = "names[things[0]] = 1\nvalues['a'] = things[0]\nassert first() is things[0]\nseen[id(things[0])] = 1"
AFTER = (
    "assert len(known) == 1 and list(known) == things and names[things[0]] == 1 and values['a'] is things[0]"
)


def test_weak_references_lead_to_what_lives():
    assert is_verified(threaded(WEAK, FOLLOW, f"{AFTER} and len(seen) == 1"))


LOST = (
    ("ref = weakref.ref(Thing())", "pass", "ref()"),  # nothing else leads there
    ("thing = Thing()\nref = weakref.ref(thing)", "global thing\nthing = None", ""),
    ("names[Thing()] = 1", "pass", "len(names)"),
    ("numbers = {id(Thing()): 1}", "pass", "len(numbers)"),
)


@pytest.mark.parametrize(("setup", "work", "after"), LOST)
def test_what_only_weak_references_lead_to_is_refused(setup, work, after):
    with pytest.raises(
        SourceProblem, match=r"nothing but weak references, or its id\(\)|object that is gone"
    ):
        threaded(f"{WEAK}\n{setup}", work, after)


ADDRESSES = (
    "str(id(work))",
    "id(work) % 8",
    "hash(id(work)) % 2",
    "id(work) < id(print)",
    "isinstance(id(work), int)",
)


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_is_no_number(text):
    with pytest.raises(SourceProblem):
        verify(f"def work():\n    pass\n{text}\n")


MORE = (
    ("import operator\ngot = [[2], [1]]", "sorted(got, key=operator.methodcaller('copy'))", ""),
    ("from types import SimpleNamespace\nn = SimpleNamespace(x=0)\nlock = threading.Lock()",
     "with lock:\n    n.x += 1", "assert n.x == 2 and n == SimpleNamespace(x=2)"),
    ("commands = [['go', 1]]", "match commands[0]:\n    case ['go', n]:\n        assert n == 1\n    case _:\n"
     "        assert False\ncommands.append(['stop'])", "assert len(commands) == 3"),
    ("import struct\npacker = struct.Struct('<I')\ngot = []", "got.append(packer.pack(1))",
     "assert got == [b'\\x01\\0\\0\\0'] * 2"),
)  # fmt: skip


@pytest.mark.parametrize(("setup", "work", "after"), MORE)
def test_more_of_what_programs_use_is_modelled(setup, work, after):
    assert is_verified(threaded(setup, work, after))


def test_a_namespace_that_is_raced_for_is_found():
    setup = "from types import SimpleNamespace\nn = SimpleNamespace(x=0)"
    assert threaded(setup, "n.x += 1", "assert n.x == 2").verdict is assay.Verdict.VIOLATED


# --- what packages do when they are imported: each program runs in CPython, too -----------------------------


def agreed(files: dict[str, str], setup: str, work: str, after: str = "") -> None:
    """CPython runs the program without an error, and so do all schedules."""
    packages = make_environment("venv", files)
    for granularity in ("bytecode", "gil"):
        assert is_verified(threaded(setup, work, after, granularity=granularity))
    ran = subprocess.run(
        [sys.executable, "program.py"],
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


MAKING = '''
def make(name, value, **more):
    script = f"""
import math
counter = 0
def {name}(x, *, y=DEFAULT):
    global counter
    counter += 1
    return helper(x) + len([k for k in range(y)]) + {value}
def helper(x):
    return x * factor + math.floor(0.5)
class Kept:
    z = factor
    def get(self):
        return [self.z for _ in range(one)]
"""
    variables = {"DEFAULT": 2, "factor": 3, "one": 1, **more}
    eval(compile(script, "<made>", "exec"), variables)
    return variables
def value(text, **names):
    return eval(text, names)
def beside(own):
    exec("b = a + 1", {"a": 1}, own)
    return own
'''
MADE = """
    import making
    three = making.make("three", 10)
    five = making.make("five", 20, factor=5)
    assert three["three"](2) == 18 and five["five"](2, y=0) == 30
    assert three["counter"] == five["counter"] == 1 and "__builtins__" in three
    assert three["Kept"]().get() == [3] and five["Kept"]().get() == [5]
    assert three["three"].__qualname__ == "three" and three["Kept"].get.__qualname__ == "Kept.get"
    assert making.value(" a + len(b)", a=1, b="xy") == 3 and making.beside({}) == {"b": 2}
    try:
        making.value("nobody")
    except NameError as problem:
        assert str(problem) == "name 'nobody' is not defined"
    three["factor"] = 100
    got = []
    lock = threading.Lock()
"""


def test_a_text_that_a_package_makes_and_compiles_runs_in_its_own_dicts():
    agreed(
        {"making.py": MAKING},
        MADE,
        "with lock:\n    got.append(three['three'](1))",
        "assert three['counter'] == 3",
    )
    racy = threaded(MADE, "got.append(three['three'](1))", "assert three['counter'] == 3")
    assert racy.verdict is assay.Verdict.VIOLATED


FINDING = """
def run(text, *dicts):
    exec(text, *dicts)
    return dicts[-1]
def value(text, *dicts):
    return eval(text, *dicts)
"""
FOUND = """
    from finding import run, value
    assert value('__name__', {}) == 'builtins' and value('__name__', {'__name__': 'n'}) == 'n'
    assert run('class C:\\n    "doc"', {})['C'].__module__ == 'builtins'
    assert run('class C: pass', {'__name__': 'n'})['C'].__module__ == 'n'
    assert run('class C:\\n    "doc"', {})['C'].__doc__ == 'doc'
    assert run('a += 1', {'a': 1}, {}) == {'a': 2}
    assert run('"doc"\\nx = 1', {}) ['__doc__'] == 'doc'
    outer = {}
    assert run('global x\\nx = 1', outer, {}) == {} and outer['x'] == 1
    assert run('class C:\\n    def f(self): return 1\\n    g = f', {})['C']().g() == 1
    assert run('def __repr__(self): return 1', {})['__repr__'](0) == 1
    base = 'class A:\\n    def f(self): return 1\\n'
    derived = base + 'class B(A):\\n    def f(self): return super().f(), __class__ is B'
    assert run(derived, {})['B']().f() == run(derived, {})['B']().f() == (1, True)
    assert 'x' not in run('x = y = 1\\ndel x, y', {})
    for text in ('a += 1', 'del a', 'a', 'def f():\\n    global a\\n    a += 1\\nf()'):
        try:
            run(text, {})
        except NameError as problem:
            assert problem.name == 'a' and problem.__context__ is None
        else:
            assert False
"""


def test_a_text_finds_its_variables_where_cpython_finds_them():
    agreed({"finding.py": FINDING}, FOUND, "pass")


def test_a_text_looks_into_both_dicts_at_once():
    setup = "from finding import value\nouter, own, got = {'x': 1}, {}, []"
    work = "if own.setdefault('x', 1) and outer.pop('x', 0):\n    pass\ngot.append(value('x', outer, own))"
    agreed({"finding.py": FINDING}, setup, work, "assert got == [1, 1]")


LACKING = (
    "value('len', {'__builtins__': {}})",
    "run('x: int = 1', {})",
    "run('return 1', {})",
    "run('yield 1', {})",
    "run('class C:\\n    x = x', {'x': 1})",
    "run('class C:\\n    len = len', {'len': 1})",
    "run('def f():\\n    global n\\n    return (n := 5)', {})",
    "run('def f():\\n    global n\\n    try: 1 / 0\\n    except Exception as n: pass', {})",
    "run('def f(__globals__): return x', {})",
    "value('x', defaultdict(int), {})",
    "run('def f(): pass', {})['f'].__module__",
    "value('__import__', {})",
    "run('def len(x): return 42', {})",
    "run('class C:\\n    def f(self): return super()', {'super': len})",
    "run('x = ' + '-' * 2000 + '1', {})",
    "run('x = %r' % time.time(), {})",
)


@pytest.mark.parametrize("text", LACKING)
def test_what_a_text_does_otherwise_in_cpython_is_refused(text):
    make_environment("venv", {"finding.py": FINDING})
    with pytest.raises(SourceProblem):
        verify(f"import time\nfrom collections import defaultdict\nfrom finding import run, value\n{text}\n")


def test_texts_are_part_of_what_is_claimed():
    make_environment("venv", {"making.py": MAKING})
    result = threaded(MADE, "pass")
    assert any(name.startswith("texts ") and "def three" in name for name in result.semantics["not_final"])


def test_a_text_that_depends_on_the_schedule_is_found_there():
    text = "def last(n):\n    return eval(f'{n} + 1', {})\n"
    agreed(
        {"counting.py": text},
        "from counting import last\nn = [0]",
        "n[0] = last(n[0])",
        "assert n[0] in (1, 2)",
    )
    racy = threaded("from counting import last\nn = [0]", "n[0] = last(n[0])", "assert n[0] == 2")
    assert racy.verdict is assay.Verdict.VIOLATED


def test_a_class_statement_may_run_more_than_once():
    setup = """
    def make(n):
        class Counter:
            total = 0
            def add(self):
                Counter.total += n
                return super().__repr__
        return Counter
    one, two = make(1), make(10)
    made = [type('T', (), {'n': n}) for n in range(2)]
    assert one is not two and one.__name__ == two.__name__ and one.add is not two.add
    assert [kind.n for kind in made] == [0, 1] and not isinstance(one(), two)
    kinds = []
    for base in (one, two):
        class Derived(base):
            def add(self):
                return super().add()
        kinds.append(Derived)
    lock = threading.Lock()
    """
    work = "with lock:\n    kinds[0]().add()\n    two().add()"
    after = "assert (one.total, two.total, kinds[0].total) == (2, 20, 2)"
    agreed({}, setup, work, after)
    assert threaded(setup, work.replace("with lock", "if True"), after).verdict is assay.Verdict.VIOLATED


LISTING = """
first: int = 1
import math as second
from math import pi
for third in (1,):
    pass
del second
second = 2
names = list(globals())
text = '%(first)s %(third)s' % locals()
formatted = '{first}{second}'.format(**globals())
classes = [name for name, value in globals().items() if isinstance(value, type)]
class Late: pass
found = [value for value in globals().values() if isinstance(value, type)]
keys = globals().keys()
new = 1
is_live = 'new' in keys and len(keys) == len(list(keys)) == len(globals())
try:
    for name in globals():
        newer = 1
except RuntimeError as problem:
    noticed = str(problem)
globals().pop('third')
"""


def test_all_variables_of_a_module_come_in_the_order_of_cpython():
    packages = make_environment("venv", {"listing.py": LISTING})
    ran = subprocess.run(
        [sys.executable, "-c", "import listing; print(listing.names)"],
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=True,
    )
    check = f"""
    import listing
    assert listing.names == {ran.stdout.strip()}, listing.names
    assert listing.text == '1 1' and listing.formatted == '12' and listing.classes == []
    assert listing.is_live and listing.noticed == 'dictionary changed size during iteration'
    assert listing.found == [listing.Late] and not hasattr(listing, 'third')
    """
    agreed({"listing.py": LISTING}, check, "pass")


def test_dates_in_zones_of_the_program_are_kept_with_their_zone():
    setup = """
    from datetime import datetime, timedelta, tzinfo
    class Zone(tzinfo):
        def __init__(self, hours):
            self.hours = hours
        def utcoffset(self, when):
            return timedelta(hours=self.hours)
        def dst(self, when):
            return timedelta(0)
        def tzname(self, when):
            return 'Z'
    east, west = Zone(1), Zone(-1)
    kept = []
    """
    work = "kept.append(datetime(2020, 1, 1, 12, tzinfo=east))"
    after = """
kept.append(datetime(2020, 1, 1, 10, tzinfo=west))
assert kept[0] == kept[1] == kept[2] and kept[0].tzinfo is east and kept[2].astimezone(east) == kept[0]
assert len(set(kept)) == 1 and kept[0].isoformat() == '2020-01-01T12:00:00+01:00'
"""
    agreed({}, setup, work, after)
    assert threaded(setup, work, "assert kept[0].hour == 11").verdict is assay.Verdict.VIOLATED


def test_a_named_tuple_with_room_for_attributes_is_a_value_as_long_as_it_has_none():
    setup = """
    from collections import namedtuple
    class Point(namedtuple('Point', 'x y')):
        def sum(self):
            return self.x + self.y
    kept = []
    """
    agreed({}, setup, "kept.append(Point(1, 2))", "assert kept == [(1, 2)] * 2 and kept[0].sum() == 3")
    with pytest.raises(SourceProblem, match="an instance of Point cannot be part of a state"):
        threaded(setup + "p = Point(1, 2)\n    p.z = 1\n    kept.append(p)\n", "pass")


@pytest.mark.parametrize("store", ["p.z = 1", "object.__setattr__(p, 'z', 1)", "vars(p)['z'] = 1"])
def test_an_attribute_that_a_tuple_gets_later_is_refused_as_no_state_has_it(store):
    """Two variables with one tuple came back with two, and schedules shared that of a final variable."""
    setup = """
    from collections import namedtuple
    class Point(namedtuple('Point', 'x y')):
        pass
    p = Point(1, 2)
    q = [p]
    """
    with pytest.raises(SourceProblem, match="tuple"):
        threaded(setup, f"{store}\nassert hasattr(q[0], 'z')")


def test_a_module_that_is_being_imported_can_be_taken_from_its_package():
    files = {
        "ring/__init__.py": "def __getattr__(name):\n    raise AttributeError(name)\nfrom . import one\n",
        "ring/one.py": "from . import two\nvalue = 1\n",
        "ring/two.py": "from . import one\ndef get():\n    return one.value\n",
    }
    agreed(files, "from ring import two", "assert two.get() == 1")


def test_metaclasses_by_way_of_six():
    files = {"six.py": "def ensure_text(s): pass\n", "kinds.py": KINDS}
    make_environment("venv", files)
    assert is_verified(
        threaded("import kinds", "assert kinds.made == ['A', 'B', 'C']\nassert kinds.B().f() == 1")
    )


def test_a_base_that_six_tells_twice_of_a_class_is_refused():
    make_environment("venv", {"six.py": "def ensure_text(s): pass\n", "telling.py": TELLING})
    for base in ("Told", "Made"):
        with pytest.raises(SourceProblem, match="makes this class twice"):
            threaded(f"from telling import *\n@six.add_metaclass(Meta)\nclass C({base}): pass", "pass")


TELLING = """
import six
told = []
class Meta(type): pass
class Told:
    def __init_subclass__(cls):
        told.append(cls)
class Made(metaclass=Meta): pass
"""


KINDS = """
import six
made = []
class Meta(type):
    def __init__(cls, name, bases, names):
        made.append(name)
        super(Meta, cls).__init__(name, bases, names)
class Base(object):
    def f(self):
        return 1
class A(six.with_metaclass(Meta)): pass
class B(six.with_metaclass(Meta, Base)): pass
@six.add_metaclass(Meta)
class C(Base): pass
assert type(B) is Meta and B.__bases__ == (Base,)
"""


def test_what_is_new_in_typing_extensions_is_there_if_the_installed_version_has_it():
    files = {
        "typing_extensions.py": "def override(f): pass\nclass deprecated: pass\nTypeIs = 1\n",
        "using.py": """
            from typing_extensions import TypeIs, deprecated, override
            try:
                from typing_extensions import Doc
            except ImportError:
                Doc = None
            @deprecated('old')
            def f(x: TypeIs[int]):
                return x
            class C:
                @override
                @classmethod
                def g(cls):
                    return 1
        """,
    }
    make_environment("venv", files)
    assert is_verified(
        threaded("import using", "assert using.f(1) == using.C.g() == 1 and using.Doc is None")
    )


def test_codecs_compute_and_a_handler_of_the_program_is_refused_where_it_is_called():
    files = {
        "coding.py": """
            import codecs
            def handle(problem):
                return ('?', problem.end)
            codecs.register_error('coding.question', handle)
            def encoded(text, errors='strict'):
                return codecs.encode(text, 'ascii', errors)
            mark = codecs.BOM_UTF8
        """
    }
    agreed(files, "import coding", "assert coding.encoded('a') == b'a' and coding.mark == b'\\xef\\xbb\\xbf'")
    with pytest.raises(SourceProblem, match="handler of encoding errors"):
        threaded("import coding", "coding.encoded('\\xe4', 'coding.question')")


def test_functions_that_substitute_may_touch_what_is_shared():
    setup = """
    import re
    assert re.sub('a', str, 'aa', count=-1) == 'aa' and re.sub('a', lambda m: 'b', 'aa', count=-1) == 'aa'
    seen = {}
    kept = []
    lock = threading.Lock()
    def show(match):
        seen[match.group()] = seen.get(match.group(), 0) + 1
        kept.append(match)
        return match.group().upper()
    """
    after = "assert seen == {'a': 2, 'b': 2} and kept[0] != kept[1] and kept[0].string == 'ab-'"
    agreed({}, setup, "with lock:\n    assert re.sub('[ab]', show, 'ab-') == 'AB-'", after)
    assert threaded(setup, "re.sub('[ab]', show, 'ab-')", after).verdict is assay.Verdict.VIOLATED


def test_a_module_of_a_package_that_is_not_compiled_can_be_taken_from_one_that_is():
    files = {
        "using.py": """
            from urllib import parse, request
            from importlib import abc, util
            import urllib.request
            quoted = parse.quote('a b')
            is_used = urllib.request is request
        """
    }
    agreed(files, "import using", "assert using.quoted == 'a%20b' and using.is_used")


def test_what_pickle_makes_of_one_object_or_two_is_refused():
    setup = "import pickle\na, b = ''.join(['x', 'y']), ''.join(['x', 'y'])"
    agreed({}, setup, "assert pickle.dumps((a, 1, b'xy', (2,))) == pickle.dumps((b, 1, b'xy', (2,)))")
    with pytest.raises(SourceProblem, match="whether they are one object"):
        threaded(setup, "pickle.dumps((a, b))")


@pytest.mark.parametrize("asked", ["os.getcwd()", "platform.architecture()", "platform.system()"])
def test_what_is_fixed_about_the_machine_is_said(asked):
    result = verify(f"import os, platform\nassert {asked}\n")
    assert any("is taken for" in note for note in result.notes), result.notes


def test_a_class_that_a_metaclass_is_called_for_belongs_to_the_module_that_calls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(
        "class Meta(type):\n    pass\nBase = Meta('Base', (), {})\n"
        "assert Base.__module__ == __name__ == '__main__'\n"
    )
    assert assay.verify("program.py").verdict is assay.Verdict.VERIFIED


def test_a_module_that_is_half_made_gives_what_it_has_and_later_what_it_lists():
    files = {
        "ring/__init__.py": "early = 1\nfrom ring.core import *\n"
        "__all__ = ['made'] + [x for x in ['late']]\nlate = 2\n",
        "ring/core.py": "from ring import *\nmade = early\n",
        "circle/__init__.py": "early = 1\nfrom circle.core import *\n__all__ = ['made', 'late']\nlate = 2\n",
        "circle/core.py": "from circle import *\nmade = early\n",
    }
    for name in ("ring", "circle"):
        check = f"from {name} import *\nassert (made, late) == (1, 2) and 'early' not in globals()"
        make_environment("venv", {**files, "checking.py": check})
        agreed({}, "import checking", "assert checking.made == 1")


def test_whether_a_class_is_abstract_can_be_asked_while_it_is_made():
    asking = """
        import abc, inspect
        told = []
        class Base(abc.ABC):
            def __init_subclass__(cls):
                told.append((cls.__name__, inspect.isabstract(cls)))
            @abc.abstractmethod
            def f(self): ...
        class Still(Base): ...
        class Done(Base):
            def f(self): ...
        class More(Done):
            @abc.abstractmethod
            def g(self): ...
        told += [inspect.isabstract(kind) for kind in (Base, Still, Done, More, int)]
    """
    expected = "[('Still', True), ('Done', False), ('More', True), True, True, False, True, False]"
    agreed({"asking.py": asking}, "import asking", f"assert asking.told == {expected}")


HASHED = """
class Key(list):
    __slots__ = ('number',)
    def __init__(self, items, number):
        super().__init__(items)
        self.number = number
    def __hash__(self):
        return self.number
key, found, lock = Key([1], 1), {}, threading.Lock()
"""


def test_a_key_may_be_hashed_by_what_nobody_changes_meanwhile():
    work = "with lock:\n    found[key] = found.get(key, 0) + 1"
    agreed({}, HASHED, work, "assert found[key] == 2")
    racy = threaded(HASHED, work.replace("with lock", "if True"), "assert found[key] == 2")
    assert racy.verdict is assay.Verdict.VIOLATED
    with pytest.raises(SourceProblem, match="reads what another thread changes at the same time"):
        threaded(HASHED, "key.number += 1\nfound.get(key)")


RECORDS = """
import threading
from dataclasses import dataclass
@dataclass
class Player:
    name: str
    points: int = 0
players = [Player("a"), Player("b"), Player("c")]
table = {one.name: one for one in players}
"""


@pytest.mark.parametrize(
    "look",
    [
        "assert 'a' in table and 1 not in table",
        "assert len(players + players) == 2 * len(players) and (players[0], 1) + (2,)",
        "assert [players[0]] * 2",
        "mine = [players[0]]\nmine += players",
        "assert len(sorted(players, key=lambda one: (-one.points, one.name))) == 3",
    ],
)
def test_records_are_moved_and_looked_up_by_plain_keys_while_others_change_them(look):
    """Nobody compares them, so that it does not matter what they hold."""
    assert is_verified(threaded(RECORDS, f"players[0].points += 1\n{look}"))


def test_texts_of_html_and_http_are_those_of_cpython():
    using = """
        import asyncio, html, html.entities, http.client, os.path
        from html.parser import HTMLParser
        lock, ready = asyncio.Lock(), asyncio.Event()
        assert http.client.responses[404] == 'Not Found' and html.entities.name2codepoint['amp'] == 38
        assert html.escape('<a>') == '&lt;a&gt;' and html.unescape('&lt;&#33;&amp;') == '<!&'
        class Tags(HTMLParser):
            def __init__(self):
                super().__init__()
                self.tags = []
            def handle_starttag(self, tag, attributes):
                self.tags.append((tag, attributes))
        def tags(text):
            parser = Tags()
            parser.feed(text)
            return parser.tags
    """
    work = "assert using.tags('<b>x &amp; y</b><i a=\"1\">') == [('b', []), ('i', [('a', '1')])]"
    agreed({"using.py": using}, "import using", work)
    with pytest.raises(SourceProblem, match="for coroutines is not modelled"):
        threaded("import using", "using.lock.locked()")
    with pytest.raises(SourceProblem, match="is given here is not modelled"):
        threaded("import asyncio", "asyncio.Semaphore(-1)")  # CPython raises


def test_files_outside_of_packages_may_be_there_or_not_and_the_verdict_says_so():
    looking = "import os\ndef there(path):\n    return os.path.exists(path)\n"
    make_environment("venv", {"looking.py": looking})
    result = threaded(
        "import looking", "assert looking.there('/etc/some') in (True, False) and looking.there('/')"
    )
    assert is_verified(result)
    assert any("may be missing, a file or a folder" in note for note in result.notes)
    for wrong in ("assert not looking.there('/etc/passwd')", "assert looking.there('/etc/passwd')"):
        assert threaded("import looking", wrong).verdict == "violated"
    make_environment("venv", {"looking.py": "text = open('/etc/hostname').read()\n"})
    with pytest.raises(SourceProblem, match="outside of the packages"):
        threaded("import looking", "pass")


def test_the_registry_of_windows_is_missing_in_six_as_well():
    files = {
        "six.py": "def ensure_text(s): pass\n",
        "zones.py": "try:\n    from six.moves import winreg\nexcept ImportError:\n    winreg = None\n",
    }
    make_environment("venv", files)
    assert is_verified(threaded("import zones", "assert zones.winreg is None"))


MOVED_BY_SIX = {
    "six.py": "def ensure_text(s): pass\n",
    "moved.py": """
        import six.moves.html_entities as entities
        from six.moves import UserList, cPickle, cStringIO as Text, queue, range, shlex_quote, urllib
        from six.moves.collections_abc import Mapping
        from six.moves.http_client import OK
        from six.moves.urllib import parse
        from six.moves.urllib.parse import unquote_to_bytes
        def late():
            from six.moves import configparser, reduce
            return configparser.ConfigParser is not None and reduce(max, [1, 2]) == 2
        """,
}


def test_what_six_moved_is_where_python_3_has_it():
    make_environment("venv", MOVED_BY_SIX)
    work = """
    assert isinstance({}, moved.Mapping) and moved.OK == 200 and moved.parse.unquote('/a%20b') == '/a b'
    assert moved.shlex_quote('a b') == "'a b'" and list(moved.range(2)) == list(moved.UserList([0, 1]))
    assert moved.Text('a').read() == 'a' and moved.unquote_to_bytes('a%20b') == b'a b'
    assert moved.entities.name2codepoint['amp'] == 38 and moved.queue.Queue().empty() and moved.late()
    """
    assert is_verified(threaded("import moved\nimport configparser", work))
    del MOVED_BY_SIX["six.py"]
    make_environment("without", MOVED_BY_SIX)
    Path("program.py").write_text(
        "try:\n    import moved\nexcept ImportError:\n    moved = None\nassert not moved\n"
    )
    assert is_verified(assay.verify("program.py", python="without"))


def test_only_the_main_thread_is_given_a_loop_for_coroutines():
    setup = """
    import asyncio
    assert not asyncio.get_event_loop().is_running() and asyncio.get_event_loop() is asyncio.get_event_loop()
    """
    work = """
    try:
        asyncio.get_event_loop()
    except RuntimeError as problem:
        assert threading.current_thread().name in str(problem)
    else:
        assert False
    """
    agreed({}, setup, work)
    with pytest.raises(SourceProblem, match="loop for coroutines"):
        threaded("import asyncio", "pass", "asyncio.get_event_loop().call_soon(print)")


LOOKED_AT = """
from dataclasses import dataclass
class Point:
    __slots__ = ['x', 'y']
    def get(self, name):
        return getattr(self, name, 0) if name in self.__slots__ else None
@dataclass
class Pair:
    a: int = 1
    b: int = 2
point, pair, got = Point(), Pair(), []
"""


def test_slots_and_fields_of_classes_can_be_looked_at_and_not_be_changed():
    work = """
    got.append(point.get('x'))
    assert list(Point.__slots__) == point.__slots__ == ['x', 'y']
    assert {name: getattr(pair, name) for name in pair.__dataclass_fields__} == {'a': 1, 'b': 2}
    assert [field.default for field in Pair.__dataclass_fields__.values()] == [1, 2]
    assert isinstance(Pair.__dataclass_fields__, dict) and isinstance(Point.__slots__, list)
    """
    agreed({}, LOOKED_AT, work, "assert got == [0, 0]")
    for change in ("Point.__slots__.append('z')", "Pair.__dataclass_fields__.pop('a')"):
        with pytest.raises(SourceProblem, match="changing __"):
            threaded(LOOKED_AT, change)


def test_a_metaclass_that_says_of_which_module_its_classes_are_is_refused():
    """What names classes asked it, which asked for the name of the class, and so on."""
    text = """
    class Meta(type):
        @property
        def __module__(cls):
            return cls.home
    class Plain(metaclass=Meta):
        home = 'kind'
    assert Plain.__module__ == 'kind'
    """
    with pytest.raises(SourceProblem, match="a metaclass says by a property"):
        threaded(text, "pass")


def test_names_of_a_class_body_are_stored_once():
    naming = """
        told = []
        class Names(dict):
            def __getitem__(self, key):
                told.append('get ' + key)
                return super().__getitem__(key)
            def __setitem__(self, key, value):
                told.append(key)
                super().__setitem__(key, value)
        class Meta(type):
            @classmethod
            def __prepare__(cls, name, bases):
                return Names()
        class Kind(metaclass=Meta):
            x = 1
            def __new__(cls):
                return super().__new__(cls)
            def __init_subclass__(cls): ...
        assert isinstance(Kind(), Kind)
    """
    stored = "['__module__', '__qualname__', 'x', '__new__', '__init_subclass__', '__classcell__']"
    work = f"assert [name for name in naming.told if name[:3] != 'get'] == {stored}, naming.told"
    agreed({"naming.py": naming}, "import naming", work)


def test_a_counterexample_names_the_files_of_packages_in_its_sentence_and_rows():
    taking = "class Stack:\n    def __init__(self):\n        self.items = [1]\n    def take(self):\n"
    taking += "        if self.items:\n            self.items.pop()\n"
    make_environment("venv", {"taking.py": taking})
    threaded("import taking\nstack = taking.Stack()", "stack.take()")
    command = [Path(sys.executable).with_name("assay"), "verify", "program.py", "--python", "venv"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    sentence = ran.stdout.split("\n\n")[1].splitlines()[0]
    assert "line 6 of taking.py" in sentence, sentence
    assert sentence.count("line") == sentence.count("of taking.py"), sentence
    assert "taking.py:6" in ran.stdout


def test_properties_with_names_that_types_have_are_entries_of_a_class():
    """As proxies have them. What `type` does with the name stopped the machine."""
    setup = """
    class Meta(type):
        def __new__(cls, name, bases, names):
            names['__module__'] = property(lambda self: 'elsewhere')
            return type.__new__(cls, name, bases, names)

    class Proxy(Meta('Base', (), {})):
        __slots__ = ('__factory__', '__target__')

        def __init__(self, factory):
            object.__setattr__(self, '__factory__', factory)

        @property
        def __wrapped__(self, __get=object.__getattribute__, __set=object.__setattr__):
            try:
                return __get(self, '__target__')
            except AttributeError:
                target = __get(self, '__factory__')()
                __set(self, '__target__', target)
                return target

        @property
        def __class__(self):
            return self.__wrapped__.__class__

        @__class__.setter
        def __class__(self, value):
            self.__wrapped__.__class__ = value

        @property
        def __name__(self):
            return 'proxy'

        def __len__(self):
            return len(self.__wrapped__)

    lazy = Proxy(lambda: [1, 2, 3])
    """
    agreed({}, setup, "assert len(lazy) == 3", "assert lazy.__class__ is list and lazy.__name__ == 'proxy'")


def test_a_hint_that_is_a_union_with_something_absent_can_be_written():
    files = {
        "hints.py": """
        import contextlib
        import typing
        Some = object | typing.Any
        Kind = typing.TypeVar("Kind")
        Maker = Some | contextlib.AbstractContextManager[Some] | contextlib.AbstractAsyncContextManager[Some]
        Other = Kind | contextlib.AbstractAsyncContextManager

        @contextlib.asynccontextmanager
        async def connection():
            yield 3

        def make():
            return 1
        """
    }
    agreed(files, "import hints", "assert hints.make() == 1")
    with pytest.raises(SourceProblem, match="asynchronous context managers are not modelled"):
        threaded("import hints", "hints.connection()")


def test_a_class_of_the_machine_with_a_metaclass_of_its_own_conflicts_with_no_other():
    text = "import datetime\nclass Meta(type): pass\nclass Day(datetime.date, metaclass=Meta): pass"
    make_environment("venv", {})
    with pytest.raises(SourceProblem, match="the metaclass of a class derived from date, which has another"):
        threaded(text, "pass")


HINTS = """
class Out: pass
class Other: pass
class A:
    class Inner: pass
    Out = int
    x: "Inner"
    y: "Out"
    w: None
def f(a: "Out", b: "list[Out]", c: "Literal['a b']") -> "None": pass
Names = {"Out": Other, "Literal": Literal}
"""
LOOKED_UP = """
assert get_type_hints(A)["x"] is A.Inner and get_type_hints(A)["y"] is Out
assert get_type_hints(A)["w"] is type(None)
assert get_type_hints(f)["a"] is Out and get_type_hints(f)["b"] == list[Out]
assert get_type_hints(f, Names)["a"] is Other and get_type_hints(f, None, {"Out": Other})["b"] == list[Other]
assert get_type_hints(f, {"Out": A, "Literal": Literal}, {"Out": Other})["a"] is Other
assert get_type_hints(A, {"Out": Other})["x"] is A.Inner and get_type_hints(A, {"Out": Other})["y"] is int
assert get_type_hints(A, None, {"Out": Other, "Inner": str})["y"] is Other
"""


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_hints_are_looked_up_where_cpython_does(future):
    """In the class, where the module has no such name; in what the caller gives; in texts within texts."""
    files = {"hinted.py": f"{future}from typing import Literal, get_type_hints\n{HINTS}\ndef look():\n"
             + textwrap.indent(LOOKED_UP, "    ")}  # fmt: skip
    agreed(files, "import hinted", "hinted.look()")


def test_what_cpython_has_in_several_modules_is_one_thing():
    """What stands for it in the machine is the same, whatever module it is taken from."""
    setup = """
    import _functools, functools, socket, _weakref, weakref
    assert _functools.partial is functools.partial and _weakref.ref is weakref.ref
    assert _functools.partial is not weakref.ref and socket.timeout is TimeoutError
    """
    agreed({}, setup, "pass")
    text = "import io, _io\ntry:\n    io.StringIO().fileno()\nexcept _io.UnsupportedOperation:\n    pass"
    with pytest.raises(SourceProblem, match="the program catches _io"):
        threaded(text, "pass")


WRITTEN_BESIDE = {
    "noted/__init__.py": """
        from importlib.metadata import PackageNotFoundError, distribution, metadata, requires, version
        def look():
            assert version("noted") == distribution("Noted").version == "1.0-post2"
            found = metadata("noted")
            assert found["name"] == "noted" and found.get("Summary", "") == "One line:\\nand\\n  another"
            assert found.get_all("Classifier") == ["A", "B"] and found["missing"] is None
            assert "License" not in found and "NAME" in found
            assert found["Description"] == "# Noted\\n\\nHeaders: none\\n", found["Description"]
            assert found.keys()[:2] == list(found)[:2] == ["Metadata-Version", "Name"] and len(found) == 8
            assert requires("noted") == ["six>=1"] and distribution("noted").name == "noted"
            assert [point.name for point in distribution("noted").entry_points] == ["say"]
            assert distribution("noted").read_text("nothing.txt") is None
            assert distribution("noted").locate_file("noted/__init__.py").name == "__init__.py"
            for ask in (distribution, metadata, version, requires):
                try:
                    ask("nobody-has-this")
                except PackageNotFoundError as error:
                    assert error.name == "nobody-has-this"
                else:
                    raise SystemExit(1)
        """,
    "noted-1.0.post2.dist-info/METADATA": "Metadata-Version: 2.1\nName: noted\nVersion: 1.0-post2\n"
    "Summary: One line:\n        and\n          another\nClassifier: A\nClassifier: B\n"
    "Requires-Dist: six>=1\n\n# Noted\n\nHeaders: none\n",
    "noted-1.0.post2.dist-info/entry_points.txt": "[console_scripts]\nsay = noted:look\n",
}


def test_what_is_written_beside_a_package_can_be_read():
    agreed(WRITTEN_BESIDE, "import noted\nnoted.look()", "pass")
    with pytest.raises(SourceProblem, match="the list of the files of a package is not modelled"):
        threaded("from importlib.metadata import distribution\ndistribution('noted').files", "pass")


def test_a_module_that_nobody_could_have_imported_is_not_among_those_that_are():
    files = {
        "asking.py": """
            import sys
            def look():
                assert sys.modules.get("no_such_module") is None and "no_such_module.part" not in sys.modules
                assert sys.modules["asking"].look is look and "asking" in sys.modules
                try:
                    sys.modules["no_such_module"]
                except KeyError as error:
                    assert error.args == ("no_such_module",)
                else:
                    raise SystemExit(1)
            """,
        "neighbour.py": "",
    }
    agreed(files, "import asking", "asking.look()")
    for name in ("neighbour", "xml.dom"):  # might be imported by somebody whom the machine does not see
        with pytest.raises(SourceProblem, match=f"whether CPython has imported the module '{name}'"):
            threaded("import sys", f"assert {name!r} not in sys.modules")


def test_the_globals_of_a_function_are_the_variables_of_its_module():
    files = {
        "varying.py": """
            level = 1
            class Kind:
                def method(self):
                    return level
            def function():
                return level
            """
    }
    work = """
    names = varying.function.__globals__
    assert names['level'] in (1, 2) and names.get('nothing') is None and 'Kind' in names
    assert varying.Kind().method.__globals__['function'] is varying.function
    assert varying.Kind.method.__globals__['__name__'] == 'varying'
    names['level'] = 2
    assert varying.function() == 2
    """
    agreed(files, "import varying", work, "assert varying.level == 2")
    counting = "varying.function.__globals__['level'] = varying.function() + 1"
    assert threaded("import varying", counting, "assert varying.level == 3").verdict is assay.Verdict.VIOLATED


def test_the_hash_of_a_dataclass_with_slots_is_that_of_its_fields():
    setup = """
    from dataclasses import dataclass
    @dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: str
    @dataclass(frozen=True, slots=True)
    class Named(Point):
        name: tuple = ()
    @dataclass(frozen=True)
    class Mixed(Point):
        z: int = 0
    class Plain: pass
    known = {}
    """
    work = """
    assert hash(Point(1, 'a')) == hash((1, 'a')) and hash(Named(1, 'a', (2,))) == hash((1, 'a', (2,)))
    assert hash(Mixed(1, 'a', 3)) == hash((1, 'a', 3))
    known[Point(1, 'a')] = 1
    """
    agreed({}, setup, work, "assert known == {Point(1, 'a'): 1}")
    for made in (
        "Point(1, Plain())",
        "Named(1, 'a', (Plain(),))",
        "Mixed(1, 'a', Plain())",
        "Mixed(Plain(), 'a')",
    ):
        with pytest.raises(SourceProblem, match="is an address"):
            threaded(setup, f"assert hash({made}) > 0")


def test_all_built_ins_can_be_had_by_their_names():
    setup = """
    import builtins
    from collections.abc import Hashable
    names = {value: key for key, value in builtins.__dict__.items() if isinstance(value, Hashable)}
    assert names[len] == 'len' and names[ValueError] == 'ValueError' and names[None] == 'None'
    assert [name for name in builtins.__dict__ if name in ('abs', 'eval', 'quit', 'zip')] == list(
        name for name in builtins.__dict__.keys() if name in ('abs', 'eval', 'quit', 'zip'))
    assert 'open' in builtins.__dict__ and builtins.__dict__['len'] is len
    """
    agreed({}, setup, "assert names[sum] == 'sum'")


def test_a_weak_reference_that_is_nobody_elses_has_an_identity():
    """CPython gives one reference to all who ask without a callback; each other one is new."""
    setup = """
    import weakref
    class Heard:
        def hear(self):
            pass
    class Kept(weakref.ref):
        pass
    heard, known = Heard(), {}
    one, other = weakref.ref(heard, print), weakref.ref(heard, print)
    kept, bound = Kept(heard), weakref.WeakMethod(heard.hear)
    assert one is not other and one == other and kept is not Kept(heard) and one is one
    for reference in (one, other, kept, bound):
        known[id(reference)] = reference
    """
    agreed({}, setup, "assert len(known) == 4 and known[id(one)] is one and known[id(kept)] is not kept()")
    for use in ("id(weakref.ref(heard))", "weakref.ref(heard) is weakref.ref(heard)"):
        with pytest.raises(SourceProblem, match="weak reference"):
            threaded(setup, use)


def test_clocks_can_be_rounded_to_integers():
    setup = """
    import math, time
    end = time.monotonic() + 5
    """
    work = """
    left = end - time.monotonic()
    if left > 0:
        assert math.ceil(left) >= 0 and math.floor(left) >= 0 and math.trunc(left) >= 0
        range(3)[0] if math.ceil(left) < 1 else None
    """
    agreed({}, setup, work)
    with pytest.raises(SourceProblem, match="needs the value of"):
        threaded(setup, "range(math.ceil(end))")


def test_what_packages_derive_from_and_make_while_they_are_imported():
    files = {
        "deriving.py": """
            import contextlib, glob, logging, os
            class Both(contextlib.AbstractContextManager, contextlib.AbstractAsyncContextManager):
                def __exit__(self, *more):
                    return None
                async def __aexit__(self, *more):
                    return None
            class Half(contextlib.AbstractAsyncContextManager): pass
            logging.getLogger('deriving').addHandler(logging._StderrHandler(logging.ERROR))
            assert os.O_RDONLY | os.O_CREAT == 64 and os.EX_OK == 0 and glob.escape('a*') == 'a[*]'
            """
    }
    work = """
    with deriving.Both() as entered:
        assert isinstance(entered, deriving.Both)
    try:
        deriving.Half()
    except TypeError as error:
        assert '__aexit__' in str(error)
    else:
        raise SystemExit(1)
    """
    agreed(files, "import deriving", work)
    with pytest.raises(SourceProblem, match="asynchronous context managers are not modelled"):
        threaded("import deriving", "deriving.Both().__aenter__()")


def test_a_text_may_be_run_with_variables_that_are_not_modelled():
    files = {
        "running.py": """
            import socket
            variables = {'socket': socket.socket, 'one': 1}
            exec('def get(): return one\\n', variables)
            assert eval('one + 1', variables) == 2
            """
    }
    agreed(files, "import running", "assert running.variables['get']() == 1")
    ordered = "from collections import OrderedDict\nexec('one = 1', OrderedDict())"
    make_environment("venv", {"running.py": ordered})
    with pytest.raises(SourceProblem, match="globals of a class derived from dict"):
        threaded("import running", "pass")


PATHS = {
    "outer/__init__.py": """
        __path__ = __import__('pkgutil').extend_path(__path__, __name__)
        folders = [one.rpartition('/')[2] for one in __path__]
        """,
    "outer/inner.py": "def path():\n    return __path__\n",
    "empty/__init__.py": "",
}


def test_what_the_import_gives_to_modules_is_there():
    work = """
    assert outer.folders == ['outer'] and len(empty.__path__) == 1 and hasattr(empty, '__path__')
    assert not hasattr(outer.inner, '__path__') and outer.inner.__spec__ is not None
    assert outer.inner.__loader__ is not None and outer.inner.__package__ == 'outer'
    try:
        outer.inner.path()
    except NameError:
        pass
    else:
        raise SystemExit(1)
    """
    agreed(PATHS, "import outer.inner, empty", work)
    for name in ("__cached__", "__spec__.name", "__builtins__"):
        with pytest.raises(SourceProblem, match="not modelled"):
            threaded("import outer", f"outer.{name}")


FINALIZED = {
    "finalized.py": """
        ended = []
        class Pool:
            def __init__(self, size=1):
                self.size = size
            def __del__(self):
                ended.append(self.size)
        class Derived(Pool):
            pass
        class Alone:
            made = None
            def __new__(cls):
                if cls.made is None:
                    cls.made = super().__new__(cls)
                return cls.made
            def __del__(self):
                pass
        """
}


def test_a_class_may_have_a_finalizer_while_its_instances_live():
    make_environment("venv", FINALIZED)
    setup = "import finalized\npool, other, alone = finalized.Pool(2), finalized.Derived(), finalized.Alone()"
    work = "assert pool.size == 2 and other.size == 1 and finalized.Alone() is alone and not finalized.ended"
    result = threaded(setup, work)
    assert is_verified(result)
    assert any("Pool, which has a __del__" in note for note in result.notes)
    counting = threaded(setup, "pool.size += 1", "assert pool.size == 4")
    assert counting.verdict is assay.Verdict.VIOLATED


ENDS = (
    ("pool = finalized.Pool()\npool = None\nassert finalized.ended", "pass"),
    ("pool = finalized.Pool()\ndel pool\nassert not finalized.ended", "pass"),
    ("", "finalized.Pool()"),
    ("", "pool = finalized.Pool()\nassert not finalized.ended"),
    ("import copy\npool = finalized.Pool()\nother = copy.copy(pool)", "pass"),
    ("pool = object.__new__(finalized.Pool)", "pass"),
    ("pools = [finalized.Pool()]", "pools.clear()"),
    ("import weakref\nseen = []\nclass C: pass\nkept = C()\n"
     "heard = weakref.ref(kept, seen.append)\ndel kept\nassert seen", "pass"),
    ("import weakref\nseen = []\nclass C: pass\nkept = C()\n"
     "weakref.finalize(kept, seen.append, 1)\nkept = None\nassert seen", "pass"),
)  # fmt: skip


@pytest.mark.parametrize(("setup", "work"), ENDS)
def test_no_verdict_speaks_of_a_program_in_which_something_with_an_end_goes_away(setup, work):
    """Neither a violation in the step in which it goes, nor a verified program."""
    make_environment("venv", FINALIZED)
    with pytest.raises(SourceProblem, match="__del__"):
        threaded(f"import finalized\n{setup}", work)


def test_large_random_numbers_are_ones_that_nobody_knows():
    setup = """
    import itertools, random
    numbers = itertools.count(random.getrandbits(24))
    """
    work = """
    assert 0 <= random.randint(1, 10**9) - 1 and random.randrange(0, 1000) < 1000
    assert random.getrandbits(64) >= 0 and next(numbers) >= 0
    """
    assert is_verified(threaded(setup, work))
    for use in ("str(random.getrandbits(64))", "{random.randint(0, 100): 1}", "[1][random.randrange(100)]"):
        with pytest.raises(SourceProblem, match="needs the value of random"):
            threaded(setup, use)
    with pytest.raises(SourceProblem, match="with a step"):
        threaded(setup, "random.randrange(0, 1000, 10)")


def test_what_packages_ask_of_their_surroundings_while_they_are_imported():
    files = {
        "asking.py": """
            import json, multiprocessing, os, random, socket
            Process = multiprocessing.get_context('fork').Process
            decoder = json.JSONDecoder()
            here = os.stat(__file__)
            assert os.access(__file__, os.R_OK) and not os.access(__file__ + '.no', os.R_OK)
            assert here.st_mtime >= 0
            assert multiprocessing.get_start_method() == 'fork'
            """
    }
    agreed(files, "import asking", "assert asking.decoder.decode('[1, NaN]')[0] == 1")
    with pytest.raises(SourceProblem, match="processes are not modelled"):
        threaded("import asking", "asking.Process()")
    result = threaded("import socket\nassert not socket.has_ipv6", "pass")
    assert is_verified(result)
    assert any("IPv6" in note for note in result.notes)


DEFAULTED = {
    "typing_extensions.py": "def override(): pass\nclass TypeVar: pass\nNoDefault = None\n",
    "generic.py": """
        from typing import Generic
        from typing_extensions import TypeVar
        K = TypeVar("K", default=str)
        V = TypeVar("V", bound=object, default=int)
        class Table(Generic[K, V]):
            pass
        Known = Table[int, str]
        def short():
            return Table[int]
        """,
}


def test_variables_of_types_may_have_defaults():
    make_environment("venv", DEFAULTED)
    assert is_verified(threaded("import generic", "assert generic.Table() is not None"))
    for use in ("generic.short()", "generic.K.__default__", "generic.K.has_default()"):
        with pytest.raises(SourceProblem, match="default"):
            threaded("import generic", use)


def test_what_waits_for_the_end_of_an_object_can_be_called_once():
    setup = """
    import weakref
    class Kept:
        pass
    kept, seen = Kept(), []
    ends = weakref.finalize(kept, seen.append, 1)
    ends.atexit = False
    other = weakref.finalize(kept, seen.append, 2)
    other.atexit = False
    """
    work = """
    ends()
    found = other.peek()
    assert found is None or found[0] is kept and found[2] == (2,)
    other.detach()
    """
    agreed({}, setup, work, "assert seen == [1] and not ends.alive and other() is None and not other.atexit")
