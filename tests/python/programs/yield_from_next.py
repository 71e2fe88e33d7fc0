# verdict: bytecode=violated:exception
import threading

x = 0


class It:
    def __init__(self):
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        global x
        x += 1
        return x


def gen():
    yield from It()


g = gen()
out = []


def w():
    out.append(next(g))


ts = [threading.Thread(target=w) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
