# verdict: bytecode=verified sync=verified
import threading
from dataclasses import dataclass, field


@dataclass(order=True)
class Job:
    pri: int
    name: str = field(compare=False)


jobs = []
L = threading.Lock()


def w(i):
    with L:
        jobs.append(Job(i, "j"))
        jobs.sort()
        m = min(jobs)
        assert m.pri <= i


ts = [threading.Thread(target=w, args=(i,)) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert [j.pri for j in jobs] == [0, 1]
