import threading

h = []


def writer():
    e = ValueError("x")
    h.append(e)
    e.extra = 3


def reader():
    if h:
        assert getattr(h[0], "extra", None) == 3


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
