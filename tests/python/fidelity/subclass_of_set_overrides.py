# holds
import threading


class Odd(set):
    def __iter__(self):
        return iter((0,))


s = Odd()


def one(n):
    s.add(n)


ts = [threading.Thread(target=one, args=(n,)) for n in (1, 2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(s) == 2 and 1 in s and 2 in s
