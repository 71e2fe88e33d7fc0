# fails
import functools


class A:
    __slots__ = ()

    @functools.cached_property
    def x(self):
        return 1


try:
    A().x
except AttributeError:
    pass
