"""A method under a lock calls another one under the same lock: the thread waits for itself."""

import threading


class Stack:
    def __init__(self):
        self.items = []
        self.lock = threading.Lock()

    def push(self, item):
        with self.lock:
            self.items.append(item)

    def push_twice(self, item):
        with self.lock:
            self.push(item)
            self.push(item)


stack = Stack()
thread = threading.Thread(target=stack.push_twice, args=("plate",))
thread.start()
thread.join()
