# verdict: bytecode=verified
import threading
from collections import UserList

s = UserList()


def inc():
    s.append(1)


ts = [threading.Thread(target=inc) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(s) == 2, s
