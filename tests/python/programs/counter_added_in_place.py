# verdict: bytecode=violated:assertion
import threading
from collections import Counter

s = Counter()


def inc():
    global s
    s += Counter("a")


ts = [threading.Thread(target=inc) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert s["a"] == 2
