# fails
import contextlib


def b1():
    raise KeyError(1)


def b2():
    raise IndexError(2)


try:
    with contextlib.ExitStack() as s:
        s.callback(b1)
        s.callback(b2)
except KeyError as e:
    assert e.__context__ is not None
