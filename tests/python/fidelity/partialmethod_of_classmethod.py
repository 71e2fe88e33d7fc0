# refused
from functools import partialmethod


class A:
    @classmethod
    def c(cls, k):
        return k

    d = partialmethod(c, 4)


assert A.d() == 4
