import threading


def g(self):
    return 1


class C:
    def m(self):
        return 0


shared = C()
told = threading.Event()


def reader():
    told.set()
    assert C.m(shared) == 0


def writer():
    told.wait()
    C.m = g


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
