# fails
import threading


class D:
    v = 0


d = D()
seen = []


def one():
    D.v = 1


def two():
    seen.append(object.__getattribute__(D, "v"))
    seen.append(object.__getattribute__(D, "v"))


ts = [threading.Thread(target=f) for f in (one, two)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert seen[0] == seen[1]
