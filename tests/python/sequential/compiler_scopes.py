"""Closures, class scopes, comprehensions, the walrus."""


def cl():
    n = 0

    def inc():
        nonlocal n
        n += 1
        return n

    inc()
    inc()
    return n, [lambda i=i: i + n for i in range(2)][1]()


print(cl())
x = 5


class K:
    x = x + 1
    y = [x for _ in range(2)]
    z = (lambda: x)()


print(K.x, K.y, K.z)
print([last := i for i in range(4)], last)


def wal():
    if any((hit := v) > 2 for v in [1, 2, 3, 4]):
        return hit


print(wal())


def dele():
    q = 1
    del q
    try:
        q
    except UnboundLocalError as e:
        print(e)


dele()
try:
    undefined_name
except NameError as e:
    print(e)
