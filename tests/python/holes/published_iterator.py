import threading

h = []


def writer():
    it = iter([1, 2])
    h.append(it)
    next(it)


def reader():
    if h:
        assert next(h[0], None) != 1


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
