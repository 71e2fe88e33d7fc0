# verdict: bytecode=verified
import threading


def gen():
    global n
    for i in range(2):
        n += 1
        yield i


n = 0
g = gen()
out = []
lk = threading.Lock()


def w():
    while True:
        with lk:
            try:
                out.append(next(g))
            except StopIteration:
                return


ts = [threading.Thread(target=w) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert sorted(out) == [0, 1] and n == 2
