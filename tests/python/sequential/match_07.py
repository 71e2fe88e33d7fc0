# fmt: off
# dataclasses, None, bool and negative and complex literals, strings in sequences
from dataclasses import dataclass


@dataclass
class Add:
    left: object
    right: object


@dataclass
class Num:
    value: int


@dataclass
class Neg:
    inner: object


def evaluate(e):
    match e:
        case Num(v):
            return v
        case Add(Num(0), x) | Add(x, Num(0)):
            return evaluate(x)
        case Add(a, b):
            return evaluate(a) + evaluate(b)
        case Neg(Neg(x)):
            return evaluate(x)
        case Neg(x):
            return -evaluate(x)


print(evaluate(Add(Num(1), Neg(Add(Num(2), Num(0))))), evaluate(Neg(Neg(Num(4)))))


def g(x):
    match x:
        case None | False:
            return "falsy"
        case -1.5 | -2:
            return "negative"
        case "a" "b":
            return "joined"
        case (1, [2, (3, *t)]):
            return t


print(g(None), g(False), g(0), g(-2), g(-1.5), g("ab"), g([1, (2, [3, 4, 5])]))
