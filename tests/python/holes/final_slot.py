import threading


class P:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


h = [P(1)]
told = threading.Event()


def reader():
    told.set()
    assert h[0].x != 2


def writer():
    told.wait()
    h[0] = P(2)


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
