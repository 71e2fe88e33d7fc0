"""Every place in which a Python program can keep shared data, as text that a program is made of.

A place says how data gets there (`setup`, run before threads start) and how it is found again (`get`, an
expression that gives the shared thing, a list with one number). `expected` is what Assay may do with programs
that use it: judge them, which is the aim, or refuse them, where the place is not modelled.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    name: str
    setup: str
    get: str
    refused: bool = False


def _function(kind: str, setup: str, get: str) -> Place:
    return Place(f"default_{kind}", setup, get)


DEFAULTS = (
    _function("function", "def f(box=[0]):\n    return box\n", "f()"),
    _function("keyword_only", "def f(*, box=[0]):\n    return box\n", "f()"),
    _function("lambda", "f = lambda box=[0]: box\n", "f()"),
    _function(
        "nested_function",
        "def outer():\n    def f(box=[0]):\n        return box\n    return f\nf = outer()\n",
        "f()",
    ),
    _function("method", "class C:\n    def f(self, box=[0]):\n        return box\nc = C()\n", "c.f()"),
    _function(
        "method_keyword_only",
        "class C:\n    def f(self, *, box=[0]):\n        return box\nc = C()\n",
        "c.f()",
    ),
    _function("init", "class C:\n    def __init__(self, box=[0]):\n        self.box = box\n", "C().box"),
    _function(
        "new",
        "class C:\n    def __new__(cls, box=[0]):\n        self = super().__new__(cls)\n        self.box = box\n"
        "        return self\n",
        "C().box",
    ),
    _function("call", "class C:\n    def __call__(self, box=[0]):\n        return box\nc = C()\n", "c()"),
    _function(
        "static_method", "class C:\n    @staticmethod\n    def f(box=[0]):\n        return box\n", "C.f()"
    ),
    _function(
        "class_method", "class C:\n    @classmethod\n    def f(cls, box=[0]):\n        return box\n", "C.f()"
    ),
    _function("lambda_in_class", "class C:\n    f = lambda self, box=[0]: box\nc = C()\n", "c.f()"),
    _function(
        "property",
        "class C:\n    def _get(self, box=[0]):\n        return box\n    p = property(_get)\nc = C()\n",
        "c.p",
    ),
    _function(
        "property_decorated",
        "class C:\n    @property\n    def p(self, box=[0]):\n        return box\nc = C()\n",
        "c.p",
    ),
    _function(
        "inherited_method",
        "class B:\n    def f(self, box=[0]):\n        return box\nclass C(B):\n    pass\nc = C()\n",
        "c.f()",
    ),
    _function(
        "super_method",
        "class B:\n    def f(self, box=[0]):\n        return box\nclass C(B):\n    def f(self):\n"
        "        return super().f()\nc = C()\n",
        "c.f()",
    ),
    _function(
        "metaclass_method",
        "class M(type):\n    def f(cls, box=[0]):\n        return box\nclass C(metaclass=M):\n    pass\n",
        "C.f()",
    ),
    _function("generator", "def f(box=[0]):\n    yield box\n", "next(f())"),
    _function(
        "getattr_hook",
        "class C:\n    def __getattr__(self, name, box=[0]):\n        return box\nc = C()\n",
        "c.anything",
    ),
    _function(
        "getitem", "class C:\n    def __getitem__(self, key, box=[0]):\n        return box\nc = C()\n", "c[1]"
    ),
    _function(
        "operator",
        "class C:\n    def __add__(self, other, box=[0]):\n        return box\nc = C()\n",
        "(c + 1)",
    ),
    _function(
        "iterator",
        "class C:\n    def __iter__(self, box=[0]):\n        return iter([box])\nc = C()\n",
        "next(iter(c))",
    ),
    _function(
        "context_manager",
        "class C:\n    def __enter__(self, box=[0]):\n        return box\n    def __exit__(self, *e):\n"
        "        pass\nc = C()\ndef get():\n    with c as box:\n        return box\n",
        "get()",
    ),
    _function(
        "subclass_hook",
        "class B:\n    def __init_subclass__(cls, box=[0]):\n        cls.get = staticmethod(lambda: box)\n"
        "class C(B):\n    pass\n",
        "C.get()",
    ),
    _function(
        "tuple", "class C:\n    def f(self, pair=(1, [0])):\n        return pair[1]\nc = C()\n", "c.f()"
    ),
    _function(
        "object",
        "class Box:\n    def __init__(self):\n        self.items = [0]\nclass C:\n    def f(self, box=Box()):\n"
        "        return box.items\nc = C()\n",
        "c.f()",
    ),
    _function(
        "partial",
        "import functools\nclass C:\n    def f(self, call=functools.partial(lambda box: box, [0])):\n"
        "        return call()\nc = C()\n",
        "c.f()",
    ),
    _function(
        "bound_method",
        "items = [[0]]\nclass C:\n    def f(self, call=items.__getitem__):\n        return call(0)\nc = C()\n",
        "c.f()",
    ),
    _function(
        "replaced_by_decorator",
        "def twice(f):\n    def g(self, box=[0]):\n        return f(self, box)\n    return g\n"
        "class C:\n    @twice\n    def f(self, box):\n        return box\nc = C()\n",
        "c.f()",
    ),
)

FUNCTIONS = (
    Place(
        "closure",
        "def make():\n    box = [0]\n    def f():\n        return box\n    return f\nf = make()\n",
        "f()",
    ),
    Place(
        "closure_of_method",
        "def make():\n    box = [0]\n    class C:\n        def f(self):\n            return box\n    return C\nC = make()\nc = C()\n",
        "c.f()",
    ),
    Place(
        "closure_of_static_method",
        "def make():\n    box = [0]\n    class C:\n        @staticmethod\n        def f():\n            return box\n    return C\nC = make()\n",
        "C.f()",
    ),
    Place(
        "closure_of_property",
        "def make():\n    box = [0]\n    class C:\n        p = property(lambda self: box)\n    return C\nc = make()()\n",
        "c.p",
    ),
    Place("attribute_of_function", "def f():\n    pass\nf.box = [0]\n", "f.box"),
    Place("attribute_of_method", "class C:\n    def f(self):\n        pass\n    f.box = [0]\n", "C.f.box"),
    Place(
        "attribute_of_static_method",
        "class C:\n    def f():\n        pass\n    f.box = [0]\n    f = staticmethod(f)\n",
        "C.f.box",
    ),
    Place("attribute_of_lambda", "f = lambda: 0\nf.box = [0]\n", "f.box"),
    Place(
        "attribute_of_wrapper",
        "import functools\ndef counted(f):\n    @functools.wraps(f)\n    def g():\n        return g.box\n    g.box = [0]\n    return g\n@counted\ndef f():\n    pass\n",
        "f()",
    ),
    Place(
        "bound_method",
        "class C:\n    def __init__(self):\n        self.box = [0]\n    def f(self):\n        return self.box\nf = C().f\n",
        "f()",
    ),
    Place("bound_built_in", "f = [[0]].__getitem__\n", "f(0)"),
    Place("partial", "import functools\nf = functools.partial(lambda box: box, [0])\n", "f()"),
    Place("partial_keyword", "import functools\nf = functools.partial(lambda *, box: box, box=[0])\n", "f()"),
    Place(
        "partial_method",
        "import functools\nclass C:\n    def _f(self, box):\n        return box\n    f = functools.partialmethod(_f, [0])\nc = C()\n",
        "c.f()",
    ),
    Place(
        "decorator_class",
        "class Keeps:\n    def __init__(self, f):\n        self.box = [0]\n        self.f = f\n    def __call__(self):\n        return self.f(self.box)\n@Keeps\ndef f(box):\n    return box\n",
        "f()",
    ),
    Place("lru_cache", "import functools\n@functools.lru_cache\ndef f():\n    return [0]\nf()\n", "f()"),
    Place(
        "cache_of_method",
        "import functools\nclass C:\n    @functools.cached_property\n    def box(self):\n        return [0]\nc = C()\nc.box\n",
        "c.box",
    ),
    Place(
        "single_dispatch",
        "import functools\nbox = [0]\n@functools.singledispatch\ndef f(x):\n    return None\n@f.register(int)\ndef g(x, box=[0]):\n    return box\n",
        "f(1)",
    ),
)

CLASSES = (
    Place("class_container", "class C:\n    box = [0]\n", "C.box"),
    Place("class_container_through_instance", "class C:\n    box = [0]\nc = C()\n", "c.box"),
    Place("inherited_container", "class B:\n    box = [0]\nclass C(B):\n    pass\n", "C.box"),
    Place("special_name", "class C:\n    __box__ = [0]\n", "C.__box__"),
    Place(
        "private_name",
        "class C:\n    __box = [0]\n    @classmethod\n    def f(cls):\n        return cls.__box\n",
        "C.f()",
    ),
    Place("nested_class", "class C:\n    class D:\n        box = [0]\n", "C.D.box"),
    Place("metaclass_attribute", "class M(type):\n    box = [0]\nclass C(metaclass=M):\n    pass\n", "C.box"),
    Place(
        "metaclass_property",
        "class M(type):\n    _box = [0]\n    @property\n    def box(cls):\n        return cls._box\nclass C(metaclass=M):\n    pass\n",
        "C.box",
    ),
    Place(
        "metaclass_registry",
        "class M(type):\n    made = {}\n    def __new__(mcls, name, bases, names):\n        cls = super().__new__(mcls, name, bases, names)\n        mcls.made[name] = [0]\n        return cls\nclass C(metaclass=M):\n    pass\n",
        "M.made['C']",
    ),
    Place(
        "set_by_decorator",
        "def boxed(cls):\n    cls.box = [0]\n    return cls\n@boxed\nclass C:\n    pass\n",
        "C.box",
    ),
    Place(
        "method_by_decorator",
        "def boxed(cls):\n    cls.f = lambda self, box=[0]: box\n    return cls\n@boxed\nclass C:\n    pass\nc = C()\n",
        "c.f()",
    ),
    Place(
        "init_subclass",
        "class B:\n    def __init_subclass__(cls):\n        cls.box = [0]\nclass C(B):\n    pass\n",
        "C.box",
    ),
    Place(
        "set_name",
        "class D:\n    def __set_name__(self, owner, name):\n        owner.box = [0]\nclass C:\n    d = D()\n",
        "C.box",
    ),
    Place(
        "descriptor",
        "class D:\n    def __init__(self):\n        self.box = [0]\n    def __get__(self, instance, owner):\n        return self.box\nclass C:\n    d = D()\nc = C()\n",
        "c.d",
    ),
    Place(
        "data_descriptor",
        "class D:\n    def __init__(self):\n        self.box = [0]\n    def __get__(self, instance, owner):\n        return self.box\n    def __set__(self, instance, value):\n        pass\nclass C:\n    d = D()\nc = C()\n",
        "c.d",
    ),
    Place("slots", "class C:\n    __slots__ = ('box',)\nc = C()\nc.box = [0]\n", "c.box"),
    Place("type_call", "C = type('C', (), {'box': [0]})\n", "C.box"),
    Place("type_call_method", "C = type('C', (), {'f': lambda self, box=[0]: box})\nc = C()\n", "c.f()"),
    Place(
        "class_in_function",
        "def make():\n    class C:\n        box = [0]\n    return C\nC = make()\n",
        "C.box",
    ),
    Place(
        "abstract_class",
        "import abc\nclass C(abc.ABC):\n    box = [0]\n    def f(self, box=[0]):\n        return box\nclass D(C):\n    pass\n",
        "D().f()",
    ),
    Place(
        "dataclass_factory",
        "import dataclasses\nshared = [0]\n@dataclasses.dataclass\nclass C:\n    box: list = dataclasses.field(default_factory=lambda: shared)\n",
        "C().box",
    ),
    Place(
        "dataclass_default",
        "import dataclasses\nclass Box:\n    def __init__(self):\n        self.items = [0]\n    __hash__ = object.__hash__\n@dataclasses.dataclass\nclass C:\n    box: object = Box()\n",
        "C().box.items",
    ),
    Place(
        "dataclass_class_variable",
        "import dataclasses, typing\n@dataclasses.dataclass\nclass C:\n    n: int = 0\n    box: typing.ClassVar[list] = [0]\n",
        "C.box",
    ),
    Place(
        "dataclass_post_init",
        "import dataclasses\n@dataclasses.dataclass\nclass C:\n    n: int = 0\n    def __post_init__(self, box=[0]):\n        self.box = box\n",
        "C().box",
    ),
    Place(
        "namedtuple_default",
        "import collections\nC = collections.namedtuple('C', 'box', defaults=[[0]])\n",
        "C().box",
    ),
    Place(
        "typed_namedtuple",
        "import typing\nclass C(typing.NamedTuple):\n    n: int\n    box: list = [0]\n",
        "C(1).box",
    ),
    Place(
        "enumeration_attribute",
        "import enum\nclass C(enum.Enum):\n    A = 1\n    def __init__(self, n):\n        self.box = [0]\n",
        "C.A.box",
        refused=True,
    ),
    Place("enumeration_value", "import enum\nclass C(enum.Enum):\n    A = [0]\n", "C.A.value", refused=True),
    Place(
        "enumeration_method_default",
        "import enum\nclass C(enum.Enum):\n    A = 1\n    def f(self, box=[0]):\n        return box\n",
        "C.A.f()",
        refused=True,
    ),
    Place(
        "enumeration_key", "import enum\nclass C(enum.Enum):\n    A = 1\nboxes = {C.A: [0]}\n", "boxes[C.A]"
    ),
)

VALUES = (
    Place("global", "box = [0]\n", "box"),
    Place("global_tuple", "pair = (1, [0])\n", "pair[1]"),
    Place("nested_tuple", "pair = ((1, (2, [0])),)\n", "pair[0][1][1]"),
    Place(
        "frozenset_of_objects",
        "class Box:\n    def __init__(self):\n        self.items = [0]\nboxes = frozenset([Box()])\n",
        "next(iter(boxes)).items",
    ),
    Place(
        "set_of_objects",
        "class Box:\n    def __init__(self):\n        self.items = [0]\nboxes = {Box()}\n",
        "next(iter(boxes)).items",
    ),
    Place("dict_value", "boxes = {'a': [0]}\n", "boxes['a']"),
    Place(
        "dict_key",
        "class Box:\n    def __init__(self):\n        self.items = [0]\nboxes = {Box(): 1}\n",
        "next(iter(boxes)).items",
    ),
    Place(
        "default_dict",
        "import collections\nboxes = collections.defaultdict(list)\nboxes[1].append(0)\n",
        "boxes[1]",
    ),
    Place(
        "default_factory",
        "import collections\nshared = [0]\nboxes = collections.defaultdict(lambda: shared)\nboxes[0]\n",
        "boxes.default_factory()",
    ),
    Place("ordered_dict", "import collections\nboxes = collections.OrderedDict(a=[0])\n", "boxes['a']"),
    Place("chain_map", "import collections\nboxes = collections.ChainMap({}, {'a': [0]})\n", "boxes['a']"),
    Place("user_dict", "import collections\nboxes = collections.UserDict(a=[0])\n", "boxes['a']"),
    Place("user_list", "import collections\nboxes = collections.UserList([[0]])\n", "boxes[0]"),
    Place(
        "counter_attribute",
        "import collections\nclass C(collections.Counter):\n    pass\nc = C()\nc.box = [0]\n",
        "c.box",
    ),
    Place("deque", "import collections\nboxes = collections.deque([[0]], maxlen=2)\n", "boxes[0]"),
    Place("list_subclass", "class L(list):\n    pass\nl = L()\nl.box = [0]\n", "l.box"),
    Place("dict_subclass", "class D(dict):\n    pass\nd = D()\nd.box = [0]\n", "d.box"),
    Place("set_subclass", "class S(set):\n    pass\ns = S()\ns.box = [0]\n", "s.box"),
    Place("text_subclass", "class S(str):\n    pass\ns = S('x')\ns.box = [0]\n", "s.box"),
    Place("number_subclass", "class N(int):\n    pass\nn = N(3)\nn.box = [0]\n", "n.box"),
    Place("float_subclass", "class N(float):\n    pass\nn = N(3)\nn.box = [0]\n", "n.box"),
    Place("bytes_subclass", "class N(bytes):\n    pass\nn = N(b'x')\nn.box = [0]\n", "n.box"),
    Place("tuple_subclass", "class N(tuple):\n    pass\nn = N((1,))\nn.box = [0]\n", "n.box", refused=True),
    Place(
        "decimal_subclass",
        "import decimal\nclass N(decimal.Decimal):\n    pass\nn = N(1)\nn.box = [0]\n",
        "n.box",
        refused=True,
    ),
    Place(
        "fraction_subclass",
        "import fractions\nclass N(fractions.Fraction):\n    pass\nn = N(1)\nn.box = [0]\n",
        "n.box",
    ),
    Place("exception_arguments", "e = ValueError([0])\n", "e.args[0]"),
    Place("exception_attribute", "e = ValueError()\ne.box = [0]\n", "e.box"),
    Place(
        "exception_context",
        "def make():\n    try:\n        try:\n            raise KeyError([0])\n        except KeyError:\n            raise ValueError\n    except ValueError as e:\n        return e\ne = make()\n",
        "e.__context__.args[0]",
    ),
    Place("exception_cause", "e = ValueError()\ne.__cause__ = KeyError([0])\n", "e.__cause__.args[0]"),
    Place("exception_class", "class E(Exception):\n    box = [0]\n", "E.box"),
    Place(
        "exception_method_default",
        "class E(Exception):\n    def f(self, box=[0]):\n        return box\ne = E()\n",
        "e.f()",
    ),
    Place("slice", "s = slice(None, None, None)\nboxes = [[0]]\n", "boxes[s][0]"),
    Place("slice_of_object", "s = slice([0], None)\n", "s.start"),
    Place("list_iterator", "boxes = [[0]]\nit = iter(boxes)\n", "boxes[0]"),
    Place("zip_iterator", "boxes = [[0]]\nz = list(zip(boxes, boxes))\n", "z[0][1]"),
    Place(
        "generator_local",
        "def g():\n    box = [0]\n    while True:\n        yield box\nlock_g = threading.Lock()\nit = g()\nkept = next(it)\ndef get():\n    with lock_g:\n        return next(it)\n",
        "get()",
    ),
    Place("itertools_repeat", "import itertools\nr = itertools.repeat([0])\nbox = next(r)\n", "box"),
    Place(
        "itertools_cycle",
        "import itertools\nboxes = list(itertools.islice(itertools.cycle([[0]]), 2))\n",
        "boxes[1]",
    ),
    Place(
        "thread_arguments",
        "box = [0]\nholder = threading.Thread(target=print, args=(box,))\n",
        "holder._args[0]",
    ),
    Place(
        "thread_attribute",
        "class T(threading.Thread):\n    box = [0]\n    def f(self, box=[0]):\n        return box\nholder = T()\n",
        "holder.f()",
    ),
    Place("queue_item", "import queue\nq = queue.Queue()\nq.put([0])\nq2 = [q.get()]\n", "q2[0]"),
    Place(
        "future_result",
        "import concurrent.futures\nf = concurrent.futures.Future()\nf.set_result([0])\n",
        "f.result()",
    ),
    Place("event_attribute", "e = threading.Event()\ne.box = [0]\n", "e.box"),
    Place(
        "lock_subclass_attribute",
        "class L:\n    def __init__(self):\n        self._lock = threading.Lock()\n        self.box = [0]\nl = L()\n",
        "l.box",
    ),
    Place(
        "random_instance", "import random\nclass R(random.Random):\n    pass\nr = R()\nr.box = [0]\n", "r.box"
    ),
    Place(
        "context_manager_generator",
        "import contextlib\n@contextlib.contextmanager\ndef cm(box=[0]):\n    yield box\ndef get():\n    with cm() as box:\n        return box\n",
        "get()",
    ),
    Place("exit_stack", "import contextlib\nstack = contextlib.ExitStack()\nstack.box = [0]\n", "stack.box"),
    Place("logger_attribute", "import logging\nlog = logging.getLogger('a')\nlog.box = [0]\n", "log.box"),
    Place("module_attribute", "import helper_of_places\n", "helper_of_places.box"),
    Place(
        "module_attribute_from_outside",
        "import helper_of_places\nhelper_of_places.other = [0]\n",
        "helper_of_places.other",
    ),
    Place("module_function_default", "import helper_of_places\n", "helper_of_places.f()"),
    Place("module_class_default", "import helper_of_places\n", "helper_of_places.C().f()"),
    Place("module_of_cpython", "import math\nmath.box = [0]\n", "math.box", refused=True),
    Place("list_of_cpython", "import keyword\n", "keyword.kwlist", refused=True),
    Place("annotations", "class C:\n    n: int = 0\n", "C.__annotations__", refused=True),
    Place(
        "weak_reference",
        "import weakref\nclass C:\n    box = [0]\nc = C()\nr = weakref.ref(c)\n",
        "r().box",
        refused=True,
    ),
    Place(
        "operator_getter",
        "import operator\nclass C:\n    box = [0]\nc = C()\nget = operator.attrgetter('box')\n",
        "get(c)",
        refused=True,
    ),
    Place("dict_view", "d = {1: [0]}\nv = d.values()\n", "list(v)[0]"),
    Place("mapping_proxy", "import types\nm = types.MappingProxyType({1: [0]})\n", "m[1]", refused=True),
    Place("simple_namespace", "import types\nn = types.SimpleNamespace(box=[0])\n", "n.box", refused=True),
    Place("memory_view", "data = bytearray(b'0')\nm = memoryview(data)\n", "m", refused=True),
    Place("thread_local_in_main", "local = threading.local()\nlocal.box = [0]\nbox = local.box\n", "box"),
    Place(
        "cell",
        "def make():\n    box = [0]\n    def f():\n        return box\n    return f.__closure__\ncells = make()\n",
        "cells[0].cell_contents",
    ),
    Place(
        "default_of_itself",
        "class C:\n    def f(self, of=None):\n        return C.f.__defaults__[1]\n    f2 = lambda self, a=1, box=[0]: box\nc = C()\n",
        "C.f2.__defaults__[1]",
    ),
)

PLACES = (*DEFAULTS, *FUNCTIONS, *CLASSES, *VALUES)

HELPER = """box = [0]
other = None


def f(box=[0]):
    return box


class C:
    def f(self, box=[0]):
        return box
"""
