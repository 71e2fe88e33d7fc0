"""Bounded buffer: a monitor around a ring of slots, with producers and consumers.

One condition serves both who wait for an item and who wait for a slot, therefore every change
wakes all of them, and each looks again.
"""

import threading

import assay

BUFFER_SIZE = 1  # in the thesis: 5
PRODUCERS = 2  # 4
CONSUMERS = 2  # 4
ITEMS = 1  # that each producer makes


class BoundedBuffer:
    def __init__(self, size):
        self.slots = [None] * size
        self.head = 0  # the oldest item
        self.tail = 0  # the next free slot
        self.used = 0
        self.changed = threading.Condition()

    def put(self, item):
        with self.changed:
            while self.used == len(self.slots):
                self.changed.wait()
            assert self.slots[self.tail] is None, "an item would be overwritten"
            self.slots[self.tail] = item
            self.tail = (self.tail + 1) % len(self.slots)
            self.used += 1
            self.changed.notify_all()

    def get(self):
        with self.changed:
            while self.used == 0:
                self.changed.wait()
            item = self.slots[self.head]
            assert item is not None, "an empty slot was taken"
            self.slots[self.head] = None
            self.head = (self.head + 1) % len(self.slots)
            self.used -= 1
            self.changed.notify_all()
            return item


buffer = BoundedBuffer(BUFFER_SIZE)


def produce(producer):
    for _ in range(ITEMS):
        buffer.put(producer)


def consume(consumer):
    for _ in range(consumer, PRODUCERS * ITEMS, CONSUMERS):
        buffer.get()


def main():
    assay.invariant(lambda: 0 <= buffer.used <= BUFFER_SIZE, name="no more items than slots")
    threads = [threading.Thread(target=produce, args=(producer,)) for producer in range(PRODUCERS)]
    threads += [threading.Thread(target=consume, args=(consumer,)) for consumer in range(CONSUMERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert buffer.used == 0, "an item was left behind"


if __name__ == "__main__":
    main()
