# verdict: bytecode=verified
import threading
from collections.abc import Sequence


class S(Sequence):
    def __init__(self, xs):
        self._xs = xs

    def __getitem__(self, i):
        return self._xs[i]

    def __len__(self):
        return len(self._xs)


s = S([1, 2, 3])


def w():
    assert 2 in s
    assert s.index(3) == 2
    assert list(s) == [1, 2, 3]
    assert list(reversed(s)) == [3, 2, 1]
    assert s.count(1) == 1


ts = [threading.Thread(target=w) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
