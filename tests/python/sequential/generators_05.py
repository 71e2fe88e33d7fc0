# return value of a generator
def g():
    yield 1
    return "result"


it = g()
print(next(it))
try:
    next(it)
except StopIteration as stop:
    print(stop.value)


def outer():
    value = yield from g()
    print("inner returned", value)
    yield 2


print(list(outer()))
