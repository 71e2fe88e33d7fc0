# holds
from functools import singledispatch


@singledispatch
def f(x):
    return "o"


@f.register
def _(x: int):
    return "i"


assert f(1) == "i"
