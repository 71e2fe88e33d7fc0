"""Producers and consumers with semaphores: one counts items, one counts room, a mutex guards the list."""

import threading

import assay

SIZE = 1
PRODUCERS = CONSUMERS = 2

mutex = threading.Lock()
items = threading.Semaphore(0)
room = threading.Semaphore(SIZE)
buffer = []


def produce(item):
    room.acquire()
    with mutex:
        buffer.append(item)
    items.release()


def consume():
    items.acquire()
    with mutex:
        buffer.pop(0)
    room.release()


assay.invariant(lambda: len(buffer) <= SIZE, name="the buffer is not too full")
threads = [threading.Thread(target=produce, args=(item,)) for item in range(PRODUCERS)]
threads += [threading.Thread(target=consume) for _ in range(CONSUMERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not buffer
