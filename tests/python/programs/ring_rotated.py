# verdict: bytecode=violated:exception gil=violated:exception
import threading
from collections import deque

d = deque([1, 1])


def w():
    d.rotate()  # the items are the same, but CPython notices


def r():
    for x in d:
        pass


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
