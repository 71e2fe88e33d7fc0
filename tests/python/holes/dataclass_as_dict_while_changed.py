import threading
from dataclasses import asdict, dataclass


@dataclass
class P:
    x: int
    y: int


p = P(0, 0)


def w():
    p.x = 1
    p.y = 1


def r():
    q = asdict(p)
    assert q["x"] >= q["y"]


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
