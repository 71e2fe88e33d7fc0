import threading
from collections import OrderedDict


class Cache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.entries = OrderedDict()
        self.lock = threading.Lock()

    def get(self, key):
        if key in self.entries:
            self.entries.move_to_end(key)
            return self.entries[key]
        value = key * 2
        with self.lock:
            self.entries[key] = value
            if len(self.entries) > self.capacity:
                self.entries.popitem(last=False)
        return value


cache = Cache(1)


def ask(key):
    cache.get(key)
    assert cache.get(key) == key * 2


readers = [threading.Thread(target=ask, args=(key,), name=f"reader-{key}") for key in (1, 2)]
for reader in readers:
    reader.start()
for reader in readers:
    reader.join()
