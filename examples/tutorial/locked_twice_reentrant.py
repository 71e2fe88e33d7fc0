"""A reentrant lock lets its owner in again, and others only when it was released as often."""

import threading


class Stack:
    def __init__(self):
        self.items = []
        self.lock = threading.RLock()

    def push(self, item):
        with self.lock:
            self.items.append(item)

    def push_twice(self, item):
        with self.lock:
            self.push(item)
            self.push(item)


stack = Stack()
threads = [threading.Thread(target=stack.push_twice, args=(item,)) for item in ("plate", "bowl")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert stack.items in (["plate", "plate", "bowl", "bowl"], ["bowl", "bowl", "plate", "plate"])
