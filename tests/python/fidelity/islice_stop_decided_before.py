# fails
import itertools
import threading

inside = threading.Event()
go_on = threading.Event()


class Source:
    n = 0

    def __iter__(self):
        return self

    def __next__(self):
        Source.n += 1
        v = Source.n
        if v == 3:
            inside.set()
            go_on.wait()
        return v


part = itertools.islice(Source(), 1, 7, 2)
got = []


def first():
    got.append(next(part))
    got.append(next(part, None))


t = threading.Thread(target=first)
t.start()
inside.wait()
next(part)
next(part)
go_on.set()
t.join()
assert got[1] is not None
