import threading


class Buffer:
    def __init__(self, size):
        self.size = size
        self.items = []
        self.cond = threading.Condition()

    def put(self, item):
        with self.cond:
            if len(self.items) == self.size:
                self.cond.wait()
            self.items.append(item)
            self.cond.notify()

    def get(self):
        with self.cond:
            if not self.items:
                self.cond.wait()
            item = self.items.pop(0)
            self.cond.notify()
            return item


buffer = Buffer(1)
got = []


def consumer():
    got.append(buffer.get())


def producer():
    buffer.put("x")


threads = [threading.Thread(target=consumer, name=f"consumer-{i}") for i in range(2)]
threads += [threading.Thread(target=producer, name=f"producer-{i}") for i in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
