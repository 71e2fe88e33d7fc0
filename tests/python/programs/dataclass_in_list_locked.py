# verdict: bytecode=verified sync=verified
import threading
from dataclasses import dataclass, field


@dataclass
class Job:
    pri: int
    name: str


jobs = []
L = threading.Lock()


def w(i):
    with L:
        j = Job(i, "j")
        if j not in jobs:
            jobs.append(j)
        jobs[0].name = "k"


ts = [threading.Thread(target=w, args=(i,)) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(jobs) == 2
