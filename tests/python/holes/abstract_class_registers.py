import abc
import threading


class A(abc.ABC):  # noqa: B024 (what is registered is what is tested)
    y = 0


class B:
    y = 0


shared = B()
told = threading.Event()


def reader():
    told.set()
    assert not isinstance(shared, A)


def writer():
    told.wait()
    A.register(B)


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
