# holds
import functools


class A:
    n = 0

    @functools.cached_property
    def x(self):
        A.n += 1
        return A.n


a = A()
a.x
del a.x
assert a.x == 2
