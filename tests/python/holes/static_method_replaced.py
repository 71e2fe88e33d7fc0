import threading


def g():
    return 1


class C:
    @staticmethod
    def m():
        return 0


told = threading.Event()


def reader():
    told.set()
    assert C.m() == 0


def writer():
    told.wait()
    C.m = staticmethod(g)


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
