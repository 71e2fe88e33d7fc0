# verdict: bytecode=unusable
import threading, assay

d = {1: 1, 2: 2}


def w():
    with assay.atomic():
        d[2] = d.pop(2)  # CPython: RuntimeError: dictionary keys changed during iteration


def r():
    for x in d:
        pass


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
