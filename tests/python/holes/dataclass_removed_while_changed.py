import threading
from dataclasses import dataclass


@dataclass
class P:
    x: int
    y: int


ps = [P(0, 0)]


def w():
    ps[0].x = 1
    ps[0].y = 1


def r():
    try:
        ps.remove(P(0, 1))
    except ValueError:
        return
    raise AssertionError


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
