import threading

h = []


def writer():
    x = 0

    def f():
        return x

    h.append(f)
    x = 1


def reader():
    if h:
        assert h[0]() == 1


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
