# refused
import sys

sys.setrecursionlimit(60)


def f(n):
    return 0 if n == 0 else f(n - 1)


f(100)
