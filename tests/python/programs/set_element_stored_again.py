# verdict: bytecode=unusable
import threading, assay

s = {1, 2}


def w():
    with assay.atomic():
        s.remove(2)
        s.add(2)


def r():
    for x in s:
        pass


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
