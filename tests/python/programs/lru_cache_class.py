# verdict: bytecode=verified
from collections import OrderedDict
from threading import RLock, Thread


class LRUCache:
    def __init__(self, capacity: int):
        self.capacity = capacity
        self.cache = OrderedDict()
        self.lock = RLock()

    def get(self, key, default=None):
        with self.lock:
            if key not in self.cache:
                return default
            self.cache.move_to_end(key)
            return self.cache[key]

    def put(self, key, value):
        with self.lock:
            if key in self.cache:
                self.cache.move_to_end(key)
            self.cache[key] = value
            if len(self.cache) > self.capacity:
                self.cache.popitem(last=False)

    def __len__(self):
        with self.lock:
            return len(self.cache)


cache = LRUCache(2)


def user(base):
    cache.put(base, base * 10)
    v = cache.get(base)
    assert v is None or v == base * 10


ts = [Thread(target=user, args=(i,)) for i in (1, 2, 3)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(cache) == 2
