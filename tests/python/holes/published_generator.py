import threading

h = []


def writer():
    d = [0]

    def gen():
        while True:
            yield d[0]

    g = gen()
    h.append(g)
    d[0] = 1


def reader():
    if h:
        assert next(h[0]) == 1


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
