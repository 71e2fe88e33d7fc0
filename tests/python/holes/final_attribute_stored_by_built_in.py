import threading


class C:
    def __init__(self):
        self.v = 0


c = C()
name = "".join(["__seta", "ttr__"])  # noqa: FLY002 (a name that the text does not tell)
f = getattr(object, name)


def w():
    f(c, "v", 1)


def r():
    a = c.v
    b = c.v
    assert a == b


ts = [threading.Thread(target=r), threading.Thread(target=w)]
for t in ts:
    t.start()
for t in ts:
    t.join()
