import threading


class C:
    y = 0


shared = C()
told = threading.Event()


def reader():
    told.set()
    assert getattr(shared, "x", 0) == 0


def writer():
    told.wait()
    C.x = 1


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
