# verdict: bytecode=verified gil=verified
import threading
from collections import deque

d = deque([1, 1, 1])
shared = iter(d)
generator = (x for x in d)
next(generator)


def w():
    d.append(d.popleft())


t = threading.Thread(target=w)
t.start()
own = iter(d)
try:
    fate = next(own)
except RuntimeError:
    fate = "mutated"
t.join()
for iterator in (shared, generator):
    try:
        next(iterator)
        assert False, "it was rotated"
    except RuntimeError:
        pass
assert fate == 1 or fate == "mutated"
after = iter(d)
assert list(after) == [1, 1, 1]
d.append(1)
try:
    next(after)
    assert False, "it looks for changes although it is at its end"
except RuntimeError:
    pass
