import threading


def mk():
    x = 0

    def g():
        return x

    return g


g = mk()
told = threading.Event()


def reader():
    told.set()
    p = g()
    q = g()
    assert p == q


def writer():
    g.__closure__[0].cell_contents = 1


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
