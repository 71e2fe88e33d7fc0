import threading
from dataclasses import dataclass, field


@dataclass(slots=True)
class Stats:
    hits: int = 0
    misses: int = 0
    keys: list = field(default_factory=list)

    @property
    def lookups(self):
        return self.hits + self.misses


class Cache:
    def __init__(self):
        self.stats = Stats()
        self._data = {"a": 1}

    def get(self, key):
        if key in self._data:
            self.stats.hits += 1
        else:
            self.stats.misses += 1
        self.stats.keys.append(key)
        return self._data.get(key)


cache = Cache()
threads = [threading.Thread(target=cache.get, args=("a",)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert cache.stats.lookups == len(cache.stats.keys)
