import threading
from dataclasses import dataclass


@dataclass
class P:
    x: int
    y: int


p = P(0, 0)


def w():
    p.x = 1
    p.y = 1


def r():
    assert "x=0, y=1" not in repr(p)


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
