"""Every kind of parameter and argument."""


def f(a, /, b, *args, c=3, **kw):
    return a, b, args, c, kw


print(f(1, 2, 3, 4, c=5, z=6), f(1, b=2), f(*[1, 2], **{"q": 1}))
try:
    f()
except TypeError as e:
    print(e)


def kw(**k):
    return k


try:
    kw(**{"a": 1}, **{"a": 2})
except TypeError as e:
    print(e)
