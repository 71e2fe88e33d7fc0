import threading

reg = []


class N:
    def __init__(self):
        reg.append(self)
        self.v = 5


def writer():
    N()


def reader():
    for n in reg:
        assert hasattr(n, "v")


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
