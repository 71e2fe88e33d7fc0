# throw into a generator that was not started, and with a return in finally
def g():
    print("started")
    yield 1


it = g()
try:
    it.throw(ValueError("early"))
except ValueError as error:
    print("out", error)
print(list(it))


def swallow():
    try:
        yield 1
    except ValueError:
        return
    finally:
        print("finally")


s = swallow()
next(s)
try:
    s.throw(ValueError())
except StopIteration:
    print("stopped")
