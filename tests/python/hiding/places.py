"""Every place in which a Python program can keep shared data, as text that a program is made of.

A place says how data gets there (`setup`, run before threads start) and how it is found again (`get`, an
expression that gives the shared thing, a list with one number). Programs that use it are judged; where the
place is not modelled they are `refused`.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    name: str
    written: str
    get: str
    refused: bool = False

    @property
    def setup(self) -> str:
        return textwrap.dedent(self.written).lstrip("\n")


DEFAULTS = (
    Place(
        "default_function",
        """
        def f(box=[0]):
            return box
        """,
        "f()",
    ),
    Place(
        "default_keyword_only",
        """
        def f(*, box=[0]):
            return box
        """,
        "f()",
    ),
    Place(
        "default_lambda",
        "f = lambda box=[0]: box\n",
        "f()",
    ),
    Place(
        "default_nested_function",
        """
        def outer():
            def f(box=[0]):
                return box
            return f
        f = outer()
        """,
        "f()",
    ),
    Place(
        "default_method",
        """
        class C:
            def f(self, box=[0]):
                return box
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "default_method_keyword_only",
        """
        class C:
            def f(self, *, box=[0]):
                return box
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "default_init",
        """
        class C:
            def __init__(self, box=[0]):
                self.box = box
        """,
        "C().box",
    ),
    Place(
        "default_new",
        """
        class C:
            def __new__(cls, box=[0]):
                self = super().__new__(cls)
                self.box = box
                return self
        """,
        "C().box",
    ),
    Place(
        "default_call",
        """
        class C:
            def __call__(self, box=[0]):
                return box
        c = C()
        """,
        "c()",
    ),
    Place(
        "default_static_method",
        """
        class C:
            @staticmethod
            def f(box=[0]):
                return box
        """,
        "C.f()",
    ),
    Place(
        "default_class_method",
        """
        class C:
            @classmethod
            def f(cls, box=[0]):
                return box
        """,
        "C.f()",
    ),
    Place(
        "default_lambda_in_class",
        """
        class C:
            f = lambda self, box=[0]: box
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "default_property",
        """
        class C:
            def _get(self, box=[0]):
                return box
            p = property(_get)
        c = C()
        """,
        "c.p",
    ),
    Place(
        "default_property_decorated",
        """
        class C:
            @property
            def p(self, box=[0]):
                return box
        c = C()
        """,
        "c.p",
    ),
    Place(
        "default_inherited_method",
        """
        class B:
            def f(self, box=[0]):
                return box
        class C(B):
            pass
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "default_super_method",
        """
        class B:
            def f(self, box=[0]):
                return box
        class C(B):
            def f(self):
                return super().f()
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "default_metaclass_method",
        """
        class M(type):
            def f(cls, box=[0]):
                return box
        class C(metaclass=M):
            pass
        """,
        "C.f()",
    ),
    Place(
        "default_generator",
        """
        def f(box=[0]):
            yield box
        """,
        "next(f())",
    ),
    Place(
        "default_getattr_hook",
        """
        class C:
            def __getattr__(self, name, box=[0]):
                return box
        c = C()
        """,
        "c.anything",
    ),
    Place(
        "default_getitem",
        """
        class C:
            def __getitem__(self, key, box=[0]):
                return box
        c = C()
        """,
        "c[1]",
    ),
    Place(
        "default_operator",
        """
        class C:
            def __add__(self, other, box=[0]):
                return box
        c = C()
        """,
        "(c + 1)",
    ),
    Place(
        "default_iterator",
        """
        class C:
            def __iter__(self, box=[0]):
                return iter([box])
        c = C()
        """,
        "next(iter(c))",
    ),
    Place(
        "default_context_manager",
        """
        class C:
            def __enter__(self, box=[0]):
                return box
            def __exit__(self, *e):
                pass
        c = C()
        def get():
            with c as box:
                return box
        """,
        "get()",
    ),
    Place(
        "default_subclass_hook",
        """
        class B:
            def __init_subclass__(cls, box=[0]):
                cls.get = staticmethod(lambda: box)
        class C(B):
            pass
        """,
        "C.get()",
    ),
    Place(
        "default_tuple",
        """
        class C:
            def f(self, pair=(1, [0])):
                return pair[1]
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "default_object",
        """
        class Box:
            def __init__(self):
                self.items = [0]
        class C:
            def f(self, box=Box()):
                return box.items
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "default_partial",
        """
        import functools
        class C:
            def f(self, call=functools.partial(lambda box: box, [0])):
                return call()
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "default_bound_method",
        """
        items = [[0]]
        class C:
            def f(self, call=items.__getitem__):
                return call(0)
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "default_replaced_by_decorator",
        """
        def twice(f):
            def g(self, box=[0]):
                return f(self, box)
            return g
        class C:
            @twice
            def f(self, box):
                return box
        c = C()
        """,
        "c.f()",
    ),
)

FUNCTIONS = (
    Place(
        "closure",
        """
        def make():
            box = [0]
            def f():
                return box
            return f
        f = make()
        """,
        "f()",
    ),
    Place(
        "closure_of_method",
        """
        def make():
            box = [0]
            class C:
                def f(self):
                    return box
            return C
        C = make()
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "closure_of_static_method",
        """
        def make():
            box = [0]
            class C:
                @staticmethod
                def f():
                    return box
            return C
        C = make()
        """,
        "C.f()",
    ),
    Place(
        "closure_of_property",
        """
        def make():
            box = [0]
            class C:
                p = property(lambda self: box)
            return C
        c = make()()
        """,
        "c.p",
    ),
    Place(
        "attribute_of_function",
        """
        def f():
            pass
        f.box = [0]
        """,
        "f.box",
    ),
    Place(
        "attribute_of_method",
        """
        class C:
            def f(self):
                pass
            f.box = [0]
        """,
        "C.f.box",
    ),
    Place(
        "attribute_of_static_method",
        """
        class C:
            def f():
                pass
            f.box = [0]
            f = staticmethod(f)
        """,
        "C.f.box",
    ),
    Place(
        "attribute_of_lambda",
        """
        f = lambda: 0
        f.box = [0]
        """,
        "f.box",
    ),
    Place(
        "attribute_of_wrapper",
        """
        import functools
        def counted(f):
            @functools.wraps(f)
            def g():
                return g.box
            g.box = [0]
            return g
        @counted
        def f():
            pass
        """,
        "f()",
    ),
    Place(
        "bound_method",
        """
        class C:
            def __init__(self):
                self.box = [0]
            def f(self):
                return self.box
        f = C().f
        """,
        "f()",
    ),
    Place(
        "bound_built_in",
        "f = [[0]].__getitem__\n",
        "f(0)",
    ),
    Place(
        "partial",
        """
        import functools
        f = functools.partial(lambda box: box, [0])
        """,
        "f()",
    ),
    Place(
        "partial_keyword",
        """
        import functools
        f = functools.partial(lambda *, box: box, box=[0])
        """,
        "f()",
    ),
    Place(
        "partial_method",
        """
        import functools
        class C:
            def _f(self, box):
                return box
            f = functools.partialmethod(_f, [0])
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "decorator_class",
        """
        class Keeps:
            def __init__(self, f):
                self.box = [0]
                self.f = f
            def __call__(self):
                return self.f(self.box)
        @Keeps
        def f(box):
            return box
        """,
        "f()",
    ),
    Place(
        "lru_cache",
        """
        import functools
        @functools.lru_cache
        def f():
            return [0]
        f()
        """,
        "f()",
    ),
    Place(
        "cache_of_method",
        """
        import functools
        class C:
            @functools.cached_property
            def box(self):
                return [0]
        c = C()
        c.box
        """,
        "c.box",
    ),
    Place(
        "single_dispatch",
        """
        import functools
        box = [0]
        @functools.singledispatch
        def f(x):
            return None
        @f.register(int)
        def g(x, box=[0]):
            return box
        """,
        "f(1)",
    ),
)

CLASSES = (
    Place(
        "class_container",
        """
        class C:
            box = [0]
        """,
        "C.box",
    ),
    Place(
        "class_container_through_instance",
        """
        class C:
            box = [0]
        c = C()
        """,
        "c.box",
    ),
    Place(
        "inherited_container",
        """
        class B:
            box = [0]
        class C(B):
            pass
        """,
        "C.box",
    ),
    Place(
        "special_name",
        """
        class C:
            __box__ = [0]
        """,
        "C.__box__",
    ),
    Place(
        "private_name",
        """
        class C:
            __box = [0]
            @classmethod
            def f(cls):
                return cls.__box
        """,
        "C.f()",
    ),
    Place(
        "nested_class",
        """
        class C:
            class D:
                box = [0]
        """,
        "C.D.box",
    ),
    Place(
        "metaclass_attribute",
        """
        class M(type):
            box = [0]
        class C(metaclass=M):
            pass
        """,
        "C.box",
    ),
    Place(
        "metaclass_property",
        """
        class M(type):
            _box = [0]
            @property
            def box(cls):
                return cls._box
        class C(metaclass=M):
            pass
        """,
        "C.box",
    ),
    Place(
        "metaclass_registry",
        """
        class M(type):
            made = {}
            def __new__(mcls, name, bases, names):
                cls = super().__new__(mcls, name, bases, names)
                mcls.made[name] = [0]
                return cls
        class C(metaclass=M):
            pass
        """,
        "M.made['C']",
    ),
    Place(
        "set_by_decorator",
        """
        def boxed(cls):
            cls.box = [0]
            return cls
        @boxed
        class C:
            pass
        """,
        "C.box",
    ),
    Place(
        "method_by_decorator",
        """
        def boxed(cls):
            cls.f = lambda self, box=[0]: box
            return cls
        @boxed
        class C:
            pass
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "init_subclass",
        """
        class B:
            def __init_subclass__(cls):
                cls.box = [0]
        class C(B):
            pass
        """,
        "C.box",
    ),
    Place(
        "set_name",
        """
        class D:
            def __set_name__(self, owner, name):
                owner.box = [0]
        class C:
            d = D()
        """,
        "C.box",
    ),
    Place(
        "descriptor",
        """
        class D:
            def __init__(self):
                self.box = [0]
            def __get__(self, instance, owner):
                return self.box
        class C:
            d = D()
        c = C()
        """,
        "c.d",
    ),
    Place(
        "data_descriptor",
        """
        class D:
            def __init__(self):
                self.box = [0]
            def __get__(self, instance, owner):
                return self.box
            def __set__(self, instance, value):
                pass
        class C:
            d = D()
        c = C()
        """,
        "c.d",
    ),
    Place(
        "slots",
        """
        class C:
            __slots__ = ('box',)
        c = C()
        c.box = [0]
        """,
        "c.box",
    ),
    Place(
        "type_call",
        "C = type('C', (), {'box': [0]})\n",
        "C.box",
    ),
    Place(
        "type_call_method",
        """
        C = type('C', (), {'f': lambda self, box=[0]: box})
        c = C()
        """,
        "c.f()",
    ),
    Place(
        "class_in_function",
        """
        def make():
            class C:
                box = [0]
            return C
        C = make()
        """,
        "C.box",
    ),
    Place(
        "abstract_class",
        """
        import abc
        class C(abc.ABC):
            box = [0]
            def f(self, box=[0]):
                return box
        class D(C):
            pass
        """,
        "D().f()",
    ),
    Place(
        "dataclass_factory",
        """
        import dataclasses
        shared = [0]
        @dataclasses.dataclass
        class C:
            box: list = dataclasses.field(default_factory=lambda: shared)
        """,
        "C().box",
    ),
    Place(
        "dataclass_default",
        """
        import dataclasses
        class Box:
            def __init__(self):
                self.items = [0]
            __hash__ = object.__hash__
        @dataclasses.dataclass
        class C:
            box: object = Box()
        """,
        "C().box.items",
    ),
    Place(
        "dataclass_class_variable",
        """
        import dataclasses, typing
        @dataclasses.dataclass
        class C:
            n: int = 0
            box: typing.ClassVar[list] = [0]
        """,
        "C.box",
    ),
    Place(
        "dataclass_post_init",
        """
        import dataclasses
        @dataclasses.dataclass
        class C:
            n: int = 0
            def __post_init__(self, box=[0]):
                self.box = box
        """,
        "C().box",
    ),
    Place(
        "namedtuple_default",
        """
        import collections
        C = collections.namedtuple('C', 'box', defaults=[[0]])
        """,
        "C().box",
    ),
    Place(
        "typed_namedtuple",
        """
        import typing
        class C(typing.NamedTuple):
            n: int
            box: list = [0]
        """,
        "C(1).box",
    ),
    Place(
        "enumeration_attribute",
        """
        import enum
        class C(enum.Enum):
            A = 1
            def __init__(self, n):
                self.box = [0]
        """,
        "C.A.box",
        refused=True,
    ),
    Place(
        "enumeration_value",
        """
        import enum
        class C(enum.Enum):
            A = [0]
        """,
        "C.A.value",
        refused=True,
    ),
    Place(
        "enumeration_method_default",
        """
        import enum
        class C(enum.Enum):
            A = 1
            def f(self, box=[0]):
                return box
        """,
        "C.A.f()",
        refused=True,
    ),
    Place(
        "enumeration_key",
        """
        import enum
        class C(enum.Enum):
            A = 1
        boxes = {C.A: [0]}
        """,
        "boxes[C.A]",
    ),
)

VALUES = (
    Place(
        "global",
        "box = [0]\n",
        "box",
    ),
    Place(
        "global_tuple",
        "pair = (1, [0])\n",
        "pair[1]",
    ),
    Place(
        "nested_tuple",
        "pair = ((1, (2, [0])),)\n",
        "pair[0][1][1]",
    ),
    Place(
        "frozenset_of_objects",
        """
        class Box:
            def __init__(self):
                self.items = [0]
        boxes = frozenset([Box()])
        """,
        "next(iter(boxes)).items",
    ),
    Place(
        "set_of_objects",
        """
        class Box:
            def __init__(self):
                self.items = [0]
        boxes = {Box()}
        """,
        "next(iter(boxes)).items",
    ),
    Place(
        "dict_value",
        "boxes = {'a': [0]}\n",
        "boxes['a']",
    ),
    Place(
        "dict_key",
        """
        class Box:
            def __init__(self):
                self.items = [0]
        boxes = {Box(): 1}
        """,
        "next(iter(boxes)).items",
    ),
    Place(
        "default_dict",
        """
        import collections
        boxes = collections.defaultdict(list)
        boxes[1].append(0)
        """,
        "boxes[1]",
    ),
    Place(
        "default_factory",
        """
        import collections
        shared = [0]
        boxes = collections.defaultdict(lambda: shared)
        boxes[0]
        """,
        "boxes.default_factory()",
    ),
    Place(
        "ordered_dict",
        """
        import collections
        boxes = collections.OrderedDict(a=[0])
        """,
        "boxes['a']",
    ),
    Place(
        "chain_map",
        """
        import collections
        boxes = collections.ChainMap({}, {'a': [0]})
        """,
        "boxes['a']",
    ),
    Place(
        "user_dict",
        """
        import collections
        boxes = collections.UserDict(a=[0])
        """,
        "boxes['a']",
    ),
    Place(
        "user_list",
        """
        import collections
        boxes = collections.UserList([[0]])
        """,
        "boxes[0]",
    ),
    Place(
        "counter_attribute",
        """
        import collections
        class C(collections.Counter):
            pass
        c = C()
        c.box = [0]
        """,
        "c.box",
    ),
    Place(
        "deque",
        """
        import collections
        boxes = collections.deque([[0]], maxlen=2)
        """,
        "boxes[0]",
    ),
    Place(
        "list_subclass",
        """
        class L(list):
            pass
        l = L()
        l.box = [0]
        """,
        "l.box",
    ),
    Place(
        "dict_subclass",
        """
        class D(dict):
            pass
        d = D()
        d.box = [0]
        """,
        "d.box",
    ),
    Place(
        "set_subclass",
        """
        class S(set):
            pass
        s = S()
        s.box = [0]
        """,
        "s.box",
    ),
    Place(
        "text_subclass",
        """
        class S(str):
            pass
        s = S('x')
        s.box = [0]
        """,
        "s.box",
    ),
    Place(
        "number_subclass",
        """
        class N(int):
            pass
        n = N(3)
        n.box = [0]
        """,
        "n.box",
    ),
    Place(
        "float_subclass",
        """
        class N(float):
            pass
        n = N(3)
        n.box = [0]
        """,
        "n.box",
    ),
    Place(
        "bytes_subclass",
        """
        class N(bytes):
            pass
        n = N(b'x')
        n.box = [0]
        """,
        "n.box",
    ),
    Place(
        "tuple_subclass",
        """
        class N(tuple):
            pass
        n = N((1,))
        n.box = [0]
        """,
        "n.box",
        refused=True,
    ),
    Place(
        "decimal_subclass",
        """
        import decimal
        class N(decimal.Decimal):
            pass
        n = N(1)
        n.box = [0]
        """,
        "n.box",
        refused=True,
    ),
    Place(
        "fraction_subclass",
        """
        import fractions
        class N(fractions.Fraction):
            pass
        n = N(1)
        n.box = [0]
        """,
        "n.box",
    ),
    Place(
        "exception_arguments",
        "e = ValueError([0])\n",
        "e.args[0]",
    ),
    Place(
        "exception_attribute",
        """
        e = ValueError()
        e.box = [0]
        """,
        "e.box",
    ),
    Place(
        "exception_context",
        """
        def make():
            try:
                try:
                    raise KeyError([0])
                except KeyError:
                    raise ValueError
            except ValueError as e:
                return e
        e = make()
        """,
        "e.__context__.args[0]",
    ),
    Place(
        "exception_cause",
        """
        e = ValueError()
        e.__cause__ = KeyError([0])
        """,
        "e.__cause__.args[0]",
    ),
    Place(
        "exception_field",
        """
        e = StopIteration([0])
        """,
        "e.value",
    ),
    Place(
        "exception_field_beside_arguments",
        """
        e = ImportError("text", name=[0])
        """,
        "e.name",
    ),
    Place(
        "exception_object",
        """
        class C:
            def __init__(self):
                self.box = [0]
        def make():
            try:
                C().other
            except AttributeError as e:
                return e
        e = make()
        """,
        "e.obj.box",
    ),
    Place(
        "exception_file",
        """
        e = OSError(2, "text", [0])
        """,
        "e.filename",
    ),
    Place(
        "exception_group",
        """
        e = ExceptionGroup("text", [ValueError([0])])
        """,
        "e.exceptions[0].args[0]",
        refused=True,
    ),
    Place(
        "exception_class",
        """
        class E(Exception):
            box = [0]
        """,
        "E.box",
    ),
    Place(
        "exception_method_default",
        """
        class E(Exception):
            def f(self, box=[0]):
                return box
        e = E()
        """,
        "e.f()",
    ),
    Place(
        "slice",
        """
        s = slice(None, None, None)
        boxes = [[0]]
        """,
        "boxes[s][0]",
    ),
    Place(
        "slice_of_object",
        "s = slice([0], None)\n",
        "s.start",
    ),
    Place(
        "list_iterator",
        """
        boxes = [[0]]
        it = iter(boxes)
        """,
        "boxes[0]",
    ),
    Place(
        "zip_iterator",
        """
        boxes = [[0]]
        z = list(zip(boxes, boxes))
        """,
        "z[0][1]",
    ),
    Place(
        "generator_local",
        """
        def g():
            box = [0]
            while True:
                yield box
        lock_g = threading.Lock()
        it = g()
        kept = next(it)
        def get():
            with lock_g:
                return next(it)
        """,
        "get()",
    ),
    Place(
        "itertools_repeat",
        """
        import itertools
        r = itertools.repeat([0])
        box = next(r)
        """,
        "box",
    ),
    Place(
        "itertools_cycle",
        """
        import itertools
        boxes = list(itertools.islice(itertools.cycle([[0]]), 2))
        """,
        "boxes[1]",
    ),
    Place(
        "thread_arguments",
        """
        box = [0]
        holder = threading.Thread(target=print, args=(box,))
        """,
        "holder._args[0]",
    ),
    Place(
        "thread_attribute",
        """
        class T(threading.Thread):
            box = [0]
            def f(self, box=[0]):
                return box
        holder = T()
        """,
        "holder.f()",
    ),
    Place(
        "queue_item",
        """
        import queue
        q = queue.Queue()
        q.put([0])
        q2 = [q.get()]
        """,
        "q2[0]",
    ),
    Place(
        "future_result",
        """
        import concurrent.futures
        f = concurrent.futures.Future()
        f.set_result([0])
        """,
        "f.result()",
    ),
    Place(
        "event_attribute",
        """
        e = threading.Event()
        e.box = [0]
        """,
        "e.box",
    ),
    Place(
        "lock_subclass_attribute",
        """
        class L:
            def __init__(self):
                self._lock = threading.Lock()
                self.box = [0]
        l = L()
        """,
        "l.box",
    ),
    Place(
        "random_instance",
        """
        import random
        class R(random.Random):
            pass
        r = R()
        r.box = [0]
        """,
        "r.box",
    ),
    Place(
        "context_manager_generator",
        """
        import contextlib
        @contextlib.contextmanager
        def cm(box=[0]):
            yield box
        def get():
            with cm() as box:
                return box
        """,
        "get()",
    ),
    Place(
        "exit_stack",
        """
        import contextlib
        stack = contextlib.ExitStack()
        stack.box = [0]
        """,
        "stack.box",
    ),
    Place(
        "logger_attribute",
        """
        import logging
        log = logging.getLogger('a')
        log.box = [0]
        """,
        "log.box",
    ),
    Place(
        "module_attribute",
        "import helper_of_places\n",
        "helper_of_places.box",
    ),
    Place(
        "module_attribute_from_outside",
        """
        import helper_of_places
        helper_of_places.other = [0]
        """,
        "helper_of_places.other",
    ),
    Place(
        "module_function_default",
        "import helper_of_places\n",
        "helper_of_places.f()",
    ),
    Place(
        "module_class_default",
        "import helper_of_places\n",
        "helper_of_places.C().f()",
    ),
    Place(
        "module_of_cpython",
        """
        import math
        math.box = [0]
        """,
        "math.box",
        refused=True,
    ),
    Place(
        "list_of_cpython",
        "import keyword\n",
        "keyword.kwlist",
        refused=True,
    ),
    Place(
        "annotations",
        """
        class C:
            n: int = 0
        """,
        "C.__annotations__.setdefault('box', [0])",
        refused=True,
    ),
    Place(
        "weak_reference",
        """
        import weakref
        class C:
            box = [0]
        c = C()
        r = weakref.ref(c)
        """,
        "r().box",
    ),
    Place(
        "operator_getter",
        """
        import operator
        class C:
            box = [0]
        c = C()
        get = operator.attrgetter('box')
        """,
        "get(c)",
    ),
    Place(
        "dict_view",
        """
        d = {1: [0]}
        v = d.values()
        """,
        "list(v)[0]",
    ),
    Place(
        "simple_namespace",
        """
        import types
        n = types.SimpleNamespace(box=[0])
        """,
        "n.box",
    ),
    Place(
        "memory_view",
        """
        data = bytearray(b'0')
        m = memoryview(data)
        """,
        "m",
        refused=True,
    ),
    Place(
        "thread_local_in_main",
        """
        local = threading.local()
        local.box = [0]
        box = local.box
        """,
        "box",
    ),
    Place(
        "cell",
        """
        def make():
            box = [0]
            def f():
                return box
            return f.__closure__
        cells = make()
        """,
        "cells[0].cell_contents",
    ),
    Place(
        "default_of_itself",
        """
        class C:
            def f(self, of=None):
                return C.f.__defaults__[1]
            f2 = lambda self, a=1, box=[0]: box
        c = C()
        """,
        "C.f2.__defaults__[1]",
    ),
)

# What came with packages: references, proxies, namespaces, and what stands for parts of CPython.
PACKAGES = (
    Place(
        "weak_reference_followed",
        """
        import weakref
        class C:
            pass
        c = C()
        c.box = [0]
        r = weakref.ref(c)
        """,
        "r().box",
    ),
    Place(
        "weak_reference_with_callback",
        """
        import weakref
        class C:
            pass
        c = C()
        c.box = [0]
        r = weakref.ref(c, lambda gone: None)
        """,
        "r().box",
    ),
    Place(
        "callback_of_weak_reference",
        """
        import weakref
        class C:
            pass
        c = C()
        def forget(gone, box=[0]):
            return box
        r = weakref.ref(c, forget)
        """,
        "r.__callback__(None)",
    ),
    Place(
        "weak_value",
        """
        import weakref
        class C:
            pass
        c = C()
        c.box = [0]
        d = weakref.WeakValueDictionary()
        d['c'] = c
        """,
        "d['c'].box",
    ),
    Place(
        "weak_key",
        """
        import weakref
        class C:
            pass
        c = C()
        d = weakref.WeakKeyDictionary()
        d[c] = [0]
        """,
        "d[c]",
    ),
    Place(
        "weak_method",
        """
        import weakref
        class C:
            def __init__(self):
                self.box = [0]
            def f(self):
                return self.box
        c = C()
        r = weakref.WeakMethod(c.f)
        """,
        "r()()",
    ),
    Place(
        "by_id",
        """
        class C:
            pass
        c = C()
        d = {id(c): [0]}
        """,
        "d[id(c)]",
    ),
    Place(
        "dict_of_instance",
        """
        class C:
            pass
        c = C()
        c.__dict__['box'] = [0]
        d = c.__dict__
        """,
        "d['box']",
    ),
    Place(
        "vars_of_instance",
        """
        class C:
            pass
        c = C()
        c.box = [0]
        """,
        "vars(c)['box']",
    ),
    Place(
        "dict_of_function",
        """
        def f():
            pass
        f.__dict__['box'] = [0]
        """,
        "f.box",
    ),
    Place(
        "defaults_without_effect",
        """
        def f(*values):
            pass
        f.__defaults__ = ([0],)
        """,
        "f.__defaults__[0]",
    ),
    Place(
        "mapping_proxy",
        """
        import types
        p = types.MappingProxyType({'box': [0]})
        """,
        "p['box']",
    ),
    Place(
        "mapping_proxy_of_class",
        """
        import types
        class C:
            table = types.MappingProxyType({'box': [0]})
        """,
        "C.table['box']",
    ),
    Place(
        "mapping_proxy_of_a_dict_that_is_kept",
        """
        import types
        d = {'box': [0]}
        p = types.MappingProxyType(d)
        """,
        "(p['box'] if p['box'] is d['box'] else None)",
    ),
    Place(
        "method_caller",
        """
        import operator
        call = operator.methodcaller('get', 'nothing', [0])
        """,
        "call({})",
    ),
    Place(
        "simple_namespace_in_list",
        """
        import types
        items = [types.SimpleNamespace(box=[0])]
        """,
        "items[0].box",
    ),
    Place(
        "dataclass_in_list",
        """
        import dataclasses
        @dataclasses.dataclass
        class C:
            box: list
        items = []
        items.append(C([0]))
        """,
        "sorted(items, key=lambda c: len(c.box))[0].box",
    ),
    Place(
        "parameter_of_signature",
        """
        import inspect
        def f(box=[0]):
            return box
        s = inspect.signature(f)
        """,
        "s.parameters['box'].default",
    ),
    Place(
        "bound_arguments",
        """
        import inspect
        b = inspect.signature(lambda box: box).bind([0])
        """,
        "b.arguments['box']",
    ),
    Place(
        "static_attribute",
        """
        import inspect
        class C:
            box = [0]
        c = C()
        """,
        "inspect.getattr_static(c, 'box')",
    ),
    Place(
        "module_of_sys",
        """
        import sys
        import helper_of_places
        """,
        "sys.modules['helper_of_places'].box",
    ),
    Place(
        "module_by_name",
        """
        import importlib
        m = importlib.import_module('helper_of_places')
        """,
        "m.box",
    ),
    Place(
        "beside_something_absent",
        """
        import socket
        d = {socket.socket: [0]}
        """,
        "d[socket.socket]",
    ),
    Place(
        "behind_something_absent",
        """
        import socket
        socket.box = [0]
        """,
        "socket.box",
        refused=True,
    ),
    Place(
        "lazy_attribute_of_a_module",
        "import helper_of_places\n",
        "helper_of_places.lazy",
    ),
    Place(
        "value_of_an_enumeration",
        """
        import enum
        class E(enum.Enum):
            A = object()
        of = {E.A: [0]}
        """,
        "of[E.A]",
    ),
    Place(
        "metaclass_of_abstract_classes",
        """
        import abc
        class M(abc.ABCMeta):
            def __new__(mcs, name, bases, names):
                made = super().__new__(mcs, name, bases, names)
                made.box = [0]
                return made
        class C(metaclass=M):
            pass
        """,
        "C.box",
    ),
)

PLACES = (*DEFAULTS, *FUNCTIONS, *CLASSES, *VALUES, *PACKAGES)

# The module beside the program that some of them import.
HELPER = """box = [0]
other = None


def f(box=[0]):
    return box


class C:
    def f(self, box=[0]):
        return box


_lazy = [0]


def __getattr__(name):
    if name == "lazy":
        return _lazy
    raise AttributeError(name)
"""
