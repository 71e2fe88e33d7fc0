# fails
import copy
import threading

items = [1]
copies = []


def one():
    items.append(2)


def two():
    copies.append(copy.copy(items))
    copies.append(copy.copy({1: items}))
    copies.append(copy.copy({1}))


ts = [threading.Thread(target=f) for f in (one, two)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert copies[1:] == [{1: [1, 2]}, {1}]
assert copies[0] == [1, 2]
