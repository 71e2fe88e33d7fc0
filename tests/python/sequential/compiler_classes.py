"""Classes, private names, super(), dataclasses, enumerations."""

import enum
from dataclasses import dataclass, field
from typing import ClassVar


class Base:
    def __init__(self, x):
        self.x = x

    def hello(self):
        return f"Base {self.x}"

    def __init_subclass__(cls, **kw):
        print("sub", cls.__name__, kw)


class D(Base, flag=1):
    """doc"""

    z: int = 3

    def __init__(self):
        super().__init__(4)

    def hello(self):
        return "D " + super().hello() + __class__.__name__

    @property
    def p(self):
        return self.__priv()

    def __priv(self):
        return "priv"

    @staticmethod
    def s(a=1):
        return a

    @classmethod
    def c(cls):
        return cls.__name__


print(D().hello(), D().p, D.s(), D.c(), D.__doc__, D.hello.__qualname__, D.__module__)


@dataclass(order=True)
class P:
    x: int
    y: int = 2
    tag: ClassVar[str] = "t"
    l: list = field(default_factory=list)


print(P(1), P(1) == P(1, 2), P(1) < P(2), P.tag)


class Color(enum.Enum):
    RED = 1
    BLUE = enum.auto()

    def up(self):
        return self.name.upper()


print(Color.RED, Color.BLUE.value, [c.name for c in Color], Color.RED.up())
