# verdict: bytecode=unusable
import threading, assay

s = {1, 2}


def w():
    with assay.atomic():
        s.remove(2)
        s.add(3)


def r():
    got = []
    for x in s:
        got.append(x)
    assert got in ([1, 2], [2, 1], [1, 3], [3, 1]), got


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
