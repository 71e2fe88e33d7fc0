import threading


class Box:
    pass


shared = []


def writer():
    b = Box()
    shared.append(b)
    b.x = 1


def reader():
    if shared:
        assert hasattr(shared[0], "x")


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
