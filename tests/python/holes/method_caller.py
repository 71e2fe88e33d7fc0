import operator
import threading

shared = [1]
f = operator.methodcaller("append", 2)
told = threading.Event()


def reader():
    told.set()
    p = list(shared)
    q = list(shared)
    assert p == q


def writer():
    f(shared)


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
