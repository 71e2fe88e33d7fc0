# verdict: bytecode=violated:assertion
import threading
from collections.abc import MutableMapping


class M(MutableMapping):
    def __init__(self):
        self._d = {}

    def __getitem__(self, k):
        return self._d[k]

    def __setitem__(self, k, v):
        self._d[k] = v

    def __delitem__(self, k):
        del self._d[k]

    def __iter__(self):
        return iter(self._d)

    def __len__(self):
        return len(self._d)


m = M()
got = []


def w():
    v = m.setdefault("k", [])
    v.append(1)


ts = [threading.Thread(target=w) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert m["k"] == [1, 1]
