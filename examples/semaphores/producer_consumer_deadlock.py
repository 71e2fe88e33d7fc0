"""Producers and consumers, broken: a consumer waits for an item with the mutex in its hand."""

import threading

mutex = threading.Lock()
items = threading.Semaphore(0)
buffer = []


def produce(item):
    with mutex:
        buffer.append(item)
    items.release()


def consume():
    with mutex:
        items.acquire()
        buffer.pop()


threads = [threading.Thread(target=produce, args=("item",)), threading.Thread(target=consume)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
