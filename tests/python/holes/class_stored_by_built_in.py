import threading


class C:
    x = 0


told = threading.Event()


def reader():
    told.set()
    p = C.x
    q = C.x
    assert p == q


def writer():
    type.__setattr__(C, "x", 1)


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
