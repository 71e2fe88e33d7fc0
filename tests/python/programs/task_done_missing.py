# verdict: bytecode=violated:deadlock
import queue, threading

q = queue.Queue()


def worker():
    while True:
        item = q.get()
        if item == 1:
            continue
        q.task_done()


threading.Thread(target=worker, daemon=True).start()
for i in range(3):
    q.put(i)
q.join()
