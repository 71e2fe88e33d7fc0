# fails
import types


def f():
    pass


def g():
    yield 1


assert not isinstance(f, types.FunctionType)
assert not isinstance(g(), types.GeneratorType)
