import threading

items = {1: 1, 2: 2}
keys = items.keys()


def writer():
    items[3] = 3


def reader():
    try:
        for _ in keys:
            pass
    except RuntimeError:
        raise AssertionError from None


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
