# verdict: bytecode=violated:exception gil=violated:exception
import threading
from collections import OrderedDict

d = OrderedDict([(1, 1), (2, 2)])


def w():
    d.move_to_end(1)


def r():
    for x in d.items():
        pass


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
