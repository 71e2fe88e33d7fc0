import threading


class B:
    n = 0


class D(B):
    y = 0

    def f(self):
        return super().n


shared = D()
told = threading.Event()


def reader():
    told.set()
    assert shared.f() == 0


def writer():
    told.wait()
    B.n = 1


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
