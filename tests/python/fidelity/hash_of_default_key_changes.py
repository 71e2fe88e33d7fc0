# fails
from collections import defaultdict
import threading


class K:
    def __init__(self, v):
        self.v = v

    def __hash__(self):
        return hash(self.v)

    def __eq__(self, other):
        return self.v == other.v


k = K(1)
d = defaultdict(int, {k: 1})
lock = threading.Lock()


def one():
    with lock:
        k.v = 2


t = threading.Thread(target=one)
t.start()
t.join()
assert k in d
