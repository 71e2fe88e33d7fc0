# verdict: bytecode=violated:exception
import threading

x = 0


def gen():
    while True:
        a = x
        yield a


g = gen()


def take():
    global x
    x += 1
    next(g)


ts = [threading.Thread(target=take) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
