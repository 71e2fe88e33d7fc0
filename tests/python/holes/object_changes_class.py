import threading


class C:
    y = 0


class D:
    y = 0


shared = C()
told = threading.Event()


def reader():
    told.set()
    assert type(shared) is C


def writer():
    told.wait()
    shared.__class__ = D


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
