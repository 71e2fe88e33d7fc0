# verdict: bytecode=violated:deadlock sync=violated:deadlock
import queue, threading

q = queue.Queue()


def worker():
    while (item := q.get()) is not None:
        pass


ts = [threading.Thread(target=worker, name=f"worker-{i}") for i in range(2)]
for t in ts:
    t.start()
q.put("job")
q.put(None)
for t in ts:
    t.join()
