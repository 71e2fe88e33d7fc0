# holds
import threading
from collections import deque


class Twice(deque):
    def append(self, item):
        deque.append(self, item)
        deque.append(self, item)

    def __iter__(self):
        return iter((0,))


d = Twice()


def one():
    d.append(1)


ts = [threading.Thread(target=one) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(d) == 4
assert d[0] == d[3] == 1
