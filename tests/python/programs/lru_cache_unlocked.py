# verdict: gil=violated:exception
from collections import OrderedDict
from threading import Thread


class LRUCache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.cache = OrderedDict()

    def get(self, key):
        if key in self.cache:
            self.cache.move_to_end(key)
            return self.cache[key]
        return None

    def put(self, key, value):
        self.cache[key] = value
        if len(self.cache) > self.capacity:
            self.cache.popitem(last=False)


cache = LRUCache(1)
cache.put("a", 1)
t1 = Thread(target=lambda: cache.get("a"))
t2 = Thread(target=lambda: cache.put("b", 2))
t1.start()
t2.start()
t1.join()
t2.join()
