import enum
import threading


class E(enum.Enum):
    A = 1


E.A.n = 0
told = threading.Event()


def reader():
    told.set()
    assert E.A.n == 0


def writer():
    told.wait()
    E.A.n = 1


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
