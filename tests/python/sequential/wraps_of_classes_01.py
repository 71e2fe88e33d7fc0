"""What `functools.wraps` takes from a class: all that it has itself."""

import functools


class Config:
    "settings"

    limit = 3
    names = ["a"]

    def __init__(self, n=1):
        self.n = n

    def get(self):
        return self.n

    @staticmethod
    def two():
        return 2


@functools.wraps(Config)
def make(*arguments):
    return Config(*arguments)


print(make.__name__, make.__doc__, make.__qualname__, make.__wrapped__ is Config)
print(make.limit, make.names is Config.names, make.get(Config(4)), make.__init__ is Config.__init__)
print(hasattr(make, "limit"), hasattr(make, "other"), make(5).n)


class Wrapper:
    level = 1

    def __init__(self, function):
        self.function = function
        functools.update_wrapper(self, function)

    @property
    def shape(self):
        return "round"

    def __call__(self, *arguments):
        return self.function(*arguments)


class Made:
    "made"

    size = 4
    shape = "square"
    level = 2

    def __init__(self, n=0):
        self.n = n

    def __call__(self):
        return "called"


zipped, made = Wrapper(zip), Wrapper(Made)
print(zipped.__name__, made.__name__, made.__doc__, list(zipped([1], [2])))
print(made.size, made.shape, made.level, made(3).n, made(3)(), made.__wrapped__ is Made)
