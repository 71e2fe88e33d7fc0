"""Generators: send, throw, close, delegation."""


def log(*a):
    print(*a)


def gen(n):
    try:
        for i in range(n):
            x = yield i
            if x:
                log("got", x)
    finally:
        log("closed")
    return 99


def outer():
    r = yield from gen(3)
    log("r", r)
    try:
        yield 5
    except ValueError as e:
        log("caught", e)
        yield 6


g = outer()
print(next(g), g.send(1), g.send(None), next(g), g.throw(ValueError("v")))
print(list(g))
g2 = outer()
next(g2)
g2.close()
g3 = outer()
next(g3)
try:
    g3.throw(KeyError(3))
except KeyError as e:
    print("ke", e)
