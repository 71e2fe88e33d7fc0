# a generator that is running cannot be entered again
def g():
    yield next(me)


me = g()
try:
    next(me)
except ValueError as error:
    print(error)


def echo():
    received = []
    while len(received) < 3:
        received.append((yield len(received)))
    return received


e = echo()
next(e)
try:
    for letter in "abc":
        print(e.send(letter))
except StopIteration as stop:
    print(stop.value)
