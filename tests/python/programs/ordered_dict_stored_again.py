# verdict: bytecode=violated:exception gil=violated:exception
import threading
from collections import OrderedDict

d = OrderedDict([(1, 1), (2, 2)])
out = iter(d)
assert list(out) == [1, 2]
last = iter(d)
next(last), next(last)


def w():
    d[2] = d.pop(2)


def r():
    for x in d:
        pass


t = threading.Thread(target=w)
t.start()
t.join()
assert next(last, None) is None, "behind its last key it does not look any more"
ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
