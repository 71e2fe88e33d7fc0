# fails
import contextlib


class A:
    def __enter__(self):
        return self

    def __exit__(self, *a):
        return None


assert not isinstance(A(), contextlib.AbstractContextManager)
