# verdict: bytecode=verified gil=verified
import threading
from collections import deque

d = deque([1, 2, 3])
shared = iter(d)


def w():
    d[1] = 5  # no loop notices that, nor that the items change places
    d.reverse()


def r():
    got = [x for x in d]
    assert got in ([1, 2, 3], [1, 2, 1], [1, 5, 3], [1, 5, 1], [1, 2, 1], [1, 5, 1], [3, 5, 1], [1, 2, 3]), (
        got
    )
    assert len(list(shared)) == 3


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
