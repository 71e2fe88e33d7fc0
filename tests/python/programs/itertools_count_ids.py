# verdict: gil=verified
import itertools, threading

_ids = itertools.count(1)
seen = []


def make():
    seen.append(next(_ids))


ts = [threading.Thread(target=make) for _ in range(3)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert sorted(seen) == [1, 2, 3]
