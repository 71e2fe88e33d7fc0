# verdict: bytecode=verified
import threading


class LazyDict(dict):
    def __init__(self, factory):
        super().__init__()
        self.factory = factory
        self.lock = threading.Lock()

    def __missing__(self, key):
        with self.lock:
            if key in self:
                return self[key]
            value = self[key] = self.factory(key)
            return value


made = []


def make(k):
    made.append(k)
    return k.upper()


d = LazyDict(make)


def w():
    assert d["a"] == "A"


ts = [threading.Thread(target=w) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert made == ["a"]
