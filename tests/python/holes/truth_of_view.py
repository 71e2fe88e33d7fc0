import threading

items = {}
keys = items.keys()


def writer():
    items["a"] = 1


def reader():
    before = 1 if keys else 0
    after = 1 if keys else 0
    assert before == after


ts = [threading.Thread(target=writer), threading.Thread(target=reader)]
for t in ts:
    t.start()
for t in ts:
    t.join()
