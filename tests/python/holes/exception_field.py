import threading

shared = StopIteration(1)
told = threading.Event()


def reader():
    told.set()
    assert shared.value == 1


def writer():
    told.wait()
    shared.value = 2


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
