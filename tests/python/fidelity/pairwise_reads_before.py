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
        if v == 2:
            inside.set()
            go_on.wait()
        return v


pairs = itertools.pairwise(Source())
got = []


def first():
    got.append(next(pairs))


t = threading.Thread(target=first)
t.start()
inside.wait()
assert next(pairs) == (1, 3)
go_on.set()
t.join()
assert got == [(3, 2)]
