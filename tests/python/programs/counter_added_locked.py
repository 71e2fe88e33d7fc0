# verdict: bytecode=verified
import threading
from collections import Counter

s = Counter()
L = threading.Lock()


def inc():
    global s
    with L:
        s += Counter("a")
        s.subtract("b")
        s.update(b=2)


ts = [threading.Thread(target=inc) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert s["a"] == 2 and s["b"] == 2, s
