import collections as c
import math
from functools import reduce as fold
from math import pi as circle
from math import sqrt

print(c.deque([1]), math.floor(2.5), fold(max, [1, 3]), round(circle, 2), sqrt(9))


def local():
    import heapq

    return heapq.nsmallest(1, [3, 2])


print(local(), math.sqrt is sqrt)
try:
    import surely_not_there
except ImportError as error:
    print(type(error).__name__)
try:
    from math import nothing_like_it
except ImportError:
    print("no such name")
try:
    math.nothing
except AttributeError as error:
    print(error)
