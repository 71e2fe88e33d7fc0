import threading

h = [("a" * 50)]


def writer():
    h[0] = "".join(["a"] * 50)


def reader():
    a = h[0]
    b = h[0]
    assert a is b


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
