import threading


def g(self):
    return 1


class C:
    def __len__(self):
        return 0


shared = C()
told = threading.Event()


def reader():
    told.set()
    assert len(shared) == 0


def writer():
    told.wait()
    C.__len__ = g


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
