# verdict: bytecode=unusable
import threading, assay

s = {1: 1, 2: 2}


def w():
    with assay.atomic():
        del s[1]
        s[3] = 3


def r():
    for x in s:
        pass


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
