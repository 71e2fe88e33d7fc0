"""One condition for producers and consumers, and notify() wakes only one of them."""

from collections import deque
from threading import Condition, Thread


class BoundedBuffer:
    def __init__(self, capacity):
        self.capacity = capacity
        self.items = deque()
        self.changed = Condition()

    def put(self, item):
        with self.changed:
            while len(self.items) == self.capacity:
                self.changed.wait()
            self.items.append(item)
            self.changed.notify()

    def get(self):
        with self.changed:
            while not self.items:
                self.changed.wait()
            item = self.items.popleft()
            self.changed.notify()
            return item


def produce(buffer, name):
    buffer.put(name)


def consume(buffer, out):
    out.append(buffer.get())


buffer = BoundedBuffer(1)
out = []
threads = [Thread(target=consume, args=(buffer, out), name=f"consumer-{i}") for i in range(2)]
threads += [Thread(target=produce, args=(buffer, i), name=f"producer-{i}") for i in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(out))
