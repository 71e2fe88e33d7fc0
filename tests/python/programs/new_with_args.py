# verdict: bytecode=verified
import threading


class Point:
    _cache = {}
    _lock = threading.Lock()

    def __new__(cls, x, y):
        with cls._lock:
            key = (x, y)
            if key not in cls._cache:
                cls._cache[key] = super().__new__(cls)
            return cls._cache[key]

    def __init__(self, x, y):
        self.x, self.y = x, y


out = []


def w():
    out.append(Point(1, 2))


ts = [threading.Thread(target=w) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert out[0] is out[1] and out[0].x == 1
