# close and GeneratorExit
def g():
    try:
        yield 1
        yield 2
    finally:
        print("cleanup")


it = g()
print(next(it))
it.close()
print(next(it, "closed"))
it.close()
unstarted = g()
unstarted.close()
print(list(unstarted))


def stubborn():
    try:
        yield 1
    except GeneratorExit:
        yield 2


s = stubborn()
next(s)
try:
    s.close()
except RuntimeError as error:
    print(error)
