"""Multiplex: at most LIMIT threads are in the room at the same time."""

import threading

import assay

THREADS = 3
LIMIT = 2

multiplex = threading.Semaphore(LIMIT)
mutex = threading.Lock()
inside = 0


def visit():
    global inside
    with multiplex:
        with mutex:
            inside += 1
        with mutex:
            inside -= 1


assay.invariant(lambda: inside <= LIMIT, name="the room is not too full")
threads = [threading.Thread(target=visit) for _ in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert inside == 0
