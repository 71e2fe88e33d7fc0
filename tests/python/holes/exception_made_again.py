import threading

shared = ValueError(1)
told = threading.Event()


def reader():
    told.set()
    p = shared.args
    q = shared.args
    assert p == q


def writer():
    shared.__init__(2)


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
