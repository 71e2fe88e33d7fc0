# verdict: sync=violated:exception
import threading


class Buffer:
    def __init__(self):
        self.items = []
        self.not_empty = threading.Condition()

    def put(self, x):
        with self.not_empty:
            self.items.append(x)
            self.not_empty.notify_all()

    def get(self):
        with self.not_empty:
            if not self.items:
                self.not_empty.wait()
            return self.items.pop(0)


b = Buffer()
cs = [threading.Thread(target=b.get) for _ in range(2)]
for c in cs:
    c.start()
b.put(1)
b.put(2)
for c in cs:
    c.join()
