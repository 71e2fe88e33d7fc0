# fails
import sys


class C:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.traceback = traceback
        self.told = sys.exc_info()[2]
        return True


with C() as c:
    raise ValueError
assert c.traceback is None or c.told is None
