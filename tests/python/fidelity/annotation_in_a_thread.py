# fails
import threading

names = []


def one():
    def inner(x: names[0]):
        pass


def two():
    names.append(int)


ts = [threading.Thread(target=f) for f in (two, one)]
for t in ts:
    t.start()
for t in ts:
    t.join()
