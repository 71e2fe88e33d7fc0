# verdict: bytecode=verified
import threading, queue
from typing import NamedTuple


class Job(NamedTuple):
    ident: int
    payload: str = "x"


q: "queue.Queue[Job | None]" = queue.Queue()
done: list[int] = []


def worker():
    while (job := q.get()) is not None:
        done.append(job.ident)
        q.task_done()
    q.task_done()


t = threading.Thread(target=worker)
t.start()
for i in range(2):
    q.put(Job(i))
q.put(None)
q.join()
t.join()
assert done == [0, 1]
