import threading


class B:
    n = 0


class D(B):
    y = 0


told = threading.Event()


def reader():
    told.set()
    assert D.n == 0


def writer():
    told.wait()
    D.n = 1


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
