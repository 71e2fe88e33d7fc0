# verdict: bytecode=verified sync=verified
import threading
from collections import UserDict


class Store(UserDict):
    pass


s = Store()
s["n"] = 0
L = threading.Lock()


def inc():
    with L:
        s["n"] = s["n"] + 1


ts = [threading.Thread(target=inc) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert s["n"] == 2, s["n"]
