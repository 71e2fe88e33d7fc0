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
        if Source.n == 1:
            inside.set()
            go_on.wait()
        return Source.n


a, b = itertools.tee(Source())


def first():
    next(a)


t = threading.Thread(target=first)
t.start()
inside.wait()
try:
    next(b)
finally:
    go_on.set()
    t.join()
