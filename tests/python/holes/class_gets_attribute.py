import threading


class C:
    pass


told = threading.Event()


def reader():
    told.set()
    assert not hasattr(C, "x")


def writer():
    told.wait()
    C.x = 1


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
