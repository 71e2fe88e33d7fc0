# with arguments, as classes, on classes and methods
def repeat(n):
    def decorate(f):
        return lambda *a: [f(*a) for _ in range(n)]

    return decorate


class Count:
    def __init__(self, f):
        self.f, self.n = f, 0

    def __call__(self, *a):
        self.n += 1
        return self.f(*a), self.n


def tagged(cls):
    cls.tag = cls.__name__.lower()
    return cls


@repeat(3)
def hi(x):
    return x


@Count
def f(x):
    return -x


@tagged
class Thing:
    @repeat(2)
    def me(self):
        return self.tag


print(hi("a"), f(1), f(2), Thing.tag, Thing().me())
