"""Scopes that are easily got wrong."""

import collections.abc
import math as mathematics
from collections import OrderedDict, abc

counter = 0


def count():
    global counter
    counter += 1
    return counter


count(), count()
print(counter, mathematics.floor(2.5), abc is collections.abc, OrderedDict(a=1)["a"])


def outer(x):
    class Inner:
        y = x
        x = "class"

        def get(self):
            return x

        def own(self):
            return self.x, self.y

    return Inner()


def outer_with_free(x):
    class Inner:
        z = x

        def get(self):
            return x

    return Inner()


try:
    outer("function").get()
except NameError as problem:
    print(type(problem).__name__, problem)
print(outer_with_free("function").get(), outer_with_free("function").z)


def parameter_in_cell(a, b, *rest, c=1, **named):
    def inner():
        nonlocal a
        a += 1
        return a, b, rest, c, named

    return inner(), a


print(parameter_in_cell(1, 2, 3, c=4, d=5))


class Private:
    __slot = 1

    def __init__(self):
        self.__value = 2
        __local = 3
        self.sum = self.__value + __local + Private.__slot

    def comprehension(self):
        return [self.__value + i for i in range(2)], (lambda: self.__value)()


print(
    Private().sum, Private().comprehension(), sorted(vars_ for vars_ in dir(Private()) if "Private" in vars_)
)


class Meta(type):
    def __new__(mcs, name, bases, namespace, extra=None):
        made = super().__new__(mcs, name, bases, namespace)
        made.extra = extra
        return made

    def __call__(cls, *arguments):
        print("making", cls.__name__)
        return super().__call__(*arguments)


class WithMeta(metaclass=Meta, extra="e"):
    def __new__(cls, *arguments):
        return super().__new__(cls)

    def __init__(self, *arguments):
        self.arguments = arguments

    def __class_getitem__(cls, item):
        return f"{cls.__name__}[{item}]"


print(WithMeta(1, 2).arguments, WithMeta.extra, WithMeta[3])


def nested_comprehensions():
    n = 2
    return [[n * i + j for j in range(i)] for i in range(3)], {k: {v for v in range(k)} for k in range(2)}


print(nested_comprehensions())


def walrus_in_comprehension():
    values = [y := x * 2 for x in range(3)]
    return values, y, [z for x in range(3) if (z := x) > 0], z


print(walrus_in_comprehension())


def walrus_with_nonlocal():
    total = 0

    def add():
        nonlocal total
        return [total := total + i for i in range(4)]

    return add(), total


print(walrus_with_nonlocal())


def deep():
    a = 1

    def level1():
        def level2():
            def level3():
                return a

            return level3

        return level2

    return level1()()()


print(deep())


def generator_expression_sees_later_values():
    items = [1, 2, 3]
    lazy = (i * k for i in items)
    k = 10
    items = None
    return list(lazy)


print(generator_expression_sees_later_values())


def exception_name():
    e = "before"
    try:
        raise ValueError("v")
    except ValueError as e:
        inside = (lambda: e)()
    try:
        return e
    except UnboundLocalError as problem:
        return repr(inside), str(problem)


print(exception_name())


def except_in_loop():
    found = []
    for i in range(3):
        try:
            if i == 1:
                raise KeyError(i)
        except KeyError as e:
            found.append(repr(e))
            continue
        finally:
            found.append(i)
    return found


print(except_in_loop())
print((lambda *a, k=2, **n: (a, k, n))(1, k=3, z=4), __name__, __debug__)


def lazy_defaults(a=[]):  # noqa: B006
    a.append(1)
    return a


lazy_defaults()
print(lazy_defaults(), lazy_defaults.__name__, lazy_defaults.__doc__, deep.__qualname__)
for i, (a, b) in enumerate([(1, 2), (3, 4)]):
    pass
else:
    print(i, a, b)
x = y = z = [0]
x[0], y = 5, 6
print(x, y, z)
print(*[1, 2], *(3,), sep="-", **{"end": "!\n"})
