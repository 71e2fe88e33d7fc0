"""Packages and modules that a program imports: found where its environment is, used or not used.

The packages are made here, in folders like those that `pip` fills; `python -m tests.python.packages` tries
real ones.
"""

from __future__ import annotations

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
    "late.py": "async def wait():\n    pass\ndef bad():\n    return eval('1')\nclass Closes:\n"
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
    with pytest.raises(SourceProblem, match="annotations of functions are not modelled"):
        verify("import inspect\ndef f(x: int): pass\ninspect.signature(f).parameters['x'].annotation\n")


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
