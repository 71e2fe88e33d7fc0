import threading


def f():
    pass


told = threading.Event()


def reader():
    told.set()
    assert not hasattr(f, "n")


def writer():
    told.wait()
    f.n = 1


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
