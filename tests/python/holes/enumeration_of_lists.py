import enum
import threading


class E(enum.Enum):
    A = [0]  # noqa: RUF012 (that it can change is what is tested)


told = threading.Event()


def reader():
    told.set()
    assert E.A.value[0] == 0


def writer():
    told.wait()
    E.A.value[0] = 1


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
