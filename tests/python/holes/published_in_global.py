import threading

g = None


def writer():
    global g
    b = []
    g = b
    b.append(1)


def reader():
    x = g
    if x is not None:
        assert x


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
