# holds
import abc
import threading


class Base(abc.ABC):
    pass


@Base.register
class Some:
    pass


def one():
    assert issubclass(Some, Base)


t = threading.Thread(target=one)
t.start()
t.join()
