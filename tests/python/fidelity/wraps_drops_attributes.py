# fails
import functools


def f():
    pass


f.tags = []


@functools.wraps(f)
def g():
    pass


assert not hasattr(g, "tags")
