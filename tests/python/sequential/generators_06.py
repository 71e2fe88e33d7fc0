# yield from passes send and throw on
def inner():
    try:
        while True:
            x = yield
            print("inner got", x)
            if x is None:
                return "done"
    except KeyError:
        print("inner caught")
        yield "after"
        return "thrown"


def outer():
    result = yield from inner()
    print("result", result)
    yield "end"


g = outer()
next(g)
g.send(1)
g.send(2)
print(g.throw(KeyError))
print(next(g))
g = outer()
next(g)
print(g.send(None))
