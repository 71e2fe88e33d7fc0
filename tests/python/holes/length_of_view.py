import threading

shared = {1: 1}
v = shared.keys()
told = threading.Event()


def reader():
    told.set()
    assert len(v) == 1


def writer():
    told.wait()
    shared[2] = 1


a = threading.Thread(target=reader)
b = threading.Thread(target=writer)
a.start()
b.start()
a.join()
b.join()
