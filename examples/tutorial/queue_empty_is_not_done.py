"""An empty queue does not mean that the work is done: the last item may still be in somebody's hands."""

import queue
import threading

jobs = queue.Queue()
results = []


def work():
    while True:
        results.append(jobs.get() * 2)


jobs.put(1)
threading.Thread(target=work, daemon=True).start()
while not jobs.empty():
    pass
assert results == [2], "the queue is empty, but the work is not done"
