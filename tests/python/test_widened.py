"""What is modelled only in part of `__dict__`, weak references, signatures and absent things."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.transition_system.interface import SourceProblem
from tests.python.test_packages import COUNTER, is_verified, make_environment, threaded, verify

OBJECT = "class C:\n    pass\nc = C()\nc.a = 1\n"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_environment("venv", {})


REFUSED = (
    # Views of a __dict__
    (OBJECT + "for k in c.__dict__.keys():\n    c.b = 2", "attributes of an object change while"),
    (OBJECT + "for k in c.__dict__:\n    c.a = 2", "attributes of an object change while"),
    (OBJECT + "c.__dict__.keys() & {'a'}", "use of a view of a __dict__"),
    (OBJECT + "c.__dict__.items() == 1", "use of a view of a __dict__"),
    (OBJECT + "repr(c.__dict__.values())", "use of a view of a __dict__"),
    # Annotations
    ("import inspect\ndef f(x): pass\ninspect.signature(f).parameters['y'] = 1", "not modelled"),
    # Weak references
    (OBJECT + "import weakref\nweakref.ref(c) is weakref.ref(c)", "`is` between weak references"),
    (OBJECT + "import weakref\nid(weakref.ref(c))", r"id\(\) of a weak reference"),
    (OBJECT + "import weakref\nr = weakref.ref(c, print)\ndel c", "nothing but weak references"),
    (OBJECT + "import weakref\nr = weakref.ref(c, print)\ndel c\ndel r", "nothing but weak references"),
    (OBJECT + "id(C()) == id(C())", "nothing but weak references"),
    (OBJECT + "d = {id(C()): 1}", "nothing but weak references"),
    # The interpreter's surroundings
    ("import sys\nassert sys.prefix == '/usr'", "sys.prefix"),
    ("import sys\nprint(sys.base_prefix)", "sys.base_prefix"),
    # What stands for something absent must not show
    ("import socket\n''.join([socket.socket])", "not modelled"),
    ("import socket\ntry:\n    'a'.startswith(socket.socket)\nexcept TypeError:\n    pass", "not modelled"),
    ("import socket\nformat(socket.socket, 'x')", "not modelled"),
    ("import socket\nsocket.socket in 'abc'", "not modelled"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_not_exact_is_refused(text, why):
    with pytest.raises(SourceProblem, match=why):
        verify(f"{text}\ndef work():\n    pass\nthreading.Thread(target=work).start()\n")


EXACT = (
    OBJECT + "k = c.__dict__.keys()\nc.b = 2\nassert list(k) == ['a', 'b'] and len(k) == 2 and 'b' in k",
    OBJECT + "assert sorted(c.__dict__.items()) == [('a', 1)] and list(c.__dict__.values()) == [1]",
    OBJECT + "d = c.__dict__.copy()\nc.b = 2\nassert d == {'a': 1} and c.__dict__ == {'a': 1, 'b': 2}",
    "import inspect\ndef f(x, y=1): pass\np = inspect.signature(f).parameters\n"
    "assert list(p) == ['x', 'y'] and p['y'].default == 1 and len(p) == 2 and 'x' in p",
    OBJECT + "import weakref\nr = weakref.ref(c)\nassert r is r and r == weakref.ref(c) and r() is c",
    OBJECT + "d = C()\nassert id(c) == id(c) and id(c) != id(d) and {id(c): 1}[id(c)] == 1",
    OBJECT + "import weakref\nr = weakref.ref(c, print)\nassert r() is c and r.__callback__ is print",
    OBJECT + "vars(c)['b'] = 2\nassert c.b == 2 and vars(c) == {'a': 1, 'b': 2}",
    "class S:\n    __slots__ = ()\nseen = []\n"
    "for thing in (5, S(), [], 'a'):\n    try:\n        vars(thing)\n"
    "    except TypeError as problem:\n        seen.append(str(problem))\n"
    "assert seen == ['vars() argument must have __dict__ attribute'] * 4",
    "import math\nassert vars(math)['pi'] == math.pi and 'sin' in vars(math)",
    "class C:\n    x = 1\n    def f(self): pass\n"
    "assert [n for n in C.__dict__ if n[:2] != '__'] == ['x', 'f'] and 'y' not in vars(C)",
    "import types\nd = {'a': [1]}\np = types.MappingProxyType(d)\nd['b'] = 2\n"
    "class C:\n    table = types.MappingProxyType({1: 2})\n"
    "assert p['b'] == 2 and list(p) == ['a', 'b'] and C.table[1] == 2 and p['a'] is d['a']",
    "import typing\nA = typing.Dict[str, typing.Optional[int]]\nU = typing.Union[int, str]\n"
    "assert A == typing.Dict[str, typing.Optional[int]] and U != A\n"
    "assert typing.Literal[1] != typing.Literal[True]",
    "import enum\nclass S(enum.Enum):\n    UNSET = object()\nassert S.UNSET is S.UNSET",
    "import abc\nclass M(abc.ABCMeta):\n    def __new__(mcs, name, bases, names):\n"
    "        made = super().__new__(mcs, name, bases, names)\n        made.seen = name\n        return made\n"
    "class A(metaclass=M):\n    @abc.abstractmethod\n    def f(self): pass\n"
    "class B(A):\n    def f(self): return 1\n"
    "assert B.seen == 'B' and A.seen == 'A' and B().f() == 1 and isinstance(B(), A)",
    "import functools\ndef g(x, y=2): return x\n"
    "@functools.wraps(g, functools.WRAPPER_ASSIGNMENTS + ('__defaults__', '__kwdefaults__'))\n"
    "def f(*a, **k): return g(*a, **k)\n"
    "assert f.__defaults__ == (2,) and f.__kwdefaults__ is None and f(3) == 3",
    "def f(): pass\ndef g(): 'g'\nf.x = 1\nf.__name__ = 'other'\ng.__dict__.update(f.__dict__)\n"
    "assert g.x == 1 and f.__dict__ == {'x': 1} and g.__name__ == 'g' and vars(g) == {'x': 1}",
    "import inspect\nclass C:\n    @staticmethod\n    def s(): pass\n    @property\n    def p(self): pass\n"
    "c = C()\nc.x = 1\nfind = inspect.getattr_static\n"
    "assert find(c, 'x') == 1 and find(c, 'nothing', 5) == 5 and isinstance(find(c, 's'), staticmethod)\n"
    "assert isinstance(find(C, 'p'), property)",
    "import functools\nassert hasattr(functools.partial, 'func')\n"
    "assert not isinstance(functools.partial.args, tuple)",
    "import sys\nassert sys.modules[__name__].__name__ == __name__\nassert sys.flags.optimize == 0",
    "import builtins\nassert builtins.len([1]) == 1 and builtins.object is object",
    "import ast\nassert ast.literal_eval('[1, (2,)]') == [1, (2,)]",
    "import importlib\nassert importlib.import_module('json').dumps(1) == '1'\n"
    "try:\n    importlib.import_module('no_such_module')\nexcept ModuleNotFoundError as problem:\n"
    "    assert problem.name == 'no_such_module'\nelse:\n    assert False",
)


@pytest.mark.parametrize("text", EXACT)
def test_what_is_modelled_is_what_cpython_does(text):
    started = "t = threading.Thread(target=work)\nt.start()\nt.join()\n"
    text = f"import threading\n{text}\ndef work():\n    pass\n{started}"
    exec(compile(text, "real", "exec"), {"__name__": "__main__"})
    assert is_verified(verify(text))


def test_whole_parts_of_a_number_that_nobody_knows_are_not_known_either():
    text = "import time\nn = int(time.time())\nassert n >= 0 and float(n) >= 0 and n + 1 > 0\n"
    assert is_verified(verify(text))
    assert verify(f"{text}assert n != 7\n").verdict is assay.Verdict.VIOLATED
    for use in ("range(n)", "type(n)", "[1][n]", "hash(n)", "isinstance(n, int)"):
        with pytest.raises(SourceProblem):
            verify(f"{text}{use}\n")


def test_a_loop_over_a_proxy_notices_what_others_do_to_its_dict():
    setup = "import types\nd = {'a': 1}\np = types.MappingProxyType(d)"
    result = threaded(setup, "for k in p:\n    d.setdefault(k + 'b', 2)")
    assert result.verdict is assay.Verdict.VIOLATED
    assert "changed size during iteration" in str(result.violations[0].message)
    assert is_verified(threaded(setup, "for k in p:\n    assert p[k] == 1"))


def test_functions_that_a_thread_makes_may_get_attributes():
    setup = """
        import functools
        class C:
            @functools.singledispatchmethod
            def f(self, x):
                return "any"
            @f.register(int)
            def _(self, x):
                return "int"
        c = C()
        got = []
        """
    work = "def g(): pass\ng.n = 1\ng.n += 1\ngot.append((c.f(1), c.f('a'), g.n))"
    assert is_verified(threaded(setup, work, "assert got == [('int', 'any', 2)] * 2"))
    shared = "def make():\n    def g(): pass\n    return g\ng = make()\ng.n = 0"
    assert threaded(shared, "g.n += 1", "assert g.n == 2").verdict is assay.Verdict.VIOLATED
    late = "def make():\n    def g(): pass\n    return g\ng = make()"
    work = "try:\n    g.n += 1\nexcept AttributeError:\n    g.n = 1"
    assert threaded(late, work, "assert g.n == 2").verdict is assay.Verdict.VIOLATED


def test_the_first_of_several_futures_is_waited_for():
    text = """
        from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
        def f(x):
            return x
        with ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(f, i) for i in range(2)]
            done, pending = wait(futures, return_when=FIRST_COMPLETED)
            assert done and len(done) + len(pending) == 2
        """
    assert is_verified(verify(text))


def test_defaults_that_would_change_calls_are_refused():
    with pytest.raises(SourceProblem, match="changes __defaults__"):
        verify("def f(x): pass\nf.__defaults__ = (1,)\n")


NAMES = {
    "names/__init__.py": """
        from .late import *
        globals()["one"] = 1
        globals().update({"two": 2, "three": 3})
        def read(name):
            return globals()[name]
        shown = input
        def ask():
            return input()
        """,
    "names/late.py": "locals()['zero'] = 0\n__all__ = ['zero']\n",
}


def test_a_package_may_give_itself_names_while_it_is_imported():
    make_environment("venv", NAMES)
    result = threaded(
        "import names",
        "assert (names.zero, names.one, names.two, names.three, names.read('two')) == (0, 1, 2, 3, 2)",
        "assert names.shown is not None and 'four' not in dir(names)",
    )
    assert is_verified(result)
    race = "names.one = names.read('one') + 1"
    assert threaded("import names", race, "assert names.one == 3").verdict is assay.Verdict.VIOLATED
    with pytest.raises(SourceProblem, match="the program calls input"):
        verify("import names\nnames.ask()\n")


LAZY = {
    "lazy.py": """
        kept = []
        def __getattr__(name):
            if name == "made":
                kept.append(1)
                return len(kept)
            raise AttributeError(name)
        """
}


def test_a_module_may_make_its_attributes_when_they_are_asked_for():
    make_environment("venv", LAZY)
    told = "assert not hasattr(lazy, 'other') and getattr(lazy, 'other', 5) == 5\n"
    missing = "try:\n    from lazy import other\nexcept ImportError:\n    pass\nelse:\n    assert False\n"
    assert is_verified(verify(f"import lazy\nfrom lazy import made\nassert made == 1\n{told}{missing}"))
    result = threaded("import lazy\ngot = []", "got.append(lazy.made)", "assert sorted(got) == [1, 2]")
    assert result.verdict is assay.Verdict.VIOLATED


HIDDEN = {
    "hidden/__init__.py": "from . import part as _module\nfrom .part import part\n",
    "hidden/part.py": "def part():\n    return 1\n",
}


def test_a_module_and_a_name_of_its_package_may_be_called_the_same():
    make_environment("venv", HIDDEN)
    assert is_verified(verify("import hidden\nassert hidden.part() == 1 and hidden._module.part() == 1\n"))


def test_what_six_is_in_python_3_where_it_is_installed():
    make_environment("venv", {"six.py": "def ensure_text(s): pass\n"})
    used = "assert six.PY3 and six.ensure_text(b'a') == 'a' and list(six.iteritems({1: 2})) == [(1, 2)]"
    assert is_verified(verify(f"import six\nfrom six.moves import range\n{used}\n"))
    assert is_verified(verify("from six.moves.urllib.parse import quote\nassert quote('a b') == 'a%20b'\n"))
    # The text speaks of six.moves, which is looked for before the program is read to its end.
    failing = verify("import six\nassert six.moves.range(3)[1] == 2\n")
    assert failing.verdict is assay.Verdict.VIOLATED
    with pytest.raises(SourceProblem, match=r"takes something from six\.moves"):
        verify("import six\nsix.moves.tkinter.Tk()\n")


def test_an_attribute_that_another_thread_adds_while_a_dict_is_looked_through_is_noticed():
    with pytest.raises(SourceProblem, match="attributes of an object change while"):
        threaded(OBJECT, "for k in c.__dict__:\n    pass\nc.b = 2")


def test_taking_something_from_a_dict_is_one_piece():
    result = threaded(
        OBJECT + "got = []", "got.append(c.__dict__.pop('a', 0))", "assert sorted(got) == [0, 1]"
    )
    assert is_verified(result)


GONE = """
import weakref
class T:
    def __eq__(self, other):
        return True
    def __hash__(self):
        return 1
def look():
    known = weakref.WeakSet()
    t = T()
    known.add(t)
    t = None
    found = T() in known
    known.clear()
    return found
def work():
    look()
"""


def test_what_is_gone_is_not_found_by_an_equal_one():
    with pytest.raises(SourceProblem, match="nothing but weak references"):
        verify(f"{GONE}\nt = threading.Thread(target=work)\nt.start()\n")


def test_an_old_typing_extensions_has_what_it_has():
    make_environment("venv", {"typing_extensions.py": "def override(arg): return arg\n"})
    assert is_verified(verify("from typing_extensions import override, Self\n"))
    result = verify("from typing_extensions import deprecated\n@deprecated('x')\ndef f(): pass\nf()\n")
    assert result.violations[0].message.startswith("ImportError: cannot import name 'deprecated'")
    make_environment("venv", {"typing_extensions.py": "Self = 1\n"})
    with pytest.raises(SourceProblem, match="old version"):
        verify("from typing_extensions import override\n@override\ndef f(): pass\nf()\n")


def test_a_thread_that_was_joined_cannot_become_a_daemon():
    text = "def work():\n    pass\nt = threading.Thread(target=work)\nt.start()\nt.join()\n"
    result = verify(
        f"{text}try:\n    t.daemon = True\nexcept RuntimeError:\n    pass\nelse:\n    assert False\n"
    )
    assert is_verified(result)
    assert verify(f"{text}t.daemon = True\n").verdict is assay.Verdict.VIOLATED


SET = {
    "plain.py": "from base import Base\nlog = []\ndef refuse(self, key, value):\n    raise KeyError(key)\n"
    "Base.__setitem__ = refuse\n",
    "base.py": "class Base:\n    pass\n",
}


def test_an_assignment_that_fails_does_not_import_its_module_again():
    make_environment("venv", SET)
    text = "import plain\nfrom base import Base\nplain.log.append(1)\n"
    result = verify(
        f"{text}try:\n    Base()[1] = 1\nexcept KeyError:\n    pass\nimport plain\nassert plain.log == [1]\n"
    )
    assert is_verified(result)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, check=False)


def assay_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = str(Path(sys.executable).with_name("assay"))
    return subprocess.run([command, *arguments], capture_output=True, text=True, check=False)


def test_certificates_of_programs_with_packages_are_checked_with_their_environment():
    make_environment("venv", COUNTER)
    Path("program.py").write_text(
        "import threading\nfrom counting import Counter\nc = Counter()\nlock = threading.Lock()\n"
        "def work():\n    with lock:\n        c.step()\n"
        "t = threading.Thread(target=work)\nt.start()\nwork()\nt.join()\nassert c.count == 2\n"
    )
    made = assay_command("verify", "program.py", "--python", "venv", "--certificate", "c.assay")
    assert made.returncode == 0, made.stdout + made.stderr
    for more in ((), ("--workers", "2")):
        accepted = assay_command("certify", "program.py", "c.assay", "--python", "venv", *more)
        assert accepted.returncode == 0, accepted.stdout + accepted.stderr
        without = assay_command("certify", "program.py", "c.assay", *more)
        assert without.returncode in {2, 4}, without.stdout + without.stderr
        assert "counting" in without.stdout + without.stderr
    second = run("assay.checker", "program.py", "c.assay", "--python", "venv")
    assert second.returncode == 0, second.stdout + second.stderr
    unfound = run("assay.checker", "program.py", "c.assay")
    assert unfound.returncode in {2, 4}
    assert "counting" in unfound.stdout
