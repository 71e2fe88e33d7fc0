# holds
import threading
from collections import OrderedDict


class K:
    def __init__(s, v):
        s.v = v

    def __hash__(s):
        return hash(s.v)

    def __eq__(s, o):
        return s.v == o.v


class O(OrderedDict):
    pass


d = O()
d[K(1)] = 1
e = {frozenset([K(2), K(3)]): 1}
lock = threading.Lock()


def one():
    with lock:
        d[K(2)] = 2


def two():
    with lock:
        d[K(3)] = 2


ts = [threading.Thread(target=f) for f in (one, two)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(d) == 3
