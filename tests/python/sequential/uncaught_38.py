from enum import Enum


class E(Enum):
    A = 1


print(E(1))
E(5)
# ends with ValueError
