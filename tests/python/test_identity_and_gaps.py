"""What identity shows, what metaclasses do, and what is refused because the machine lacks it."""

from __future__ import annotations

import pytest

from assay.transition_system.interface import SourceProblem
from tests.oracles.exploration import outcomes

THREADS = """
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def ended(text: str) -> set[str]:
    return {last_line.partition(":")[0] for _, last_line in outcomes(text)}


def threaded(setup: str, work: str, after: str = "") -> str:
    body = "".join(f"    {line}\n" for line in work.splitlines())
    return f"import threading\n{setup}\ndef work():\n{body}{THREADS}{after}\n"


NOT_A_NUMBER = (
    ("l = [float('nan'), float('nan')]", "assert l[0] not in l[1:]"),
    ("l = [float('nan'), float('nan')]", "assert l[0] in l[:1] and l[0] is l[0] and l[0] is not l[1]"),
    ("l = [float('nan')]\nm = list(l)", "assert l == m and l[0] is m[0]"),
    ("l = [float('nan')]\nm = [float('nan')]", "assert l != m"),
    ("d = {float('nan'): 1, float('nan'): 2}", "assert len(d) == 2 and [d[k] for k in d] == [1, 2]"),
    ("n = float('nan')\nd = {n: 1}", "assert d[n] == 1 and float('nan') not in d"),
    ("t = (1, float('nan'))\nu = (1, float('nan'))", "assert t == t and t != u"),
    ("n = float('nan')\nt = (1, n)\nu = (1, n)", "assert t == u and t[1] is u[1]"),
    ("import math\nl = [math.nan]", "assert l[0] is math.nan and math.nan in l and float('nan') not in l"),
    ("l = [complex('nan'), complex('nan')]", "assert l[0] not in l[1:] and l[0] in l"),
    ("import decimal\nl = [decimal.Decimal('nan'), decimal.Decimal('nan')]", "assert l.index(l[1]) == 1"),
    ("s = {float('nan'), float('nan')}", "assert len(s) == 2"),
    ("l = [-0.0, 0.0]", "assert str(l[0]) == '-0.0' and str(l[1]) == '0.0'"),
    ("l = [1, True, 1.0]", "assert [type(x) for x in l] == [int, bool, float]"),
)


@pytest.mark.parametrize(("setup", "work"), NOT_A_NUMBER)
def test_what_equals_nothing_but_itself_keeps_its_identity(setup: str, work: str) -> None:
    assert ended(threaded(setup, work)) == {"ok"}
    # The opposite is found, so the assertion was reached and says something.
    assert "AssertionError" in ended(threaded(setup, work.replace("assert ", "assert not (") + ")"))


EQUAL_VALUES = (
    "10 ** 20", "'ab' * 3", "(1, 2)", "1.5", "b'ab' * 2", "frozenset({1})", "1j", "range(3)", "slice(1)",
    "{}.keys()", "[].append",
)  # fmt: skip


@pytest.mark.parametrize("value", EQUAL_VALUES)
@pytest.mark.parametrize("test", ["x[0] is x[1]", "operator.is_(x[0], x[1])"])
def test_the_identity_of_equal_values_is_refused(value: str, test: str) -> None:
    with pytest.raises(SourceProblem, match="`is`"):
        outcomes(threaded(f"import operator\ny = {value}\nx = [y, y]", f"assert {test}"))


SINGLE = ("5", "''", "'a'", "b''", "()", "None", "True", "int", "len", "...", "threading.Thread")


@pytest.mark.parametrize("value", SINGLE)
def test_the_identity_of_what_exists_once_is_known(value: str) -> None:
    assert ended(threaded(f"x = [{value}, {value}]", "assert x[0] is x[1]")) == {"ok"}


def test_different_values_are_different_objects() -> None:
    assert ended(threaded("x = [(1, 2), (1, 3)]", "assert x[0] is not x[1]")) == {"ok"}


META = """
class Meta(type):
    made = {}
    lock = threading.Lock()
    def __call__(cls, *args, **kwargs):
        BODY
class A(metaclass=Meta):
    def __init__(self, x=1):
        self.x = x
out = []
"""
ONCE = (
    "if cls not in cls.made:\n            cls.made[cls] = super().__call__(*args, **kwargs)\n"
    "        return cls.made[cls]"
)
ONCE_LOCKED = (
    "with cls.lock:\n            if cls not in cls.made:\n"
    "                cls.made[cls] = super().__call__(*args, **kwargs)\n        return cls.made[cls]"
)
THE_SAME = "assert out[0] is out[1] and out[0].x == 1"


def test_a_metaclass_may_have_a_call_of_its_own() -> None:
    setup = META.replace("BODY", "return super().__call__(*args, **kwargs)")
    assert ended(threaded(setup, "out.append(A())", "assert out[0] is not out[1]")) == {"ok"}
    bare = setup.replace("    def __init__(self, x=1):\n        self.x = x\n", "    pass\n")
    assert ended(threaded(bare, "out.append(A())", "assert out[0] is not out[1]")) == {"ok"}


def test_the_race_of_a_singleton_is_found() -> None:
    assert ended(threaded(META.replace("BODY", ONCE), "out.append(A(1))", THE_SAME)) == {
        "ok",
        "AssertionError",
    }


def test_a_singleton_with_a_lock_is_right() -> None:
    assert ended(threaded(META.replace("BODY", ONCE_LOCKED), "out.append(A(1))", THE_SAME)) == {"ok"}


REGISTRIES = (
    "class Base:\n    made = []\n    def __init_subclass__(cls):\n        Base.made.append(cls)\n",
    "import abc\nclass Base(abc.ABC):\n    made = []\n    def __init_subclass__(cls):\n"
    "        Base.made.append(cls)\n",
    "class Meta(type):\n    made = []\n    def __init__(cls, *args):\n        if cls.__name__ != 'Base':\n"
    "            Meta.made.append(cls)\nclass Base(metaclass=Meta):\n    made = Meta.made\n",
    "class Meta(type):\n    made = []\n    def __new__(mcls, name, bases, names):\n"
    "        cls = super().__new__(mcls, name, bases, names)\n        if name != 'Base':\n"
    "            mcls.made.append(cls)\n"
    "        return cls\nclass Base(metaclass=Meta):\n    made = Meta.made\n",
)


@pytest.mark.parametrize("registry", REGISTRIES)
def test_a_class_is_the_same_for_those_who_were_told_of_it_while_it_was_made(registry: str) -> None:
    """Each choice executes the class statements again."""
    setup = (
        f"import assay\nx = assay.choose(1, 2, 3)\n{registry}"
        "class P(Base):\n    v = x\nclass Q(Base):\n    pass\n"
        "assert Base.made == [P, Q] and Base.made[0] is P\n"
    )
    assert ended(threaded(setup, "assert Base.made[0]().v == x and isinstance(P(), Base.made[0])")) == {"ok"}


def test_methods_that_depend_on_a_choice_belong_to_their_branch() -> None:
    setup = (
        "import assay\nx = assay.choose(1, 2)\nclass C:\n    if x == 1:\n        def f(self):\n"
        "            return 1\n"
        "    else:\n        def f(self):\n            return 2\n    __n__ = x\n"
    )
    assert ended(threaded(setup, "assert C().f() == x and C.__n__ == x")) == {"ok"}


REFUSED = (
    "import sys\nprint(sys.modules)\n",
    "import threading\nthreading._active_limbo_lock.acquire()\n",
    "from threading import _limbo\nlen(_limbo)\n",
    "import threading\nprint(hasattr(threading.Thread(), '_tstate_lock'))\n",
    "import threading\nthreading.Event()._cond.notify_all()\n",
    "def f():\n    yield\nprint(f().gi_frame)\n",
    "class C:\n    def f(self):\n        pass\nprint(C().f.__code__)\n",
    "def f(*, a=1):\n    pass\nf.__kwdefaults__['a'] = 2\n",
    "def f(a=1):\n    pass\nf.__defaults__ = (2,)\n",
    "import no_such_module_anywhere\n",
    "import decimal\nclass D(decimal.Decimal):\n    pass\nimport threading\nx = [D(1)]\n"
    "t = threading.Thread(target=print)\nt.start()\nt.join()\n",
    "import math\nmath.tau = 3\n",
    "import assay, enum\nclass C(enum.Enum):\n    A = assay.choose(1, 2)\nprint(C.A.value)\n",
)


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_machine_lacks_is_refused(text: str) -> None:
    with pytest.raises(SourceProblem):
        outcomes(text)


THE_PROGRAMS_MISTAKE = (
    ("import threading\nthreading.no_such_thing\n", "AttributeError"),
    ("from threading import no_such_thing\nx = 1\n", "ImportError"),
    ("import threading\nthreading.Thread().no_such_thing\n", "AttributeError"),
    ("import math\nmath.no_such_thing\n", "AttributeError"),
    ("def f():\n    pass\nf.no_such_thing\n", "AttributeError"),
    ("class C:\n    pass\nC.no_such_thing\n", "AttributeError"),
)


@pytest.mark.parametrize(("text", "error"), THE_PROGRAMS_MISTAKE)
def test_what_cpython_lacks_too_is_the_programs_mistake(text: str, error: str) -> None:
    assert ended(text) == {error}
