import threading


class C:
    def __init__(self):
        self.v = 0


c = C()
d = c.__dict__


def writer():
    d["v"] = 1


def reader():
    assert c.v == 0


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
