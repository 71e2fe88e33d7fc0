"""Class statements that run more than once make classes of their own."""

import collections
import enum


def make(n):
    class Kind:
        """Of its own."""

        shared = [n]

        def get(self):
            return self.shared, n, __class__ is type(self)

        @classmethod
        def name(cls):
            return cls.__qualname__

        @property
        def first(self):
            return self.shared[0]

    return Kind


kinds = [make(n) for n in range(3)]
print([kind().get() for kind in kinds], [kind().first for kind in kinds])
print({kind.name() for kind in kinds}, len(set(kinds)), kinds[0] == kinds[1], kinds[0].get == kinds[1].get)
kinds[1].shared.append("x")
kinds[2].extra = 1
print([kind.shared for kind in kinds], [hasattr(kind, "extra") for kind in kinds])
print(isinstance(kinds[0](), kinds[1]), isinstance(kinds[0](), kinds[0]))

for base in kinds:

    class Derived(base):
        def get(self):
            return "derived", *super().get()

    print(Derived().get(), Derived.__mro__[1] is base)

P = collections.namedtuple("P", "a")
Q = collections.namedtuple("P", "a")
print(P(1), Q(1), P(1) == Q(1), type(P(1)) is type(Q(1)))
made = [type("Made", (), {"n": n, "get": lambda self: self.n}) for n in range(3)]
print([kind().get() for kind in made], made[0] is made[1])


def colours(*names):
    class Colour(enum.Enum):
        RED = names

    return Colour


print(colours(1).RED, colours(2).RED.value, colours(1).RED == colours(1).RED)


class Meta(type):
    def __new__(cls, name, bases, names):
        made = super().__new__(cls, name, bases, dict(names, by=cls.__name__))
        type.__setattr__(made, "stored", name)
        return made

    def __setattr__(cls, name, value):
        raise AttributeError(name)


Base = Meta("Base", (), {"f": lambda self: 1})


class Below(Base):
    pass


print(type(Base) is Meta, Below().f(), Below.by, Base.stored, Below.stored, Base.__name__)
try:
    Base.stored = 2
except AttributeError as problem:
    print(problem)
print([kind.__name__ for kind in (Meta("Same", (), {}), Meta("Same", (Base,), {}))])
