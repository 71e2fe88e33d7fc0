# fails
import contextlib


class A(contextlib.AbstractContextManager):
    pass


with A():
    pass
