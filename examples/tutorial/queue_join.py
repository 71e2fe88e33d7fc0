"""`Queue.join` waits until every item has been dealt with, not only until the queue is empty."""

import queue
import threading

jobs = queue.Queue()
results = []


def work():
    while True:
        job = jobs.get()
        results.append(job * 2)
        jobs.task_done()


for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
jobs.put(1)
jobs.put(2)
jobs.join()
assert sorted(results) == [2, 4]
