"""Nested monitor, done right: a bounded buffer whose two semaphores are monitors themselves.

A semaphore is lowered before the buffer is entered; who would lower it inside would sleep with
the buffer locked, and nobody could ever wake him. Producers and consumers go on for ever.
"""

import threading

import assay

BUFFER_SIZE = 1  # in the thesis: 5
PRODUCERS = 1  # 4
CONSUMERS = 1  # 4


class CountingSemaphore:
    def __init__(self, value):
        self.value = value
        self.raised = threading.Condition()

    def down(self):
        with self.raised:
            while self.value == 0:
                self.raised.wait()
            assert self.value > 0, "lowered below zero"
            self.value -= 1

    def up(self):
        with self.raised:
            self.value += 1
            assert self.value <= BUFFER_SIZE, "raised above the size of the buffer"
            self.raised.notify()


class Buffer:
    def __init__(self, size):
        self.slots = [False] * size
        self.head = 0
        self.tail = 0
        self.count = 0
        self.monitor = threading.Lock()
        self.free = CountingSemaphore(size)
        self.used = CountingSemaphore(0)

    def put(self):
        self.free.down()
        with self.monitor:
            assert not self.slots[self.tail], "an item would be overwritten"
            self.slots[self.tail] = True
            self.tail = (self.tail + 1) % len(self.slots)
            self.count += 1
        self.used.up()

    def get(self):
        self.used.down()
        with self.monitor:
            assert self.slots[self.head], "an empty slot was taken"
            self.slots[self.head] = False
            self.head = (self.head + 1) % len(self.slots)
            self.count -= 1
        self.free.up()


buffer = Buffer(BUFFER_SIZE)


def produce():
    while True:
        buffer.put()


def consume():
    while True:
        buffer.get()


def main():
    assay.invariant(lambda: 0 <= buffer.free.value <= BUFFER_SIZE, name="free slots are within bounds")
    assay.invariant(lambda: 0 <= buffer.used.value <= BUFFER_SIZE, name="used slots are within bounds")
    assay.invariant(
        lambda: buffer.free.value + buffer.used.value <= BUFFER_SIZE, name="no slot is both free and used"
    )
    assay.invariant(lambda: 0 <= buffer.count <= BUFFER_SIZE, name="no more items than slots")
    assay.invariant(lambda: 0 <= buffer.head < BUFFER_SIZE, name="the head is a slot")
    assay.invariant(lambda: 0 <= buffer.tail < BUFFER_SIZE, name="the tail is a slot")
    threads = [threading.Thread(target=produce) for _ in range(PRODUCERS)]
    threads += [threading.Thread(target=consume) for _ in range(CONSUMERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
