# verdict: bytecode=verified
import threading
from collections import deque


class Worker(threading.Thread):
    def __init__(self, ident, deques, done):
        super().__init__()
        self.ident_ = ident
        self.deques = deques
        self.done = done

    def run(self):
        mine = self.deques[self.ident_]
        while True:
            try:
                task = mine.pop()
            except IndexError:
                for other in self.deques:
                    if other is mine:
                        continue
                    try:
                        task = other.popleft()
                        break
                    except IndexError:
                        pass
                else:
                    return
            self.done.append(task)


deques = [deque([1, 2, 3]), deque()]
done = deque()
ws = [Worker(i, deques, done) for i in range(2)]
for w in ws:
    w.start()
for w in ws:
    w.join()
assert sorted(done) == [1, 2, 3]
