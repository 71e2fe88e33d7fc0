# refused
import threading


class K:
    def __init__(s, v):
        s.v = v

    def __hash__(s):
        return 7

    def __eq__(s, o):
        return s.v == o.v


a, b = K(1), K(2)
d = {a, b}
lock = threading.Lock()


def one():
    with lock:
        a.v = 2


def two():
    with lock:
        pass


ts = [threading.Thread(target=f) for f in (one, two)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(d) == 1
