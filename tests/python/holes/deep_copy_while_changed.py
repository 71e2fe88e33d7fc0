import copy
import threading

p = {"a": [0], "b": [0]}


def w():
    p["a"][0] = 1
    p["b"][0] = 1


def r():
    q = copy.deepcopy(p)
    assert q["a"][0] >= q["b"][0]


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
