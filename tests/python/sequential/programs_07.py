# least recently used cache
from collections import OrderedDict


class Cache:
    def __init__(self, size):
        self.size = size
        self.data = OrderedDict()

    def __getitem__(self, key):
        self.data.move_to_end(key)
        return self.data[key]

    def __setitem__(self, key, value):
        self.data[key] = value
        self.data.move_to_end(key)
        if len(self.data) > self.size:
            self.data.popitem(last=False)

    def __contains__(self, key):
        return key in self.data


c = Cache(2)
c["a"], c["b"] = 1, 2
print(c["a"])
c["c"] = 3
print("b" in c, "a" in c, list(c.data))
