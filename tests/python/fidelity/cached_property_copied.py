# fails
import copy
import functools


class A:
    def __init__(self, n):
        self.n = n

    @functools.cached_property
    def x(self):
        return self.n

    @functools.cached_property
    def y(self):
        return self.n * 10


a = A(1)
a.x
b = copy.copy(a)
b.n = 2
b.y
assert a.y == 20
